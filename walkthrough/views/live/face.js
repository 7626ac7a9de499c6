// The face of the page: cells to look at, to follow and to change. All numbers and lines come from the engine.
const $ = (selector, from = document) => from.querySelector(selector);
const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];

// An element: made("p.note", {title: "…"}, "text", child …)
function made(what, attributes, ...inside) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const name in attributes) {
    if (name.startsWith("on")) element[name] = attributes[name];
    else if (attributes[name] !== false) element.setAttribute(name, attributes[name]);
  }
  element.append(...inside.flatMap((one) => (typeof one === "string" ? isolated(one) : one)));
  return element;
}

// A line as texts and elements: letters that are written from right to left turn nothing around them.
const LEFTWARDS = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]+",
  leftwards = new RegExp(`(${LEFTWARDS}(?: ${LEFTWARDS})*)`, "u");
function isolated(text) {
  return text.split(leftwards).map((one, at) => {
    if (at % 2 === 0) return one;
    const box = document.createElement("bdi");
    box.textContent = one;
    return box;
  });
}
const write = (element, text) => element.replaceChildren(...isolated(text));

const sections = [],
  tables = [],
  indexOf = new Map();
for (let k = 0; k < engine.count; k++) {
  sections[k] = document.getElementById(engine.path(k));
  tables[k] = $("table", sections[k]);
  indexOf.set(tables[k], k);
}
const cellAt = (k, row, column) => tables[k].tBodies[0].rows[row].cells[column + 1];
const nameOf = (k, row, column) => engine.line(k, row, column).name;
const heading = (k) => $("h1,h2,h3,h4,h5,h6", sections[k]);
const same = (one, other) => one && other && one.every((part, at) => part === other[at]);

// Where a td of a step stands: [value, row, column].
function placeOf(element) {
  const td = element.closest?.("tbody td"),
    k = td && indexOf.get(td.closest("table"));
  return k === undefined || !td ? null : [k, td.parentNode.sectionRowIndex, td.cellIndex - 1];
}

// The panel: the worked line, what it reads, what reads it, and the way here.
let chosen = null,
  trail = [],
  marked = [];
const line = made("p.line", { role: "status" }),
  before = made("p.before", {}),
  ways = made("div.trail"),
  reads = made("div.reads"),
  users = made("div.users");
const panel = made("aside.panel.empty", { "aria-label": "The chosen number" }, ways, line, before, reads, users);
document.body.append(panel);

function mark(place, kind) {
  const td = cellAt(...place);
  td.dataset.m = kind;
  marked.push(td);
}

// Shows a cell in the panel and on the page, or nothing.
function show(place) {
  for (const td of marked) delete td.dataset.m;
  marked = [];
  panel.classList.toggle("empty", !place);
  reads.replaceChildren();
  users.replaceChildren();
  line.textContent = before.textContent = "";
  if (!place) return fit();
  const from = engine.operands(...place),
    to = engine.users(...place);
  for (const one of to) mark(one, "u");
  for (const one of from) mark(one, "o");
  mark(place, "c");
  const was = cellAt(...place).dataset.was;
  write(line, engine.line(...place).text);
  before.textContent = was ? `It was ${was}.` : "";
  showOperands(from);
  showUsers(to);
  fit(cellAt(...place));
}

// Where the panel lies over the page, it keeps clear of the cell, and what has the focus is scrolled clear of both.
function fit(td) {
  const root = document.documentElement.style,
    edge = bar.getBoundingClientRect(),
    top = edge.top > 0 ? 0 : edge.bottom,
    high = getComputedStyle(panel).position === "fixed" ? panel.offsetHeight : 0;
  const box = high && td ? td.getBoundingClientRect() : null;
  if (!box) panel.classList.remove("up");
  else if (box.bottom > innerHeight - high && box.top < innerHeight) panel.classList.add("up");
  else if (box.top < top + high && box.bottom > 0) panel.classList.remove("up");
  const isUp = panel.classList.contains("up");
  panel.style.top = isUp ? `${top}px` : "";
  root.scrollPaddingTop = `${bar.offsetHeight + 12 + (isUp ? high : 0)}px`;
  root.scrollPaddingBottom = isUp || !high ? "" : `${high + 12}px`;
}

