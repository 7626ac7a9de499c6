// The error function.
import assert from "node:assert/strict";
import { test } from "node:test";
import { erf } from "../../../../../walkthrough/views/page/js/expressions/erf.js";

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
