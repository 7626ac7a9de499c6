/* Python, in a worker of its own: loads Pyodide, numpy and the program, then carries out one command after the other. */

import { loadPyodide } from "./pyodide.mjs";

/** What is said while Python comes. @param {string} doing @param {number} step */
const say = (doing, step) => postMessage({ doing, step });

/** @returns {Promise<ArrayBuffer>} */
async function zip() {
  const answer = await fetch(new URL("walkthrough.zip", import.meta.url));
  if (!answer.ok) throw new Error(`walkthrough.zip: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

async function start() {
  say("Loading Python and numpy …", 1);
  // what Python itself prints is not the program's output
  const streams = { stdout: () => {}, stderr: (/** @type {string} */ line) => console.log(line) };
  const [pyodide, program] = await Promise.all([loadPyodide({ packages: ["numpy"], ...streams }), zip()]);
  // without a package that does not come, Pyodide goes on
  if (!pyodide.loadedPackages.numpy) throw new Error("numpy could not be loaded");
  say("Unpacking walkthrough …", 2);
  const extractDir = pyodide.runPython("import sysconfig; sysconfig.get_path('purelib')");
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

const python = start();
python.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ failed: String(error?.message ?? error) }),
);

addEventListener("message", async ({ data }) => {
  const found = await python;
  try {
    postMessage({ id: data.id, ...carryOut(found, data) });
    found.driver.tidy();
  } catch (error) {
    postMessage({ id: data.id, broken: String(/** @type {any} */ (error)?.message ?? error) });
  }
});