function jump(place, text) {
  const name = `${nameOf(...place)} = ${engine.text(...place)}`;
  const attributes = { type: "button", tabindex: -1, "data-at": place, "aria-label": name, onclick: () => follow(place) };
  return made("button", attributes, text ?? name);
}

// Operands side by side: those of one matrix are a strip, strips of one length stand beside each other.
function showOperands(found) {
  const strips = new Map();
  for (const place of found) strips.set(place[0], [...(strips.get(place[0]) || []), place]);
  const byLength = new Map();
  for (const strip of strips.values()) byLength.set(strip.length, [...(byLength.get(strip.length) || []), strip]);
  for (const [length, several] of byLength) {
    const grid = made("div.strips", { style: `--n:${length + 1}` });
    if (length > 1) grid.append(made("span", {}), ...labelsAlong(several[0]).map((label) => made("i", {}, label)));
    for (const strip of several) {
      const names = length > 1 ? stripName(strip) : nameOf(...strip[0]);
      grid.append(made("b", {}, names), ...strip.map((place) => jump(place, engine.text(...place))));
    }
    reads.append(grid);
  }
}

const fixed = (strip, at) => strip.every((place) => place[at] === strip[0][at]);
function labelsAlong(strip) {
  const [k] = strip[0];
  return strip.map(([, row, column]) => (fixed(strip, 1) ? engine.columnLabels(k)[column] : engine.rowLabels(k)[row]));
}
function stripName(strip) {
  const [k, row, column] = strip[0],
    symbol = engine.symbol(k);
  if (fixed(strip, 1) && engine.rows(k) > 1) return `${symbol}, row ${engine.rowLabels(k)[row]}`;
  if (fixed(strip, 2) && engine.columns(k) > 1) return `${symbol}, column ${engine.columnLabels(k)[column]}`;
  return symbol;
}

function showUsers(found) {
  if (!found.length) return;
  const most = 12;
  users.append(made("h2", {}, "Used by"));
  for (const place of found.slice(0, most)) {
    users.append(jump(place));
  }
  if (found.length > most) users.append(made("span", {}, `and ${found.length - most} more`));
}

// Chooses a cell; `away` is the one that it was followed from.
function choose(place, away) {
  if (away) trail.push(away);
  chosen = place;
  requestAnimationFrame(light);
  show(place);
  ways.replaceChildren(
    ...trail.map((one, at) =>
      made("button", { type: "button", tabindex: -1, onclick: () => back(at) }, nameOf(...one)),
    ),
  );
}

function follow(place) {
  const from = chosen && !same(chosen, place) ? chosen : null;
  reveal(sections[place[0]]);
  choose(place, from);
  land(place);
}

function back(at = trail.length - 1) {
  const place = trail[at];
  trail = trail.slice(0, at);
  reveal(sections[place[0]]);
  choose(place);
  land(place);
}

// Scrolls for a few frames: sections that have not been on the screen before take their size only then.
let bringing = 0;
function bring(scroll, frames = 20, mine = ++bringing) {
  if (mine !== bringing) return;
  scroll();
  if (frames) requestAnimationFrame(() => bring(scroll, frames - 1, mine));
}
for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) addEventListener(kind, () => bringing++, { passive: true });

