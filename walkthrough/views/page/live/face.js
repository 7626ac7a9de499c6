// The face of the page: cells to look at, to follow and to change. All numbers and lines come from the engine.
const $ = (selector, from = document) => from.querySelector(selector);
const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
const on = (target, types, ...act) => types.split(" ").forEach((type) => target.addEventListener(type, ...act));

// An element: made("p.note", {title: "…"}, "text", child …)
function made(what, attributes, ...inside) {
  const [tag, ...classes] = what.split("."),
    element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const name in attributes) {
    if (name.startsWith("on")) element[name] = attributes[name];
    else if (attributes[name] !== false) element.setAttribute(name, attributes[name]);
  }
  element.append(...inside.flatMap((one) => (typeof one === "string" ? isolated(one) : one)));
  return element;
}
const button = (text, act, attributes = {}) => made("button", { type: "button", onclick: act, ...attributes }, text);

// A line as texts and elements: letters that are written from right to left turn nothing around them.
const LEFTWARDS = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]+",
  leftwards = new RegExp(`(${LEFTWARDS}(?: ${LEFTWARDS})*)`, "u");
const boxed = (text) => Object.assign(document.createElement("bdi"), { textContent: text });
const isolated = (text) => text.split(leftwards).map((one, at) => (at % 2 ? boxed(one) : one));
const write = (element, text) => element.replaceChildren(...isolated(text));

const { steps } = engine,
  root = document.documentElement,
  main = $("main"),
  sections = steps.map((step) => document.getElementById(step.p)),
  tables = sections.map((section) => $("table", section)),
  indexOf = new Map(tables.map((table, k) => [table, k])),
  cells = [];
// A place is [value, row, column].
const cellsOfStep = (k) => (cells[k] ||= $$("tbody td", tables[k]));
const cellAt = (k, row, column) => cellsOfStep(k)[row * steps[k].m + column];
const placeAt = (k, at) => [k, Math.floor(at / steps[k].m), at % steps[k].m];
const nameOf = (place) => engine.name(...place);
const titleOf = (k) => $("h2,h3,h4,h5,h6", sections[k]).lastChild.textContent.trim();
const same = (one, other) => String(one) === String(other);
const grouped = (all, key) => {
  const found = new Map();
  for (const one of all) found.set(key(one), [...(found.get(key(one)) || []), one]);
  return found.values();
};
// The place that an element names, of the number that a step works out.
const placeIn = (k, element) => [k, ...element.dataset.c.split(",").map(Number)];

function placeOf(element) {
  const td = element.closest?.("tbody td"),
    k = td && indexOf.get(td.closest("table"));
  return Number.isInteger(k) ? [k, td.parentNode.sectionRowIndex, td.cellIndex - 1] : null;
}

// The panel: the worked line, what it reads, what reads it, and the way here.
let chosen = null,
  pointed = null,
  trail = [],
  marked = [];
const line = made("p.line", { role: "status" }),
  before = made("p.before"),
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
    to = engine.users(...place),
    { was } = cellAt(...place).dataset;
  for (const one of to) mark(one, "u");
  for (const one of from) mark(one, "o");
  mark(place, "c");
  write(line, engine.line(...place));
  before.textContent = was ? `It was ${was}.` : "";
  showOperands(from);
  showUsers(to);
  fit(cellAt(...place));
}

// Where the panel lies over the page, it keeps clear of the cell, and what has the focus is scrolled clear of both.
function fit(td) {
  const edge = bar.getBoundingClientRect(),
    top = edge.top > 0 ? 0 : edge.bottom,
    high = getComputedStyle(panel).position === "fixed" ? panel.offsetHeight : 0;
  const box = high && td ? td.getBoundingClientRect() : null;
  if (!box) panel.classList.remove("up");
  else if (box.bottom > innerHeight - high && box.top < innerHeight) panel.classList.add("up");
  else if (box.top < top + high && box.bottom > 0) panel.classList.remove("up");
  const isUp = panel.classList.contains("up");
  panel.style.top = isUp ? `${top}px` : "";
  root.style.scrollPaddingTop = `${bar.offsetHeight + 12 + (isUp ? high : 0)}px`;
  root.style.scrollPaddingBottom = isUp || !high ? "" : `${high + 12}px`;
}

function jump(place, text) {
  const name = `${nameOf(place)} = ${engine.text(...place)}`;
  return button(text ?? name, () => follow(place), { tabindex: -1, "data-at": place, "aria-label": name });
}

