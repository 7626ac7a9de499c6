// The form of a worksheet: keeps what is typed, and writes it as a .yaml sheet. It judges nothing.

const byId = (id) => document.getElementById(id);
const sheet = JSON.parse(byId("sheet").textContent);
const fields = [...document.querySelectorAll("input[data-path]")];
const student = byId("student");
const all = student ? [student, ...fields] : fields;
let last = fields[0];

/** Any text as a YAML scalar in double quotes: as JSON, with everything else that YAML does not take as it is escaped. */
function quote(text) {
  return JSON.stringify(text.toWellFormed ? text.toWellFormed() : text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The answers of a step: a line for each cell, by row and column. */
function answers(path) {
  const rows = new Map();
  for (const field of fields.filter((one) => one.dataset.path === path)) {
    const { row, column } = field.dataset;
    const text = field.value.trim();
    if (!rows.has(row)) rows.set(row, []);
    rows.get(row).push(`      ${quote(column)}:${text && ` ${quote(text)}`}\n`);
  }
  return `  answers:\n${[...rows].map(([row, lines]) => `    ${quote(row)}:\n${lines.join("")}`).join("")}`;
}

/** A piece of the sheet: its text as it is, a step by its path and what follows it, or the line of the student. */
function piece(one) {
  if (one === null) return `student: ${quote(student.value.trim())}\n`;
  return typeof one === "string" ? one : `- path: ${one[0]}\n${one[1]}${answers(one[0])}`;
}

/** Whether a text may be a number, or one of those that people write: 1/3, 6/√2, ca. 0,38, −∞, 45 %, 2,00 (rounded). */
function mayBeNumber(text) {
  const plain = text.replace(/\([^)]*\p{L}[^)]*\)/gu, "").replace(/sqrt|ca\.?|e(?=[-+−]?\d)/gi, "");
  const number = plain.replace(new RegExp(`-?(?:${sheet.infinity})`, "giu"), "∞");
  return !text || (/[\d∞]/.test(text + number) && !/\p{L}/u.test(number));
}

/** Marks a number that nobody could read. */
function check(field) {
  const isFine = field.inputMode !== "decimal" || mayBeNumber(field.value.trim());
  field.toggleAttribute("aria-invalid", !isFine);
  field.title = isFine ? "" : sheet.texts.unreadable;
}

function write() {
  byId("answers").value = sheet.pieces.map(piece).join("");
  const filled = fields.filter((field) => field.value.trim()).length;
  byId("filled").textContent = sheet.texts.filled.replace("{count}", filled);
}

const nameOf = (field) => JSON.stringify([field.dataset.path, field.dataset.row, field.dataset.column]);

/** Keeps everything where the browser allows it; a page that was opened from a folder may not be allowed to. */
function keep() {
  const typed = all.filter((field) => field.value).map((field) => [nameOf(field), field.value]);
  try {
    if (typed.length) localStorage.setItem(sheet.kept, JSON.stringify(typed));
    else localStorage.removeItem(sheet.kept);
  } catch {
    // it stays in the page alone
  }
}

/** What was kept; nothing where that is not allowed, or where what is kept is something else. */
function kept() {
  try {
    return new Map(JSON.parse(localStorage.getItem(sheet.kept)));
  } catch {
    return new Map();
  }
}

function restore() {
  const typed = kept();
  for (const field of all) {
    const text = typed.get(nameOf(field));
    if (typeof text === "string") field.value = text;
    changed(field);
  }
  write();
}

/** The attribute holds what is typed too, so that a page which is saved has it. On paper a long text is small. */
function changed(field) {
  field.style.setProperty("--n", field.value.length);
  if (field.value) field.setAttribute("value", field.value);
  else field.removeAttribute("value");
  if (field.hasAttribute("aria-invalid")) check(field);
}

function goOn(field) {
  (all[all.indexOf(field) + 1] ?? byId("download")).focus();
}

function fileName() {
  try {
    const name = decodeURIComponent(location.pathname).split("/").pop().replace(/\.[^.]*$/, "");
    return name || sheet.name;
  } catch {
    return sheet.name;
  }
}

function download() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([byId("answers").value], { type: "application/yaml" }));
  link.download = `${fileName()}.answers.yaml`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function empty() {
  if (!confirm(sheet.texts.sure)) return;
  for (const field of all) {
    field.value = "";
    field.removeAttribute("aria-invalid");
    changed(field);
  }
  keep();
  write();
}

function type(key) {
  last.focus();
  last.setRangeText(key, last.selectionStart, last.selectionEnd, "end");
  last.dispatchEvent(new Event("input", { bubbles: true }));
}

for (const field of all) {
  Object.assign(field, { autocomplete: "off", spellcheck: false, enterKeyHint: "next" });
  field.setAttribute("autocapitalize", "off");
  if (field.dataset.path) {
    if (!field.closest(".word")) field.inputMode = "decimal";
    const title = field.closest("section").querySelector("h3").textContent;
    field.setAttribute("aria-label", `${title} [${field.dataset.row}, ${field.dataset.column}]`);
  }
  field.addEventListener("focus", () => (last = field));
  field.addEventListener("blur", () => check(field));
  field.addEventListener("input", () => {
    changed(field);
    keep();
    write();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    goOn(field);
  });
}
for (const button of document.querySelectorAll("#bar button")) {
  button.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the keyboard
  button.addEventListener("click", () => (button.id === "next" ? goOn(last) : type(button.dataset.key)));
}
byId("download").addEventListener("click", download);
byId("empty").addEventListener("click", empty);
byId("answers").addEventListener("focus", (event) => event.target.select());
// the keyboard of a phone covers the lower part of the window, not the window: the bar stands above it
visualViewport?.addEventListener("resize", () => {
  const covered = innerHeight - visualViewport.height - visualViewport.offsetTop;
  byId("bar").style.bottom = `${Math.max(0, Math.round(covered))}px`;
});
byId("form").hidden = byId("bar").hidden = false;
restore();
