/* The playground: a scenario, a command, and what the program makes of them. */

import { Editor } from "./editor.js";
import { decoded, MOST, pack, parts, unpack } from "./link.js";
import { Python } from "./python.js";
import { link, Results } from "./results.js";

const FIRST = "run scenario.yaml";
const HOME = "one-head";
const PAUSE = 300; // milliseconds without a key before the text is checked, and the address follows
const STARTER = "starter";

/** @template {HTMLElement} T @param {string} id @returns {T} */
const byId = (id) => /** @type {T} */ (document.getElementById(id));

/** @type {HTMLInputElement} */
const command = byId("command");
/** @type {HTMLSelectElement} */
const example = byId("example");
/** @type {HTMLButtonElement} */
const stop = byId("stop");
const editor = new Editor(byId("scenario"), byId("numbers"), byId("problems"));
const results = new Results({
  output: byId("output"),
  messages: byId("messages"),
  files: byId("files"),
  place: byId("place"),
});
const python = new Python(loading);

let notice = ""; // what was wrong with the address; stays until the next command
let running = 0;
/** @type {Promise<unknown>} */
let last = Promise.resolve();

/** @param {string} doing @param {number} step */
function loading(doing, step) {
  byId("doing").textContent = doing;
  /** @type {HTMLProgressElement} */
  const bar = byId("loading");
  bar.hidden = false;
  bar.value = step;
}

function watch() {
  python.ready.then(
    () => {
      byId("loading").hidden = true;
      byId("doing").textContent = running ? "Calculating …" : "";
    },
    (/** @type {Error} */ error) => {
      byId("loading").hidden = true;
      byId("doing").textContent = "";
      byId("messages").textContent = `Python could not be started: ${error.message}`;
    },
  );
}

/* Commands */

/** Carries out a command and shows what it gives, one after the other.
 * @param {string | string[]} wanted a typed line, or its words */
function carryOut(wanted) {
  const said = notice;
  notice = "";
  running += 1;
  stop.disabled = false;
  const mine = last.then(async () => {
    results.begin(said);
    if (byId("loading").hidden) byId("doing").textContent = "Calculating …";
    try {
      const result = await python.run(wanted, editor.text);
      const written = result.files["scenario.yaml"];
      if (written) editor.text = new TextDecoder().decode(written);
      results.show(result, said);
      return result;
    } finally {
      running -= 1;
      if (running === 0 && document.activeElement === stop) byId("go").focus(); // a disabled button has no focus
      stop.disabled = running === 0;
      if (byId("loading").hidden) byId("doing").textContent = "";
    }
  });
  last = mine.catch(() => {});
  return mine;
}

/** @param {string} [line] puts it into the box, and carries it out */
function go(line) {
  if (line !== undefined) command.value = line;
  followSoon();
  carryOut(command.value).catch(() => {}); // it has been said that Python is not there
}

byId("go-form").addEventListener("submit", (event) => {
  event.preventDefault();
  go();
});
for (const [id, line] of [
  ["run", FIRST],
  ["view", "view scenario.yaml"],
  ["check", "check scenario.yaml"],
  ["worksheet", "worksheet scenario.yaml -o worksheet.html"],
])
  byId(id).addEventListener("click", () => go(line));
stop.addEventListener("click", () => {
  python.stop();
  watch();
});

/* The text: what is wrong with it, and the address that follows it */

let checking = false;
/** Says what `validate` finds; a text that has changed since is checked once more. */
async function check() {
  if (checking) return;
  checking = true;
  try {
    for (let text; text !== editor.text;) {
      text = editor.text;
      const { stdout } = await python.run(["validate", "scenario.yaml", "--format", "json"], text);
      if (text === editor.text && stdout) editor.show(JSON.parse(stdout).files[0].problems);
    }
  } finally {
    checking = false;
  }
}

/** @type {Map<string, string>} the texts of examples that have been shown */
const shown = new Map();

