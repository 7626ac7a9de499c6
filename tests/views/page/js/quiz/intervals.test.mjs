// Which numbers a cell may come out as.
import assert from "node:assert/strict";
import { test } from "node:test";
import { reachOf } from "../../../../../walkthrough/views/page/js/quiz/intervals.js";

const near = (x) => [x - 0.5, x + 0.5];
const as = (x) => x;

test("an expression may read more cells than a function takes arguments", () => {
  const cells = Array.from({ length: 200_000 }, (_, at) => ["@", 0, 0, at]);
  const cell = (_, __, column) => near(column);
  assert.deepEqual(reachOf(["max", ...cells], cell, as), [199_998.5, 199_999.5]);
  assert.deepEqual(reachOf(["+", ...cells.slice(0, 3)], cell, as), [1.5, 4.5]);
  assert.deepEqual(
    reachOf(["argmax", ...cells.flatMap((one, at) => [at, one])], () => [0, 1], as),
    [0, 199_999],
  );
});
