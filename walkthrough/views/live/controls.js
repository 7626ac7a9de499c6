// The bar: digits, arithmetic, light; the changes, if there are any; what there is to say.
const button = (text, act, attributes = {}) => made("button", { type: "button", onclick: act, ...attributes }, text);
const notice = made("p.fault", { role: "alert", hidden: "" });
const say = (text) => {
  notice.textContent = text;
  notice.hidden = !text;
};

// Decimals that nobody has asked for are those of the scenario, which may round some steps otherwise by hand.
let { mode, decimals, isAsked } = engine.mode();
const digits = made("output", {}, String(decimals)),
  byHand = made("input", { type: "checkbox", onchange: () => reckon(byHand.checked ? "by hand" : "exact") });
byHand.checked = mode === "by hand";
function reckon(newMode, more = 0) {
  mode = newMode;
  isAsked ||= more !== 0;
  decimals = Math.max(0, Math.min(15, decimals + more));
  digits.textContent = decimals;
  calculate(mode);
}
const calculate = (mode) => engine.arithmetic(mode, isAsked ? decimals : undefined);

const changes = made("div.changes", { hidden: "" }),
  said = made("span", { "aria-live": "polite" });
const command = () =>
  [
    document.body.dataset.run,
    ...engine.runnable().map((item) => "--set " + quoted(visible(item))),
    ...(mode === "by hand" ? ["--by-hand"] : []),
    ...(isAsked ? ["--decimals " + decimals] : []),
  ].join(" ");
const leftOut = () =>
  engine.runnable().length < engine.changes().length
    ? " It leaves out what is taken as given only here: a run calculates that."
    : "";
const quoted = (text) => (/^[\w./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'");
async function copy(text, words) {
  shownCommand.textContent = text;
  try {
    await navigator.clipboard.writeText(text);
    said.textContent = words;
  } catch {
    said.textContent = "";
  }
}
const halted = made("p.halt", { role: "alert", hidden: "" });
const shownCommand = made("code", {});
const count = made("b", {});
changes.append(
  count,
  button("Copy link", () => copy(location.href, "Link copied.")),
  button("Copy command", () => copy(command(), "Command copied." + leftOut())),
  button("First numbers back", () => engine.reset()),
  said,
  shownCommand,
);

// After the next frame: it takes everything that follows to be calculated.
let halting = 0;
function showHalted() {
  const isHalted = sections.some((_, k) => engine.halted(k));
  halted.hidden = !isHalted;
  halted.replaceChildren(...(isHalted ? [...again(), " What is grey keeps its last numbers."] : []));
}

function showChanges() {
  const items = engine.changes(),
    root = document.documentElement;
  root.toggleAttribute("data-changed", items.length > 0);
  changes.hidden = !items.length;
  said.textContent = shownCommand.textContent = "";
  count.textContent = items.length === 1 ? visible(items[0]) : `${items.length} changes`;
  clearTimeout(halting);
  halting = setTimeout(showHalted, 60);
  keepAddress();
}

const again = () => ["This changes what is calculated: run ", made("code", {}, command()), " again."];

// By hand: how far each step has come from the exact one.
let isMeasuring = false,
  measured = 0;
function showDrift() {
  for (const old of $$(".drift", main)) old.remove();
  if (mode !== "by hand") return;
  isMeasuring = true;
  const hand = sections.map((_, k) => engine.numbers(k).slice());
  calculate("exact");
  const exact = sections.map((_, k) => engine.numbers(k).slice());
  calculate(mode);
  isMeasuring = false;
  sections.forEach((section, k) => {
    let most = 0,
      at = -1;
    hand[k].forEach((x, i) => {
      const off = Math.abs(x - exact[k][i]);
      if (off > most && off < Infinity) [most, at] = [off, i];
    });
    if (at < 0) return;
    const columns = engine.columns(k),
      place = [k, Math.floor(at / columns), at % columns];
    const text = `By hand up to ${most < 1e-4 ? most.toExponential(1) : most.toFixed(decimals + 2)} from the exact numbers, at ${nameOf(...place)}.`;
    $(".t", section).after(made("p.drift", {}, text.replaceAll("-", "−")));
  });
}

function turn() {
  const root = document.documentElement;
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
}

const bar = made(
  "div.bar",
  {},
  made(
    "div",
    {},
    button("Step through", () => stepThrough(true), { class: "start" }),
    made(
      "span.digits",
      {},
      "Decimals ",
      button("−", () => reckon(mode, -1), { "aria-label": "Fewer decimals" }),
      digits,
      button("+", () => reckon(mode, 1), { "aria-label": "More decimals" }),
    ),
    made("label", {}, byHand, " By hand"),
    button("Light or dark", turn),
    made(
      "details.keys",
      {},
      made("summary", {}, "Keys"),
      made(
        "ul",
        {},
        ...[
          ["Tab", "from table to table"],
          ["Arrows", "choose a number"],
          ["Enter", "change a given number; of any other, go to what it is computed from"],
          ["U", "go to what uses it"],
          ["Escape", "back"],
          ["Page Up, Page Down", "step through: the step before, the next one"],
        ].map(([key, what]) => made("li", {}, made("b", {}, key), " " + what)),
      ),
    ),
  ),
  changes,
  halted,
  notice,
);
main.before(bar);
for (const box of $$(".t")) box.tabIndex = -1;
for (const table of tables) {
  table.setAttribute("role", "grid");
  table.rows[1].cells[1].tabIndex = 0;
}
sections.forEach((section, k) => {
  tables[k].setAttribute("aria-label", engine.title(k));
  if (!engine.editable(k)) tables[k].setAttribute("aria-readonly", "true");
  else section.dataset.edit = "";
});

// The map: the step at hand is lit.
function light() {
  const top = innerHeight / 3;
  let at = -1;
  for (const k of seen) {
    const { top: from, bottom: to } = sections[k].getBoundingClientRect();
    if (from < innerHeight && to > 60 && k === chosen?.[0]) {
      at = k;
      break;
    }
    if (from < top && to > 60 && (at < 0 || sections[k].compareDocumentPosition(sections[at]) & 2)) at = k;
  }
  if (at < 0 || at === light.last) return;
  light.last = at;
  const words = engine.path(at).split(".");
  let link;
  while (words.length && !(link = $(`nav a[href="#${CSS.escape(words.join(".")).replaceAll("\\", "")}"]`))) words.pop();
  for (const old of $$("nav [aria-current]")) old.removeAttribute("aria-current");
  link?.setAttribute("aria-current", "step");
  const map = $("nav");
  if (link && map.scrollHeight > map.clientHeight) {
    const box = link.getBoundingClientRect();
    if (box.top < 40 || box.bottom > innerHeight - 40) map.scrollTop += box.top - innerHeight / 2;
  }
}
addEventListener("scroll", () => requestAnimationFrame(light), { passive: true });
setTimeout(light, 200);

engine.listen((changed) => {
  if (isMeasuring) return;
  repaint(changed);
  showChanges();
  clearTimeout(measured);
  measured = setTimeout(showDrift, 50);
});
