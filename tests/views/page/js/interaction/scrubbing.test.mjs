// How far a dragged number goes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { movedBy, unitPower } from "../../../../../walkthrough/views/page/js/interaction/scrubbing.js";

test("a unit is a hundredth of the first digit of the largest number, and 0.01 for zeros", () => {
  for (const [numbers, power] of /** @type {[number[], number][]} */ ([
    [[0.5, -2], -2],
    [[0.5], -3],
    [[99.9, 0], -1],
    [[1000, NaN, -Infinity], 1],
    [[0, 0], -2],
    [[0.000123], -6],
  ]))
    assert.equal(unitPower(numbers), power, String(numbers));
});

test("a number is rounded to whole units", () => {
  assert.equal(movedBy(0.333, 0, -2), 0.33);
  assert.equal(movedBy(0.1, 20, -2), 0.3);
  assert.equal(movedBy(0.02, -2, -2), 0);
  assert.equal(movedBy(-1.005, -1, -1), -1.1);
  assert.equal(movedBy(123, 3, 1), 150);
});