// Operands side by side: those of one matrix are a strip, strips of one length stand beside each other.
function showOperands(found) {
  const strips = grouped(found, ([k]) => k);
  for (const several of grouped(strips, (strip) => strip.length)) {
    const [first] = several,
      grid = made("div.strips", { style: `--n:${first.length + 1}` });
    if (first.length > 1) grid.append(made("span"), ...labelsAlong(first).map((label) => made("i", {}, label)));
    for (const strip of several) {
      const name = first.length > 1 ? stripName(strip) : nameOf(strip[0]);
      grid.append(made("b", {}, name), ...strip.map((place) => jump(place, engine.text(...place))));
    }
    reads.append(grid);
  }
}

const fixed = (strip, at) => strip.every((place) => place[at] === strip[0][at]);
function labelsAlong(strip) {
  const { rowLabels, columnLabels } = steps[strip[0][0]];
  return strip.map(([, row, column]) => (fixed(strip, 1) ? columnLabels[column] : rowLabels[row]));
}
function stripName(strip) {
  const [k, row, column] = strip[0],
    { n, m, rowLabels, columnLabels, y } = steps[k];
  if (fixed(strip, 1) && n > 1) return `${y}, row ${rowLabels[row]}`;
  return fixed(strip, 2) && m > 1 ? `${y}, column ${columnLabels[column]}` : y;
}

function showUsers(found) {
  const most = 12,
    links = found.slice(0, most).map((place) => jump(place));
  if (found.length) users.append(made("h2", {}, "Used by"), ...links);
  if (found.length > most) users.append(made("span", {}, `and ${found.length - most} more`));
}

// Chooses a cell; `away` is the one that it was followed from.
function choose(place, away) {
  if (away) trail.push(away);
  chosen = place;
  pointed = null;
  requestAnimationFrame(light);
  show(place);
  ways.replaceChildren(...trail.map((one, at) => button(nameOf(one), () => back(at), { tabindex: -1 })));
}