async function address() {
  const known = [...shown].find(([, text]) => text === editor.text)?.[0];
  if (known) example.value = known;
  else example.selectedIndex = -1;
  const what = known && known !== STARTER ? `scenario=${encodeURIComponent(known)}` : `yaml=${await pack(editor.text)}`;
  const asked = command.value === FIRST ? "" : `&command=${encodeURIComponent(command.value)}`;
  return `#${what}${asked}`;
}

async function follow() {
  if (editor.text.length > MOST) return;
  const wanted = await address();
  if (wanted !== location.hash) history.replaceState(null, "", wanted);
}

/** @type {ReturnType<typeof setTimeout>} */
let soon;
function followSoon() {
  clearTimeout(soon);
  soon = setTimeout(follow, PAUSE);
}
/** @type {ReturnType<typeof setTimeout>} */
let checkSoon;
editor.onchange = () => {
  followSoon();
  clearTimeout(checkSoon);
  checkSoon = setTimeout(() => check().catch(() => {}), PAUSE);
};
command.addEventListener("input", followSoon);

/* Examples and addresses */

/** @param {string} name @returns {Promise<string>} */
async function exampleText(name) {
  const known = [...example.options].some((option) => option.value === name);
  if (!known) throw new Error(`No bundled scenario is called ${JSON.stringify(name)}.`);
  const answer = await fetch(`scenarios/${name}.yaml`);
  if (!answer.ok) throw new Error(`scenarios/${name}.yaml: ${answer.status} ${answer.statusText}`);
  const text = await answer.text();
  shown.set(name, text);
  return text;
}

/** Shows what the address holds, and carries it out; what cannot be read is said. */
async function open() {
  const found = parts(location.hash) ?? {};
  let line = FIRST;
  try {
    editor.text =
      found.yaml === undefined ? await exampleText(decoded(found.scenario ?? HOME)) : await unpack(found.yaml);
    if (found.command) line = decoded(found.command);
  } catch (error) {
    editor.text = await exampleText(HOME);
    notice = /** @type {Error} */ (error).message;
  }
  go(line);
}

addEventListener("hashchange", () => {
  if (parts(location.hash)) open();
});
example.addEventListener("change", async () => {
  clearTimeout(soon);
  const name = example.value;
  // an address of its own, so that Back brings back what was typed before
  if (name === STARTER) location.hash = `yaml=${await pack(await exampleText(name))}`;
  else location.hash = `scenario=${name}`;
});

/* Files, and the link */

byId("add").addEventListener("change", async (event) => {
  const input = /** @type {HTMLInputElement} */ (event.target);
  /** @type {Record<string, Uint8Array>} */
  const added = {};
  for (const file of input.files ?? []) added[file.name] = new Uint8Array(await file.arrayBuffer());
  input.value = "";
  const text = added["scenario.yaml"];
  if (text) editor.text = new TextDecoder().decode(text);
  delete added["scenario.yaml"];
  python.add(added);
  byId("doing").textContent = `Added: ${Object.keys(added).join(", ") || "scenario.yaml"}`;
});
byId("save").addEventListener("click", () => {
  const file = link("scenario.yaml", new TextEncoder().encode(editor.text));
  file.click();
  setTimeout(() => URL.revokeObjectURL(file.href), 60_000);
});
byId("share").addEventListener("click", async () => {
  const doing = byId("doing");
  if (editor.text.length > MOST) {
    doing.textContent = "A link holds at most 1,000,000 characters; save the scenario instead.";
    return;
  }
  clearTimeout(soon);
  await follow();
  try {
    await navigator.clipboard.writeText(location.href);
    doing.textContent = "The link is on the clipboard.";
  } catch {
    doing.textContent = "The clipboard cannot be written here; the address of this page is the link.";
  }
});

/* For programs */

Object.assign(window, {
  playground: {
    get ready() {
      return python.ready;
    },
    text: () => editor.text,
    /** @param {string} text */
    setText: (text) => {
      editor.text = text;
    },
    /** @param {string[]} words */
    run: (words) => carryOut(words),
  },
});

byId("server").hidden = true;
watch();
open();
