// The panel: the worked line of a number, what it reads, what reads it, and the way here.
import { makePin } from "../bar/outcome.js";
import { printOf } from "../bar/printed.js";
import { drawNorm } from "../pictures/norm.js";
import { drawProduct } from "../pictures/product.js";
import { drawShares } from "../pictures/shares.js";
import { drawSum } from "../pictures/sum.js";
import { button, find, make, write } from "../face/dom.js";
import { group, samePlace } from "../face/page.js";
import { fit } from "../face/scrolling.js";
import { makeQuestion } from "../quiz/quiz.js";
import { goBack, makeJump } from "./choosing.js";
import { say } from "../writing/language.js";

const MOST_USERS = 3;
/** By what a step is drawn as, which is declared with its operation.  @type {Record<string, (page: Page, place: Place) => Element>} */
const PICTURES = { product: drawProduct, sum: drawSum, softmax: drawShares, norm: drawNorm };

/** @param {Page} page */
export function startPanel(page) {
  const { engine, panel, root, state } = page;
  const line = make("p.line", { role: "status" });
  const before = make("p.before");
  const print = make("p.print");
  const ways = make("div.trail");
  const reads = make("div.reads");
  const users = make("div.users");
  /** @type {HTMLElement[]} */
  let marked = [];
  const question = makeQuestion(page);
  const pin = makePin(page);
  panel.append(ways, line, before, print, reads, users, pin);
  document.body.append(panel);

  /** @param {HTMLElement | null} element @param {string} kind */
  function mark(element, kind) {
    if (!element) return;
    element.dataset.mark = kind;
    marked.push(element);
  }

  /** What the panel is about: what the pointer is at, or the number.  @param {Place} place */
  const aboutOf = (place) =>
    (state.pointed && page.map.matches(":hover") && find("[data-lit]:hover", page.map)) || page.cellAt(place);

  /** The panel lies beside what has the focus, or what it is about. */
  function keepClear() {
    const place = state.pointed ?? state.chosen;
    const focused = document.activeElement;
    if (place) fit(page, focused && page.main.contains(focused) ? focused : aboutOf(place));
  }

  /** Shows the number that is pointed at, or chosen, in the panel and on the page; isMoved: another one than before. */
  function show(isMoved = true) {
    const place = state.pointed ?? state.chosen;
    for (const element of marked) delete element.dataset.mark;
    marked = [];
    panel.classList.toggle("empty", !place);
    root.classList.toggle("telling", Boolean(place));
    root.classList.toggle("held", Boolean(state.chosen));
    line.textContent = before.textContent = print.textContent = "";
    const asking = question();
    if (!asking.every((one) => one.isConnected)) line.after(...asking); // what is moved loses the focus
    if (!place) {
      reads.replaceChildren();
      users.replaceChildren();
      return isMoved ? fit(page) : undefined;
    }
    const from = engine.operands(...place);
    const to = engine.users(...place);
    for (const one of to) mark(page.cellAt(one), "user");
    for (const one of from) mark(page.cellAt(one), "operand");
    mark(page.cellAt(place), "chosen");
    mark(find(`.worked[data-c="${place[1]},${place[2]}"]`, page.sections[place[0]]), "said");
    write(line, page.lineAt(...place));
    before.textContent =
      engine.changed(place[0])[page.indexOf(place)] && !page.isCovered(place)
        ? say("it_was", { number: engine.firstText(...place) })
        : "";
    print.textContent = page.isCovered(place) ? "" : printOf(page, place);
    print.toggleAttribute("data-printed", Boolean(print.textContent));
    const { drawn } = page.steps[place[0]];
    const isDrawn = drawn && !engine.isStale(place[0]) && !page.isCovered(place);
    reads.replaceChildren(...(isDrawn ? [PICTURES[drawn.as](page, place)] : []));
    if (!find("[data-at]", reads)) reads.append(...makeOperandGrids(page, from)); // else they stand in the picture
    const isGlimpse = state.pointed && !samePlace(state.pointed, state.chosen); // a glance is no more than where it comes from
    users.replaceChildren(...(isGlimpse ? [] : makeUserLinks(page, to)));
    pin.hidden = Boolean(isGlimpse);
    showCrossing(reads);
    if (!isMoved) return; // what follows takes the layout of the page
    // A number in the room of the panel is not covered while it is only pointed at.
    const right = page.cellAt(place).getBoundingClientRect().right;
    panel.classList.toggle("under", !state.chosen && right > panel.getBoundingClientRect().left);
    fit(page, aboutOf(place));
  }

  state.subscribe(["chosen", "pointed", "showsPrints"], () => show());
  // Sections take their size only when they come to the screen, and a key scrolls after it has moved the focus.
  const sizes = new ResizeObserver(() => requestAnimationFrame(keepClear));
  sizes.observe(page.main);
  sizes.observe(panel);
  addEventListener("scroll", keepClear, { passive: true });
  const makeWay = (/** @type {Place} */ place, /** @type {number} */ at) =>
    button(page.nameOf(place), () => goBack(page, at), { tabindex: -1 });
  state.subscribe(["trail"], () => ways.replaceChildren(...state.trail.map(makeWay)));
  page.views.painted.subscribe(() => show(false));
}

