// Worked lines.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cancels,
  clean,
  lineNumber,
  lineWriter,
  longestSum,
  makeChoices,
  readBack,
  shorten,
} from "../../../../../walkthrough/views/page/js/writing/lines.js";
import { sample } from "../sample.mjs";

const cell = (operand, row, column) => [[1, -2, 3]][row][column] * (operand ? -1 : 1);
const at = (column, operand = 0) => ["@", operand, 0, column];
const write = lineWriter(
  sample().rules,
  ([, operand, row, column]) => lineNumber(cell(operand, row, column), 3),
  String,
  (id) => "w" + id,
);

test("a negative number stands in brackets where its minus could be read as another", () => {
  assert.equal(write(["+", ["*", at(0), at(1)], ["*", at(1), at(2)]]), "1×(−2) − 2×3");
  assert.equal(write(["*", ["+", at(0), at(1)], at(2)]), "(1 − 2)×3");
});

test("an arg-max says what its numbers belong to", () => {
  assert.equal(write(["argmax", 0, at(0), 1, at(2)]), "argmax(w0: 1, w1: 3)");
});

test("every choice is made", () => {
  assert.deepEqual(makeChoices(["?", at(0), at(1), at(2)], cell), at(1));
  assert.deepEqual(makeChoices(["max", ["abs", at(0)], ["abs", at(2, 1)]], cell), ["neg", at(2, 1)]);
});

test("of a long sum the smaller terms are one number", () => {
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const rests = [];
  const short = shorten(["+", ...numbers], cell, rests);
  assert.deepEqual(short.slice(0, -1), ["+", 3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(short.at(-1), ["noted", ["@", -1, 0, 0], " [2 smaller terms]"]);
  assert.deepEqual(rests, [3]);
});

test("what rounding has left of a 0 is 0", () => {
  const sum = ["+", 1e16, 1, -1e16];
  assert.equal(cancels(["-", 0.3, 0.1 + 0.2], 0.3 - (0.1 + 0.2), cell), true);
  assert.equal(cancels(["-", 0.3, 0.2], 0.1, cell), false);
  assert.equal(clean(["*", ["-", 0.3, 0.1 + 0.2], 5], cell), 0);
  assert.equal(longestSum(sum), 3);
  assert.equal(longestSum(["+", ["…", 4, at(0), at(1)], 1]), 9);
});

test("a number is read back as it is written", () => {
  for (const x of [0.5, -2, 1.25e-9, -Infinity]) assert.equal(readBack(x, 3), x);
  assert.equal(lineNumber(1.25e-9, 3), "1.25×10^(−9)");
});