function follow(place) {
  const from = same(chosen, place) ? null : chosen;
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
on(window, "wheel touchmove pointerdown keydown", () => bringing++, { passive: true });

// To a cell somewhere else: its heading too, where both have room.
function land(place) {
  focusCell(place);
  bring(() => {
    sections[place[0]].scrollIntoView({ block: "nearest" });
    cellAt(...place).scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}

function focusCell(place) {
  const td = cellAt(...place);
  $("td[tabindex]", tables[place[0]])?.removeAttribute("tabindex");
  td.tabIndex = 0;
  td.focus({ preventScroll: true });
  td.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function close() {
  trail = [];
  choose(null);
}

// Pointer.
on(main, "click", (event) => {
  const place = placeOf(event.target);
  if (!place || $("input", cellAt(...place))) return;
  if (same(place, chosen) && steps[place[0]].editable) return edit(place);
  trail = [];
  focusCell(place);
});
on(main, "focusin", (event) => {
  const place = placeOf(event.target);
  if (place && !same(place, chosen)) choose(place);
});
on(main, "dblclick", (event) => {
  const place = placeOf(event.target);
  if (place && steps[place[0]].editable) edit(place);
});
// What comes to lie under a pointer that rests, because the page scrolls, is not pointed at.
let resting = "";
on(window, "pointermove", (event) => (resting = `${event.clientX} ${event.clientY}`), { passive: true });
on(main, "pointerover", (event) => {
  const place = placeOf(event.target),
    isResting = resting === `${event.clientX} ${event.clientY}`;
  if (event.pointerType === "touch" || isResting || $("td input") || same(place, pointed)) return;
  pointed = place;
  show(place || chosen);
});
on(main, "pointerleave", () => {
  if (pointed) show(chosen);
  pointed = null;
});

// Keys in a table, and in the panel.
const moves = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  Home: [0, -1e9],
  End: [0, 1e9],
};
const within = (at, count) => Math.min(Math.max(at, 0), count - 1);
const consume = (event) => {
  event.preventDefault();
  event.stopPropagation();
};
on(main, "keydown", (event) => {
  const place = placeOf(event.target),
    { key } = event;
  if (!place || event.target.tagName === "INPUT" || event.altKey || event.metaKey) return;
  const [k, row, column] = place,
    { n, m, editable } = steps[k],
    move = moves[key];
  if (move) focusCell([k, within(row + move[0], n), within(column + move[1], m)]);
  else if (editable && /^(Enter|F2|[-−.\d])$/.test(key)) edit(place, key.length === 1 ? key : undefined);
  else if (key === "Enter") chosen ? $("button", reads)?.focus() : choose(place);
  else if (key.toLowerCase() === "u") $("button", users)?.focus();
  else if (key === "Escape" && chosen) trail.length ? back() : close();
  else return;
  consume(event);
});
on(panel, "keydown", (event) => {
  const all = $$(".reads button,.users button", panel),
    at = all.indexOf(document.activeElement),
    move = moves[event.key];
  if (at >= 0 && move) all[within(at + move[0] + move[1], all.length)].focus();
  else if (event.key === "Escape" && chosen) focusCell(chosen);
  else return;
  consume(event);
});
on(panel, "focusin", (event) => {
  for (const td of $$("[data-here]", main)) delete td.dataset.here;
  const at = event.target.dataset.at;
  if (at) cellAt(...at.split(",").map(Number)).dataset.here = "";
});

// Editing in place.
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
function edit(place, typed) {
  const [k, row, column] = place,
    td = cellAt(...place),
    text = td.textContent,
    number = engine.numbers(k)[row * steps[k].m + column];
  const input = made("input", { "aria-label": `New number for ${nameOf(place)}`, inputmode: "decimal", spellcheck: "false" });
  input.value = typed ?? (isFinite(number) ? String(number).replace("-", "−") : "");
  td.replaceChildren(input);
  let isDone = false;
  function finish(isKept, stays) {
    if (isDone) return;
    isDone = true;
    td.textContent = text;
    const wanted = read(input.value);
    let fault = "";
    if (isKept && wanted !== String(number)) {
      try {
        if (!NUMBER.test(wanted)) throw new Error(`“${input.value}” is not a number.`);
        engine.set(k, row, column, +wanted);
      } catch (error) {
        fault = error.message;
        if (stays) {
          say(fault);
          isDone = false;
          td.replaceChildren(input);
          return input.focus();
        }
      }
    }
    say(fault);
    if (stays) focusCell(place);
    show(chosen);
  }
  input.onkeydown = (event) => {
    const isKept = event.key !== "Escape";
    if (!/^(Enter|F2|Escape)$/.test(event.key)) return;
    consume(event);
    finish(isKept, true);
  };
  input.onblur = () => finish(true, false);
  input.focus();
  if (typed === undefined) input.select();
}
// A number as somebody types it.
const read = (text) => text.trim().replaceAll("−", "-").replace(",", ".");

// Painting: what is on the screen in the next frame, the rest soon.
const seen = new Set(),
  waiting = new Set(),
  plain = new Set(sections.keys());
const watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const k = indexOf.get($("table", target));
      seen[isIntersecting ? "add" : "delete"](k);
      if (isIntersecting && plain.has(k)) shade(k);
    }
    if (waiting.size) requestAnimationFrame(paintSeen);
  },
  { rootMargin: "600px" },
);
on(window, "beforeprint", () => [...plain].forEach(shade));
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
  const changed = new Set(engine.changed(k)),
    section = sections[k];
  cellsOfStep(k).forEach((td, at) => {
    const text = engine.text(...placeAt(k, at));
    if (changed.has(at)) td.dataset.was ??= td.textContent;
    else delete td.dataset.was;
    if (td.textContent !== text && !td.firstElementChild) td.textContent = text;
  });
  shade(k);
  const isHalted = engine.halted(k);
  section.toggleAttribute("data-halted", isHalted);
  $(".halt", section)?.remove();
  if (isHalted) $(".f", section).after(made("p.halt", {}, ...again()));
  const sample = $(".w", section);
  if (sample) write(sample, engine.line(...placeIn(k, sample)));
  for (const view of views[k] || []) view();
}

// The shades of a heat map, as classes: p9 the largest, n9 the most negative.
function shade(k) {
  plain.delete(k);
  const numbers = engine.numbers(k),
    kind = sections[k].dataset.s;
  const largest = kind === "share" ? 1 : numbers.reduce((most, x) => (isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);
  if (kind === "none" || numbers.length < 2 || !largest) return;
  cellsOfStep(k).forEach((td, at) => {
    const x = numbers[at],
      dark = isFinite(x) ? Math.max(-9, Math.min(9, Math.round((x / largest) * 9))) : 0;
    const name = dark ? (dark < 0 ? "n" : "p") + Math.abs(dark) : "";
    if (td.className !== name) td.className = name;
  });
}

// Views of a step that follow its numbers: by value, functions that draw anew.
const views = [],
  copied = new Set();
function follows(k, view) {
  (views[k] ||= []).push(view);
  view();
}
