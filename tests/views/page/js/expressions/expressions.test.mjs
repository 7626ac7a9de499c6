// Folded expressions, unfolded and as functions.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cellsOf,
  evaluate,
  readExpression,
  unfold,
} from "../../../../../walkthrough/views/page/js/expressions/expressions.js";
import { compile } from "../../../../../walkthrough/views/page/js/expressions/kernels.js";

const dot = ["+", ["…", 3, ["*", ["@", 0, [0, 1], [0, 0, 0, 1]], ["@", 1, [0, 0, 0, 1], [0, 0, 1]]]]];
const a = [
  [1, 2, 3],
  [4, 5, 6],
];
const b = [
  [1, 0],
  [0, 2],
  [1, 1],
];

test("a cell's expression has the addresses of its operands", () => {
  const wanted = ["+", ...[0, 1, 2].map((k) => ["*", ["@", 0, 1, k], ["@", 1, k, 0]])];
  assert.deepEqual(unfold(dot, [1, 1, 0]), wanted);
});

test("a run may stand in a run, and a number may be an address itself", () => {
  const nested = ["+", ["…", 2, ["…", 2, ["@", 0, [0, 0, 0, 1], [0, 0, 0, 0, 1]]]], ["~", [5, 2]]];
  const cells = [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ].map(([i, j]) => ["@", 0, i, j]);
  assert.deepEqual(unfold(nested, [1, 3, 0]), ["+", ...cells, 11]);
  const at = { row: 3, column: 0, runs: [], arrays: [Float64Array.of(1, 2, 3, 4)], widths: [2] };
  assert.equal(compile(nested)(at), 1 + 2 + 3 + 4 + 11);
});

test("as a function it gives what the unfolded expression gives", () => {
  const arrays = [a, b].map((rows) => Float64Array.from(rows.flat()));
  const kernel = compile(dot);
  for (const row of [0, 1])
    for (const column of [0, 1]) {
      const found = kernel({ row, column, runs: [], arrays, widths: [3, 2] });
      assert.equal(
        found,
        evaluate(unfold(dot, [1, row, column]), (operand, i, j) => [a, b][operand][i][j]),
      );
    }
});

test("only the branch that is chosen is calculated", () => {
  const where = ["?", ["@", 0, 0, 0], 1, ["inf"]];
  for (const [mask, wanted] of [
    [1, 1],
    [0, Infinity],
  ]) {
    assert.equal(
      evaluate(readExpression(where), () => mask),
      wanted,
    );
    assert.equal(
      compile(readExpression(where))({ row: 0, column: 0, runs: [], arrays: [[mask]], widths: [1] }),
      wanted,
    );
  }
});

test("what decides comes after what it decides between", () => {
  const cells = cellsOf(["?", ["@", 1, 0, 0], ["@", 0, 0, 0], ["@", 0, 0, 0]]);
  assert.deepEqual([...cells.keys()], ["@,0,0,0", "@,1,0,0"]);
});
