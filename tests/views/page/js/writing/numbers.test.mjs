// Numbers are written as Python writes them.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allDigits,
  digitsText,
  roundNumber,
  writeScientific,
  writeShortest,
  typeset,
  dropLastBits,
  writeNumber,
} from "../../../../../walkthrough/views/page/js/writing/numbers.js";

test("halves are rounded away from zero, as people see the number", () => {
  assert.equal(roundNumber(0.525, 2), 0.53);
  assert.equal(roundNumber(-2.5, 0), -3);
  assert.equal(roundNumber(1234, -2), 1200);
  assert.equal(roundNumber(Infinity, 2), Infinity);
  assert.ok(Object.is(roundNumber(-0, 2), 0));
});

test("what a calculation left next to a half counts as one", () => {
  assert.equal(0.35 * 1.5 < 0.525, true);
  assert.equal(roundNumber(0.35 * 1.5, 2), 0.53);
  assert.equal(roundNumber(0.0964999999999997, 3), 0.097);
});

test("a number has the decimals that are wanted", () => {
  assert.equal(writeNumber(-0.2494, 3), "-0.249");
  assert.equal(writeNumber(-0.0001, 3), "0.000");
  assert.equal(writeNumber(2, 0), "2");
  assert.equal(writeNumber(NaN, 3), "?");
  assert.equal(writeNumber(-Infinity, 3), "-inf");
  assert.equal(writeNumber(1.25e9, 3), "1.250e+09");
  assert.equal(writeScientific(9.996e-5, 2), "1.00e-04");
});

test("zeros at the end that say nothing are left out", () => {
  assert.equal(writeShortest(1, 3), "1");
  assert.equal(writeShortest(0.5, 3), "0.5");
  assert.equal(writeShortest(1 / 3, 3), "0.333");
});

test("in a formula a number has a true minus sign and a power of ten", () => {
  assert.equal(typeset("-0.5"), "−0.5");
  assert.equal(typeset("1.250e-04"), "1.250×10^(−4)");
  assert.equal(typeset("-inf"), "−∞");
});

test("the last bits of a sum go, its own digits stay", () => {
  assert.equal(dropLastBits(0.1 + 0.2, 1), 0.3);
  assert.equal(dropLastBits(0.3671654011109255, 1), 0.3671654011109255);
  assert.equal(dropLastBits(0.30000000000001, 1), 0.30000000000001);
  assert.equal(dropLastBits(0.30000000000001, 20), 0.3);
});

test("all digits of a number are those of Python", () => {
  for (const [x, text] of [
    [0.1, "0.1"],
    [1e16, "1e+16"],
    [1e15, "1000000000000000"],
    [-0, "-0"],
    [1.5e-7, "1.5e-07"],
    [NaN, "nan"],
  ])
    assert.equal(allDigits(x), text);
});

test("significant digits", () => {
  assert.equal(digitsText(9.996, { count: 3, significant: true }), "10.0");
  assert.equal(digitsText(0.012345, { count: 2, significant: true }), "0.012");
  assert.equal(digitsText(31.84, { count: 1, significant: false }), "31.8");
});
