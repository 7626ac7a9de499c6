// The bar: digits, arithmetic, light; the changes, if there are any; what there is to say.
const notice = made("p.fault", { role: "alert", hidden: "" });
const say = (text) => {
  notice.textContent = text;
  notice.hidden = !text;
};

// Decimals that nobody has asked for are those of the scenario, which may round some steps otherwise by hand.
let arithmetic;
const digits = made("output"),
  byHand = made("input", { type: "checkbox", onchange: () => reckon(0) });
function showArithmetic() {
  arithmetic = engine.mode();
  digits.textContent = arithmetic.decimals;
  byHand.checked = arithmetic.mode === "by hand";
}
showArithmetic();
function reckon(more) {
  const { decimals, isAsked } = arithmetic;
  engine.arithmetic(byHand.checked ? "by hand" : "exact", isAsked || more ? within(decimals + more, 16) : undefined);
}

const changes = made("div.changes", { hidden: "" }),
  said = made("span", { "aria-live": "polite" }),
  shownCommand = made("code"),
  count = made("b"),
  halted = made("p.halt", { role: "alert", hidden: "" });
const quoted = (text) => (/^[\w./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'");
function command() {
  const items = engine.runnable().map((item) => " --set " + quoted(visible(item)));
  const { mode, decimals, isAsked } = arithmetic;
  const how = (mode === "by hand" ? " --by-hand" : "") + (isAsked ? " --decimals " + decimals : "");
  return document.body.dataset.run + items.join("") + how;
}
const leftOut = () =>
  engine.runnable().length < engine.changes().length
    ? " It leaves out changes of numbers that are given only here: a run calculates these."
    : "";
async function copy(text, words) {
  shownCommand.textContent = text;
  said.textContent = "";
  await navigator.clipboard.writeText(text);
  said.textContent = words;
}
changes.append(
  count,
  button("Copy link", () => copy(location.href, "Link copied.").catch(() => {})),
  button("Copy command", () => copy(command(), "Command copied." + leftOut()).catch(() => {})),
  button("Reset numbers", () => engine.reset()),
  said,
  shownCommand,
);

// After the next frame: it takes everything that follows to be calculated.
let halting = 0;
const again = () => ["This changes what is calculated: run ", made("code", {}, command()), " again."];
function showHalted() {
  halted.hidden = !steps.some((_, k) => engine.halted(k));
  halted.replaceChildren(...again(), " Grey numbers keep their last values.");
}

function showChanges() {
  const items = engine.changes();
  root.toggleAttribute("data-changed", items.length > 0);
  changes.hidden = !items.length;
  said.textContent = shownCommand.textContent = "";
  count.textContent = items.length === 1 ? visible(items[0]) : `${items.length} changes`;
  clearTimeout(halting);
  halting = setTimeout(showHalted, 60);
  keepAddress();
}

// By hand: how far each step has come from the exact one.
let isMeasuring = false,
  measured = 0;
function showDrift() {
  for (const old of $$(".drift", main)) old.remove();
  const { mode, decimals, isAsked } = arithmetic;
  if (mode !== "by hand") return;
  isMeasuring = true;
  const [exact, hand] = ["exact", mode].map((one) => {
    engine.arithmetic(one, isAsked ? decimals : undefined);
    return steps.map((_, k) => engine.numbers(k).slice());
  });
  isMeasuring = false;
  sections.forEach((section, k) => {
    const offs = exact[k].map((x, at) => Math.abs(x - hand[k][at])),
      most = largest(offs.filter((off) => off < Infinity));
    if (!(most > 0)) return;
    const far = most < 1e-4 ? most.toExponential(1) : most.toFixed(decimals + 2),
      text = `By hand, off by up to ${far} from the exact numbers, at ${nameOf(placeAt(k, offs.indexOf(most)))}.`;
    $(".t", section).after(made("p.drift", {}, text.replaceAll("-", "−")));
  });
}

function turn() {
  const { theme } = root.dataset,
    isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
}

const keys = [
  ["Tab", "from table to table"],
  ["Arrows", "choose a number"],
  ["Enter", "change a given number; on any other, go to what it is computed from"],
  ["U", "go to what uses it"],
  ["Escape", "back"],
  ["Page Up, Page Down", "step through: previous and next step"],
].map(([key, what]) => made("li", {}, made("b", {}, key), " " + what));
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
      button("−", () => reckon(-1), { "aria-label": "Fewer decimals" }),
      digits,
      button("+", () => reckon(1), { "aria-label": "More decimals" }),
    ),
    made("label", {}, byHand, " By hand"),
    button("Light or dark", turn),
    made("details.keys", {}, made("summary", {}, "Keys"), made("ul", {}, ...keys)),
  ),
  changes,
  halted,
  notice,
);
main.before(bar);

// On paper one line says what is not as it was at first.
let noted;
on(window, "beforeprint", () => {
  noted?.remove();
  const { mode, decimals, isAsked } = arithmetic,
    items = engine.changes(),
    words = items.length ? [`Changed: ${items.map(visible).join("; ")}.`] : [];
  if (mode === "by hand") words.push(`By hand${isAsked ? `, rounded to ${decimals} decimals` : ""}.`);
  if (words.length) $("h1").after((noted = made("p", {}, words.join(" "))));
});
on(window, "afterprint", () => noted?.remove());
tables.forEach((table, k) => {
  table.parentNode.tabIndex = -1;
  table.setAttribute("role", "grid");
  table.setAttribute("aria-label", titleOf(k));
  table.rows[1].cells[1].tabIndex = 0;
  if (steps[k].editable) sections[k].dataset.edit = "";
  else table.setAttribute("aria-readonly", "true");
});

// The map: the step at hand is lit.
const isBefore = (one, other) => one.compareDocumentPosition(other) & 4;
let last = -1;
function light() {
  const top = innerHeight / 3;
  let at = -1;
  for (const k of seen) {
    const { top: from, bottom: to } = sections[k].getBoundingClientRect();
    if (from < innerHeight && to > 60 && k === chosen?.[0]) {
      at = k;
      break;
    }
    if (from < top && to > 60 && (at < 0 || isBefore(sections[at], sections[k]))) at = k;
  }
  if (at < 0 || at === last) return;
  last = at;
  const words = steps[at].p.split("."),
    map = $("nav");
  let link;
  while (words.length && !(link = $(`a[href="#${CSS.escape(words.join(".")).replaceAll("\\", "")}"]`, map))) words.pop();
  $("[aria-current]", map)?.removeAttribute("aria-current");
  link?.setAttribute("aria-current", "step");
  if (link && map.scrollHeight > map.clientHeight) {
    const box = link.getBoundingClientRect();
    if (box.top < 40 || box.bottom > innerHeight - 40) map.scrollTop += box.top - innerHeight / 2;
  }
}
on(window, "scroll", () => requestAnimationFrame(light), { passive: true });
setTimeout(light, 200);

engine.listen((changed) => {
  if (isMeasuring) return;
  showArithmetic();
  repaint(changed);
  showChanges();
  clearTimeout(measured);
  measured = setTimeout(showDrift, 50);
});

// While nothing else is to be done, all that the page starts from is read or calculated, so that the first change is quick.
let ready = 0;
function prepare(idle) {
  while (ready < steps.length && idle.timeRemaining() > 2) engine.numbers(ready++);
  if (ready < steps.length) requestIdleCallback(prepare);
}
window.requestIdleCallback?.(prepare);