/** Of a picture that is wider than the panel, the middle is what is spoken of.  @param {HTMLElement} reads */
function showCrossing(reads) {
  const box = find(".product", reads);
  const lit = find("[data-lit]:not([data-at])", reads);
  if (box && lit && box.scrollWidth > box.clientWidth) box.scrollLeft = lit.offsetLeft - box.clientWidth / 2;
}

/**
 * Operands side by side: those of one matrix are a strip, strips of one length are side by side.
 * @param {Page} page @param {Place[]} places
 */
function makeOperandGrids(page, places) {
  const strips = group(places, ([k]) => k);
  return group(strips, (strip) => strip.length).map((several) => {
    const [first] = several;
    const grid = make("div.strips", { style: `--n:${first.length + 1}` });
    if (first.length > 1) grid.append(make("span"), ...labelsAlong(page, first).map((label) => make("i", {}, label)));
    for (const strip of several) {
      const name = first.length > 1 ? stripName(page, strip) : page.nameOf(strip[0]);
      grid.append(make("b", {}, name), ...strip.map((place) => makeJump(page, place, page.engine.text(...place))));
    }
    return grid;
  });
}

const isFixed = (/** @type {Place[]} */ strip, /** @type {1 | 2} */ at) =>
  strip.every((place) => place[at] === strip[0][at]);

/** @param {Page} page @param {Place[]} strip */
function labelsAlong({ steps }, strip) {
  const { rowLabels, columnLabels } = steps[strip[0][0]];
  return strip.map(([, row, column]) => (isFixed(strip, 1) ? columnLabels[column] : rowLabels[row]));
}

/** @param {Page} page @param {Place[]} strip */
function stripName({ steps }, strip) {
  const [k, row, column] = strip[0];
  const { rows, columns, rowLabels, columnLabels, symbol } = steps[k];
  if (isFixed(strip, 1) && rows > 1) return say("row_of", { symbol, label: rowLabels[row] });
  return isFixed(strip, 2) && columns > 1 ? say("column_of", { symbol, label: columnLabels[column] }) : symbol;
}

/** @param {Page} page @param {Place[]} places */
function makeUserLinks(page, places) {
  const most = places.length === MOST_USERS + 1 ? places.length : MOST_USERS; // one more is no more than its line
  const found = places.slice(0, most).map((place) => makeJump(page, place, undefined, page.textAt(...place)));
  const more = places.length - found.length;
  if (places.length) found.unshift(make("h2", {}, say("used_by")));
  if (more > 0) found.push(make("span", {}, say("and_more", { count: more })));
  return found;
}
