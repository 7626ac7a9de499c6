// The loss of a training, drawn over its steps, with its axes; the last point is the loss after the last update.
import { largest, smallest } from "../expressions/functions.js";
import { draw } from "../face/dom.js";
import { localize, say } from "../writing/language.js";
import { power10 } from "../writing/numbers.js";

/** As many labels as fit, and as few as there have to be. */
const [MOST_TICKS, FEWEST_TICKS] = [6, 3];

/** Round numbers from one not above low to one not below high.  @param {number} low @param {number} high */
export function linearTicks(low, high) {
  const rough = (high - low || Math.abs(high) || 1) / MOST_TICKS;
  const unit = power10(Math.floor(Math.log10(rough)));
  const step = unit * ([1, 2, 5].find((factor) => unit * factor >= rough) ?? 10);
  const first = Math.floor(low / step);
  const count = Math.max(Math.ceil(high / step) - first, FEWEST_TICKS - 1);
  return Array.from({ length: count + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

/**
 * Powers of ten around positive numbers; where these are few, 2 and 5 too.
 * @param {number} low @param {number} high
 */
export function logTicks(low, high) {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const powers = Array.from({ length: Math.max(last - first, 1) + 1 }, (_, at) => first + at);
  const factors = powers.length < FEWEST_TICKS + 1 ? [1, 2, 5] : [1];
  const all = powers.flatMap((power) => factors.map((factor) => Number(`${factor}e${power}`)));
  const from = all.filter((tick) => tick <= low).length - 1;
  const to = all.findIndex((tick) => tick >= high);
  const every = Math.ceil((to - from + 1) / (2 * MOST_TICKS));
  return all.slice(Math.max(from, 0), Math.max(to, from + FEWEST_TICKS - 1) + 1).filter((_, at) => at % every === 0);
}

/** Whole steps from 1 on; three of them where there are so many.  @param {number} last */
export function stepTicks(last) {
  const found = linearTicks(1, last).filter((tick) => tick >= 1 && tick <= last && Number.isInteger(tick));
  const round = found[0] === 1 ? found : [1, ...found];
  return round.length >= FEWEST_TICKS ? round : Array.from({ length: last }, (_, at) => at + 1);
}

/** @typedef {{ loss: number, text: string, about: Record<string, string> }} Loss  text: as it is shown; about: where it is from */

const [CURVE_WIDE, CURVE_HIGH] = [420, 90];
const [CURVE_LEFT, CURVE_BELOW, CURVE_ABOVE, CURVE_RIGHT] = [56, 40, 24, 64];
/** With more steps than these only the ends have dots. */
const MOST_DOTS = 60;

const shortly = (/** @type {number} */ x) => localize(String(Number(x.toPrecision(6))).replace("-", "−"));

/** @param {Loss[]} losses @param {number} cursor  the step that it is at, from 1 @param {boolean} isLog */
export function drawCurve(losses, cursor, isLog) {
  const all = losses.map((one, at) => ({ ...one, step: at + 1 }));
  const points = all.filter(({ loss }) => isFinite(loss) && (!isLog || loss > 0));
  const numbers = points.length ? points.map(({ loss }) => loss) : [1];
  const [low, high] = [smallest(numbers), largest(numbers)];
  const ticks = isLog ? logTicks(low, high) : linearTicks(Math.min(0, low), high);
  const scale = isLog ? Math.log10 : (/** @type {number} */ x) => x;
  const [from, to] = [scale(ticks[0]), scale(ticks[ticks.length - 1])];
  const x = (/** @type {number} */ step) => CURVE_LEFT + ((step - 1) / Math.max(losses.length - 1, 1)) * CURVE_WIDE;
  const y = (/** @type {number} */ loss) => CURVE_ABOVE + (1 - (scale(loss) - from) / (to - from || 1)) * CURVE_HIGH;
  const bottom = CURVE_ABOVE + CURVE_HIGH;
  const right = CURVE_LEFT + CURVE_WIDE;
  const middle = CURVE_LEFT + CURVE_WIDE / 2;
  const shapes = [
    ...ticks.flatMap((tick) => [
      draw("line", { class: "grid", x1: CURVE_LEFT, x2: right, y1: y(tick), y2: y(tick) }),
      draw("text", { class: "tick", x: CURVE_LEFT - 8, y: y(tick) + 4, "text-anchor": "end" }, shortly(tick)),
    ]),
    ...stepTicks(losses.length).flatMap((step) => [
      draw("line", { class: "axis", x1: x(step), x2: x(step), y1: bottom, y2: bottom + 5 }),
      draw("text", { class: "tick", x: x(step), y: bottom + 19, "text-anchor": "middle" }, String(step)),
    ]),
    draw("line", { class: "axis", x1: CURVE_LEFT, x2: right, y1: bottom, y2: bottom }),
    draw("text", { x: middle, y: bottom + 36, "text-anchor": "middle" }, say("training_step_axis")),
    draw("text", { x: right, y: 12, "text-anchor": "end" }, say("loss_axis")),
    draw("line", { class: "cursor", x1: x(cursor), x2: x(cursor), y1: CURVE_ABOVE, y2: bottom }),
    draw("path", { d: "M" + points.map(({ loss, step }) => `${x(step).toFixed(1)} ${y(loss).toFixed(1)}`).join("L") }),
  ];
  for (const { loss, step, text, about } of points) {
    const isEnd = step === 1 || step === losses.length;
    if (!isEnd && losses.length > MOST_DOTS && step !== cursor) continue;
    shapes.push(draw("circle", { cx: x(step), cy: y(loss), r: step === cursor ? 5 : 3, ...about }));
    if (isEnd) shapes.push(draw("text", { x: x(step) + 8, y: y(loss) - 7, ...about }, text));
  }
  const wide = right + CURVE_RIGHT;
  return draw("svg", { viewBox: `0 0 ${wide} ${bottom + CURVE_BELOW}`, width: wide, role: "img" }, ...shapes);
}
