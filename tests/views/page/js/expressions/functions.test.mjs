// What the signs and names of expressions calculate.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MANY, largest, preciseSum } from "../../../../../walkthrough/views/page/js/expressions/functions.js";

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
