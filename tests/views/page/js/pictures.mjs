// Draws what Python draws too: reads what from standard input, and says the paths.
import { readFileSync } from "node:fs";

const { modules, heats, ranges, last, arcs } = JSON.parse(readFileSync(0, "utf8"));
const { blockMeans, shadePaths } = await import(`${modules}/pictures/heat.js`);
const { linearTicks, stepTicks } = await import(`${modules}/pictures/curve.js`);
const { arcAbove, arcBetween } = await import(`${modules}/pictures/attention.js`);

const paths = heats.map(([numbers, rows, columns, kind]) => {
  const means = blockMeans(numbers, rows, columns);
  return Object.fromEntries(shadePaths(means.numbers, means.rows, means.columns, kind));
});
const drawn = {
  heats: paths,
  ticks: ranges.map(([low, high]) => linearTicks(low, high)),
  steps: last.map(stepTicks),
  arcs: arcs.map(([from, to, head, isOne]) => (isOne ? arcAbove : arcBetween)(from, to, head)),
};
process.stdout.write(JSON.stringify(drawn));
