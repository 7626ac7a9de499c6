// The axes of a curve: which numbers have labels, and where each number is.
// @ts-check

/** As many labels as fit, and as few as there have to be. */
const [MOST_TICKS, FEWEST_TICKS] = [6, 3];

/**
 * Round numbers from one that is not above low to one that is not below high.
 * @param {number} low @param {number} high
 */
export function linearTicks(low, high) {
  const rough = (high - low || Math.abs(high) || 1) / MOST_TICKS;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5].find((factor) => unit * factor >= rough) ?? 10);
  const first = Math.floor(low / step);
  const count = Math.max(Math.ceil(high / step) - first, FEWEST_TICKS - 1);
  return Array.from({ length: count + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

/**
 * Powers of ten around positive numbers, with 2 and 5 between where these are few.
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

/**
 * Whole steps from 1 on; three of them where there are so many.
 * @param {number} last
 */
export function stepTicks(last) {
  const found = linearTicks(1, last).filter((tick) => tick >= 1 && tick <= last && Number.isInteger(tick));
  const round = found[0] === 1 ? found : [1, ...found];
  return round.length >= FEWEST_TICKS ? round : Array.from({ length: last }, (_, at) => at + 1);
}
