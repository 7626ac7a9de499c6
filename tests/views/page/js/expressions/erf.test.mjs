// The error function, which adds itself to the functions of expressions.
import assert from "node:assert/strict";
import { test } from "node:test";
import "../../../../../walkthrough/views/page/js/expressions/erf.js";
import { FUNCTIONS } from "../../../../../walkthrough/views/page/js/expressions/functions.js";

test("the error function is that of the tables", () => {
  for (const [x, wanted] of [
    [0, 0],
    [0.5, 0.5204998778130465],
    [-1, -0.8427007929497149],
    [2.5, 0.999593047982555],
    [7, 1],
  ])
    assert.ok(Math.abs(FUNCTIONS.erf(x) - wanted) < 1e-15, x);
});
