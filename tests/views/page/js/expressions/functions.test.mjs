// What the signs and names of expressions calculate.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  MANY,
  erf,
  largest,
  preciseSum,
  roundEven,
} from "../../../../../walkthrough/views/page/js/expressions/functions.js";

test("the largest number is NaN where one is", () => {
  assert.equal(largest([1, 3, 2]), 3);
  assert.ok(Number.isNaN(largest([1, NaN, 2])));
  assert.equal(largest([-Infinity]), -Infinity);
});

test("the first of several largest numbers is taken", () => {
  assert.equal(MANY.argmax([10, 1, 11, 5, 12, 5]), 11);
});

test("a sum loses nothing on the way", () => {
  assert.equal(preciseSum([1e16, 1, -1e16]), 1);
  assert.equal(preciseSum([1, Infinity]), Infinity);
});

test("the error function is that of the tables", () => {
  for (const [x, wanted] of [
    [0, 0],
    [0.5, 0.5204998778130465],
    [-1, -0.8427007929497149],
    [2.5, 0.999593047982555],
    [7, 1],
  ])
    assert.ok(Math.abs(erf(x) - wanted) < 1e-15, x);
});

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
