// Axes have three labels or more, of round numbers that hold all that is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { linearTicks, logTicks, stepTicks } from "../../../../../walkthrough/views/page/js/pictures/curve.js";

const RANGES = [
  [0, 1.179],
  [0, 0.001],
  [0, 0],
  [2, 2],
  [0.9, 1.1],
  [0, 12345],
  [-3, 4],
];

test("both ends lie within the labels, of which there are three at least and a dozen at most", () => {
  for (const [low, high] of RANGES) {
    const positive = low > 0 ? [logTicks(low, high)] : [];
    for (const ticks of [linearTicks(low, high), ...positive]) {
      assert.ok(ticks.length >= 3 && ticks.length <= 12, `${low} ${high}: ${ticks}`);
      assert.ok(ticks[0] <= low && ticks[ticks.length - 1] >= high, `${low} ${high}: ${ticks}`);
    }
  }
});

test("labels are round", () => {
  assert.deepEqual(linearTicks(0, 1.179), [0, 0.2, 0.4, 0.6, 0.8, 1, 1.2]);
  assert.deepEqual(logTicks(0.0012, 1.179), [0.001, 0.01, 0.1, 1, 10]);
  assert.deepEqual(logTicks(1.5, 4), [1, 2, 5]);
});

test("steps are whole, from the first on", () => {
  assert.deepEqual(stepTicks(301), [1, 50, 100, 150, 200, 250, 300]);
  assert.deepEqual(stepTicks(3), [1, 2, 3]);
  assert.deepEqual(stepTicks(12), [1, 2, 4, 6, 8, 10, 12]);
});