// To a cell somewhere else: its heading too, where both have room.
function land(place) {
  focusCell(place);
  bring(() => {
    sections[place[0]].scrollIntoView({ block: "nearest" });
    cellAt(...place).scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}

function focusCell(place) {
  const td = cellAt(...place),
    table = td.closest("table");
  const old = $("td[tabindex]", table);
  if (old) old.removeAttribute("tabindex");
  td.tabIndex = 0;
  td.focus({ preventScroll: true });
  td.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function close() {
  chosen = null;
  trail = [];
  ways.replaceChildren();
  show(null);
}

// Pointer.
const main = $("main");
main.addEventListener("click", (event) => {
  const place = placeOf(event.target);
  if (!place || $("input", cellAt(...place))) return;
  if (same(place, chosen) && engine.editable(place[0])) return edit(place);
  trail = [];
  focusCell(place);
});
main.addEventListener("focusin", (event) => {
  const place = placeOf(event.target);
  if (place && !same(place, chosen)) choose(place);
});
main.addEventListener("dblclick", (event) => {
  const place = placeOf(event.target);
  if (place && engine.editable(place[0])) edit(place);
});
let pointed = null;
main.addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch" || $("td input")) return;
  const place = placeOf(event.target);
  if (same(place, pointed) || place === pointed) return;
  pointed = place;
  show(place || chosen);
});
main.addEventListener("pointerleave", () => {
  if (pointed) show(chosen);
  pointed = null;
});

// Keys in a table.
const steps = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  Home: [0, -1e9],
  End: [0, 1e9],
};
const within = (at, count) => Math.min(Math.max(at, 0), count - 1);
main.addEventListener("keydown", (event) => {
  const place = placeOf(event.target);
  if (!place || event.target.tagName === "INPUT" || event.altKey || event.metaKey) return;
  const [k, row, column] = place,
    step = steps[event.key];
  if (step) {
    focusCell([k, within(row + step[0], engine.rows(k)), within(column + step[1], engine.columns(k))]);
  } else if (engine.editable(k) && (event.key === "Enter" || event.key === "F2" || /^[-−.\d]$/.test(event.key))) {
    edit(place, event.key.length === 1 ? event.key : undefined);
  } else if (event.key === "Enter") {
    $("button", reads)?.focus();
  } else if (event.key.toLowerCase() === "u") {
    $("button", users)?.focus();
  } else if (event.key === "Escape" && chosen) {
    if (trail.length) back();
    else close();
    event.stopPropagation();
  } else return;
  event.preventDefault();
});
panel.addEventListener("keydown", (event) => {
  const all = $$(".reads button,.users button", panel),
    at = all.indexOf(document.activeElement);
  const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
  if (at >= 0 && step) all[within(at + step, all.length)].focus();
  else if (event.key === "Escape" && chosen) focusCell(chosen);
  else return;
  event.stopPropagation();
  event.preventDefault();
});
panel.addEventListener("focusin", (event) => {
  for (const td of $$("[data-here]", main)) delete td.dataset.here;
  const at = event.target.dataset.at;
  if (at) cellAt(...at.split(",").map(Number)).dataset.here = "";
});

// Editing in place.
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
function edit(place, typed) {
  const [k, row, column] = place,
    td = cellAt(...place),
    text = td.textContent;
  const number = engine.numbers(k)[row * engine.columns(k) + column];
  const input = made("input", {
    "aria-label": `New number for ${nameOf(...place)}`,
    inputmode: "decimal",
    spellcheck: "false",
  });
  input.value = typed ?? (Number.isFinite(number) ? String(number).replace("-", "−") : "");
  td.replaceChildren(input);
  let done = false;
  function finish(isKept, stays) {
    if (done) return;
    let fault = "";
    const typed = input.value.trim().replaceAll("−", "-").replace(",", ".");
    if (isKept && typed !== String(number)) {
      try {
        if (!NUMBER.test(typed)) throw new Error(`“${input.value}” is not a number.`);
        done = true;
        td.textContent = text;
        engine.set(k, row, column, +typed);
      } catch (error) {
        done = false;
        if (!td.contains(input)) td.replaceChildren(input);
        fault = error.message;
        say(fault);
        if (stays) return input.focus();
      }
    }
    done = true;
    if (td.contains(input)) td.textContent = text;
    say(fault);
    if (stays) focusCell(place);
    show(chosen);
  }
  input.onkeydown = (event) => {
    if (event.key === "Enter" || event.key === "F2") finish(true, true);
    else if (event.key === "Escape") finish(false, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  input.onblur = () => finish(true, false);
  input.focus();
  if (typed === undefined) input.select();
}

// Painting: what is on the screen in the next frame, the rest soon.
const seen = new Set(),
  waiting = new Set();
const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      const k = indexOf.get($("table", entry.target));
      if (entry.isIntersecting) seen.add(k);
      else seen.delete(k);
      if (entry.isIntersecting && plain.has(k)) shade(k);
    }
    if (waiting.size) requestAnimationFrame(paintSeen);
  },
  { rootMargin: "600px" },
);
const plain = new Set(sections.keys());
addEventListener("beforeprint", () => [...plain].forEach(shade));
for (const section of sections) watcher.observe(section);

