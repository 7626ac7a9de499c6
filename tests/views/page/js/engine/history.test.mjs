// Edits taken back, and made again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine } from "../../../../../walkthrough/views/page/js/engine/engine.js";
import { W, X, sample } from "../sample.mjs";

const engineWith = () => new Engine(sample());

test("edits are taken back one by one, and made again", () => {
  const engine = engineWith();
  const first = [...engine.numbers(2)];
  engine.set(X, 0, 0, 7);
  const once = [...engine.numbers(2)];
  engine.set(W, 0, 0, 8);
  const twice = engine.changes();
  assert.equal(engine.undo(), true);
  assert.deepEqual([...engine.numbers(2)], once);
  assert.equal(engine.undo(), true);
  assert.deepEqual([...engine.numbers(2)], first);
  assert.equal(engine.undo(), false);
  assert.equal(engine.redo(), true);
  assert.equal(engine.redo(), true);
  assert.deepEqual(engine.changes(), twice);
  assert.equal(engine.redo(), false);
});

test("a reset is one edit, one that changes nothing is none, and a new edit ends what could be made again", () => {
  const engine = engineWith();
  engine.reset();
  assert.equal(engine.undo(), false);
  engine.set(X, 0, 0, 7);
  engine.set(X, 0, 0, 7);
  engine.reset();
  assert.deepEqual(engine.changes(), []);
  engine.undo();
  assert.equal(engine.changes().length, 1);
  engine.set(W, 0, 0, 3);
  assert.equal(engine.redo(), false);
  engine.undo();
  engine.undo();
  assert.equal(engine.undo(), false);
});

test("what goes on with an edit is one with it", () => {
  const engine = engineWith();
  engine.set(X, 0, 0, 7);
  engine.set(X, 0, 0, 8, true);
  engine.set(X, 0, 0, 9, true);
  engine.undo();
  assert.deepEqual(engine.changes(), []);
  engine.asOneEdit(() => {
    engine.set(X, 0, 0, 7);
    engine.set(W, 0, 0, 8);
  });
  engine.undo();
  assert.deepEqual(engine.changes(), []);
});

test("what breaks off within an edit is one edit, and the next ones are noted", () => {
  const engine = engineWith();
  const fails = () =>
    engine.asOneEdit(() => {
      engine.set(X, 0, 0, 7);
      throw new Error("no such cell");
    });
  assert.throws(fails, /no such cell/);
  engine.set(W, 0, 0, 8);
  assert.deepEqual([engine.undo(), engine.undo(), engine.undo()], [true, true, false]);
});

test("edits are taken back in another arithmetic too", () => {
  const engine = engineWith();
  engine.set(X, 0, 0, 7);
  engine.arithmetic("by hand", 1);
  assert.equal(engine.undo(), true);
  assert.deepEqual(engine.changes(), []);
});
