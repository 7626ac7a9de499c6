// A step as large as the room allows, operands beside it where its digits stay legible.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseLayout, MATRIX_GAP } from "../../../../../walkthrough/views/page/js/lecture/layout.js";

const matrix = (wide, high) => ({ wide, high });
const screen = matrix(1900, 1000);

test("alone, a matrix fills the room one way", () => {
  assert.deepEqual(chooseLayout(matrix(10, 10), [], screen, 40), { way: "alone", ratio: 1, size: 100 });
  assert.equal(chooseLayout(matrix(100, 10), [], screen, 40).size, 19);
});

test("operands stand where they cost the least", () => {
  const tall = matrix(5, 12);
  assert.equal(chooseLayout(tall, [tall, tall], screen, 40).way, "row");
  const flat = matrix(20, 3);
  assert.equal(chooseLayout(flat, [flat, flat], matrix(800, 1600), 20).way, "above");
  assert.equal(chooseLayout(matrix(16, 12), [matrix(14, 5), matrix(14, 5)], screen, 40).way, "left");
});

test("operands are smaller where the step's digits would be too small, and left out where that does not help", () => {
  const large = matrix(30, 12);
  const { ratio, size } = chooseLayout(large, [large], screen, 40);
  assert.ok(ratio < 1 && size >= 40, `${ratio} ${size}`);
  assert.equal(chooseLayout(matrix(45, 20), [matrix(45, 20)], screen, 40).way, "alone");
});

test("what is chosen fits", () => {
  const [own, operand] = [matrix(12, 9), matrix(8, 9)];
  const { way, ratio, size } = chooseLayout(own, [operand], screen, 40);
  assert.equal(way, "row");
  assert.ok((own.wide + MATRIX_GAP + operand.wide * ratio) * size <= screen.wide + 1e-9);
  assert.ok(own.high * size <= screen.high + 1e-9);
});