function paintSeen() {
  for (const k of [...seen, ...copied]) if (waiting.delete(k)) paint(k);
  show(pointed || chosen);
}
function paintRest() {
  const until = performance.now() + 12;
  for (const k of waiting) {
    waiting.delete(k);
    paint(k);
    if (performance.now() > until) break;
  }
  if (waiting.size) setTimeout(paintRest);
}
function repaint(changed) {
  for (const k of changed) waiting.add(k);
  requestAnimationFrame(paintSeen);
  setTimeout(paintRest, 30);
}

function paint(k) {
  const rows = tables[k].tBodies[0].rows,
    columns = engine.columns(k),
    size = rows.length * columns;
  const changed = new Set(engine.changed(k));
  for (let at = 0; at < size; at++) {
    const row = Math.floor(at / columns),
      td = rows[row].cells[(at % columns) + 1];
    const text = engine.text(k, row, at % columns);
    if (changed.has(at)) td.dataset.was ??= td.textContent;
    else delete td.dataset.was;
    if (td.textContent !== text && !td.firstElementChild) td.textContent = text;
  }
  shade(k);
  const isHalted = engine.halted(k);
  sections[k].toggleAttribute("data-halted", isHalted);
  $(".halt", sections[k])?.remove();
  if (isHalted) $(".f", sections[k]).after(made("p.halt", {}, ...again()));
  const sample = $(".w", sections[k]);
  if (sample) write(sample, engine.line(k, ...sample.dataset.c.split(",").map(Number)).text);
  for (const view of views[k] || []) view();
}

// The shades of a heat map, as classes: p9 the largest, n9 the most negative.
function shade(k) {
  plain.delete(k);
  const numbers = engine.numbers(k),
    kind = sections[k].dataset.s,
    rows = tables[k].tBodies[0].rows,
    columns = engine.columns(k);
  let largest = kind === "share" ? 1 : 0;
  if (!largest) for (const x of numbers) if (Number.isFinite(x)) largest = Math.max(largest, Math.abs(x));
  if (kind === "none" || numbers.length < 2 || !largest) return;
  numbers.forEach((x, at) => {
    const dark = Number.isFinite(x) ? Math.max(-9, Math.min(9, Math.round((x / largest) * 9))) : 0;
    const name = dark ? (dark < 0 ? "n" : "p") + Math.abs(dark) : "",
      td = rows[Math.floor(at / columns)].cells[(at % columns) + 1];
    if (td.className !== name) td.className = name;
  });
}

function paintCopy(element) {
  const [row, column] = element.dataset.c.split(",").map(Number),
    k = engine.find(element.dataset.of);
  const text = engine.text(k, row, column),
    was = cellAt(k, row, column).dataset.was;
  if (element.textContent !== text) element.textContent = text;
  if (was && was !== text) element.dataset.was = was;
  else delete element.dataset.was;
}

// Views of a step that follow its numbers: by value, functions that draw anew. The first screen has copies of the last one.
const views = [],
  copied = new Set();
for (const copy of $$("[data-of]")) {
  const k = engine.find(copy.dataset.of);
  copied.add(k);
  (views[k] ||= []).push(() => paintCopy(copy));
}
