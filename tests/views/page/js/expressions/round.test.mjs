import assert from "node:assert/strict";
import { test } from "node:test";
import { roundEven } from "../../../../../walkthrough/views/page/js/expressions/round.js";

test("a half goes to the even one of its neighbours, on both sides of zero", () => {
  const halves = [-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 63.5, 126.5];
  assert.deepEqual(halves.map(roundEven), [-4, -2, -2, 0, 0, 2, 2, 64, 126]);
  assert.equal(roundEven(0.635 / 0.01), 64);
  assert.equal(roundEven(0.1 / (0.6 / 3)), 0);
});

test("anything else goes to the nearest, and never to −0", () => {
  const numbers = [-1.51, -0.49999, 0.49999, 0.50001, 2.499999, 7];
  assert.deepEqual(numbers.map(roundEven), [-2, 0, 0, 1, 2, 7]);
  assert.deepEqual([Infinity, NaN].map(roundEven), [Infinity, NaN]);
});
