// A norm: the numbers of a row on a line, as they go in and as they come out.
import { largest, smallest } from "../expressions/functions.js";
import { draw, make } from "../face/dom.js";
import { typesetSigns } from "../writing/numbers.js";
import { copyOf, numberOf } from "./copies.js";
import { say } from "../writing/language.js";

/** @typedef {(x: number) => number} Scale  where a number is on the lines */

const [LENGTH, ASIDE, HEIGHTS] = [320, 16, [36, 96]];

/** @param {Page} page @param {Place} place */
export function drawNorm(page, [k, row, column]) {
  const { steps } = page;
  const { line = [], mean, deviation } = steps[k].drawn ?? {};
  const middle = mean === undefined ? 0 : numberOf(page, [mean, row, 0]);
  const side = deviation === undefined ? 0 : numberOf(page, [deviation, row, 0]);
  const [before, after] = [line[0], line[line.length - 1]].map((one) =>
    Array.from({ length: steps[one].columns }, (_, j) => /** @type {Place} */ ([one, row, j])),
  );
  const numbers = [...before, ...after].map((at) => numberOf(page, at));
  const scale = scaleOf([...numbers, middle - side, middle + side, -1, 1]);
  const lines = [before, after].flatMap(([[one]], at) => [
    draw("line", { x1: 0, x2: LENGTH, y1: HEIGHTS[at], y2: HEIGHTS[at] }),
    draw("text", { y: HEIGHTS[at] - 16 }, ...drawSymbol(steps[one].symbol)),
  ]);
  const units = [-1, 0, 1].flatMap((x) => markAt(scale(x), HEIGHTS[1], 19, [typesetSigns(String(x))]));
  const chosen = line.includes(k) ? column : -1;
  const dots = before.flatMap((at, j) => drawWay(page, scale, at, after[j], j === chosen));
  const size = { viewBox: `0 0 ${LENGTH} ${HEIGHTS[1] + 24}`, role: "img", "aria-label": say("norm_picture") };
  const marks = drawMarks(page, scale, row, middle, side, mean);
  return make("div.drawn.norm", {}, draw("svg", size, ...lines, ...marks, ...units, ...dots));
}

/** @param {number[]} numbers @returns {Scale} */
function scaleOf(numbers) {
  const all = numbers.filter(isFinite);
  const low = smallest(all);
  const unit = (LENGTH - 2 * ASIDE) / (largest(all) - low);
  return (x) => +(ASIDE + (x - low) * unit).toFixed(2);
}

/** @param {number} x @param {number} y @param {number} below  the text @param {(string | Node)[]} text */
const markAt = (x, y, below, text, more = {}) => [
  draw("line", { x1: x, x2: x, y1: y - 7, y2: y + 7, ...more }),
  draw("text", { x, y: y + below, "text-anchor": "middle" }, ...text),
];

/** A symbol with its index, and what is behind it.  @param {string} symbol */
function drawSymbol(symbol, behind = "") {
  const [name, index = ""] = symbol.split("_");
  return [name, draw("tspan", { dy: 3, "font-size": "0.8em" }, index), draw("tspan", { dy: -3 }, behind)];
}

/**
 * The mean of the row, and one deviation to either side; where no mean is taken away, around 0.
 * @param {Page} page @param {Scale} scale @param {number} row @param {number} middle @param {number} side
 * @param {number | undefined} mean
 */
function drawMarks(page, scale, row, middle, side, mean) {
  if (!isFinite(middle) || !(side > 0)) return [];
  const [left, right] = [scale(middle - side), scale(middle + side)];
  const box = draw("rect", { x: left, y: HEIGHTS[0] - 7, width: +(right - left).toFixed(2), height: 14 });
  if (mean === undefined) return [box, ...markAt(scale(0), HEIGHTS[0], -11, ["0"])];
  const said = drawSymbol(page.steps[mean].symbol, ` ${page.textAt(mean, row, 0)}`);
  return [box, ...markAt(scale(middle), HEIGHTS[0], -11, said, copyOf(page, [mean, row, 0]))];
}

/** A number before and after.  @param {Page} page @param {Scale} scale @param {Place} from @param {Place} to @param {boolean} isChosen */
function drawWay(page, scale, from, to, isChosen) {
  const ends = [from, to].map((at) => scale(numberOf(page, at)));
  if (!ends.every(isFinite)) return [];
  /** @type {Record<string, string>} */
  const lit = isChosen ? { "data-lit": "" } : {};
  const dots = [from, to].map((at, end) => {
    const said = draw("title", {}, `${page.nameOf(at)} = ${page.textAt(...at)}`);
    return draw("circle", { cx: ends[end], cy: HEIGHTS[end], r: 4.5, ...copyOf(page, at), ...lit }, said);
  });
  return [draw("line", { class: "way", x1: ends[0], x2: ends[1], y1: HEIGHTS[0], y2: HEIGHTS[1], ...lit }), ...dots];
}
