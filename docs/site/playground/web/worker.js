/* Python, in a worker of its own: loads Pyodide, numpy and the program, then carries out one command after the other. */

import { loadPyodide } from "./pyodide.mjs";

/** What is said while Python comes. @param {string} doing @param {number} step */
const say = (doing, step) => postMessage({ doing, step });

/** @param {string} name @returns {Promise<ArrayBuffer>} */
async function bytes(name) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

/** @param {string} numpy the file of its wheel */
async function start(numpy) {
  say("Loading Python …", 1);
  const parts = Promise.all([bytes(numpy), bytes("walkthrough.zip")]);
  // what Python itself prints is not the program's output
  const pyodide = await loadPyodide({ stdout: () => {}, stderr: (line) => console.log(line) });
  say("Unpacking numpy and walkthrough …", 2);
  const [wheel, program] = await parts;
  const extractDir = pyodide.runPython("import sysconfig; sysconfig.get_path('purelib')");
  pyodide.unpackArchive(wheel, "wheel", { extractDir });
  pyodide.unpackArchive(program, "zip", { extractDir });
  say("Starting numpy and walkthrough …", 3);
  const driver = pyodide.pyimport("driver");
  driver.prepare();
  return { pyodide, driver };
}

/** What a command gave, as JavaScript has it. @param {any} python @param {any} data */
function carryOut({ pyodide, driver }, { command, scenario, files }) {
  if (files) driver.keep(pyodide.toPy(files));
  const result = driver.carry_out(pyodide.toPy(command), scenario);
  const [status, stdout, stderr, written] = result.toJs({ dict_converter: Object.fromEntries });
  result.destroy();
  return { status, stdout, stderr, files: written };
}

/** @type {ReturnType<typeof start>} */
let python;

addEventListener("message", async ({ data }) => {
  if (data.numpy) {
    python = start(data.numpy);
    python.then(
      () => postMessage({ ready: true }),
      (error) => postMessage({ failed: String(error?.message ?? error) }),
    );
    return;
  }
  const found = await python;
  try {
    postMessage({ id: data.id, ...carryOut(found, data) });
    found.driver.tidy();
  } catch (error) {
    postMessage({ id: data.id, broken: String(/** @type {any} */ (error)?.message ?? error) });
  }
});
