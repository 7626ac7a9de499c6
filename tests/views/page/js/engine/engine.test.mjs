// The engine: what follows from a change, in which arithmetic, and what it cannot follow.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeApi } from "../../../../../walkthrough/views/page/js/engine/api.js";
import { Engine } from "../../../../../walkthrough/views/page/js/engine/engine.js";
import { MOST, W, X, Y, changed, sample } from "../sample.mjs";

const numbers = (engine, k) => Array.from(engine.numbers(k));

test("it starts from the recorded numbers, whatever they are", () => {
  assert.deepEqual(numbers(new Engine(changed(Y, { numbers: [9, 9, 9, 9] })), Y), [9, 9, 9, 9]);
});

test("a change is followed by what depends on it, and taken back with the first numbers", () => {
  const engine = new Engine(sample());
  const told = [];
  engine.changing.subscribe((steps) => told.push(steps));
  engine.set(X, 0, 0, 3);
  assert.deepEqual(numbers(engine, Y), [2, 2, 2.5, 4]);
  assert.deepEqual(numbers(engine, MOST), [2, 4]);
  assert.deepEqual(engine.changed(Y), [true, false, false, false]);
  assert.deepEqual(engine.changes(), ["layer.1.x[hot, 1]=3"]);
  engine.reset();
  engine.reset();
  assert.deepEqual(numbers(engine, Y), [1, 2, 2.5, 4]);
  assert.deepEqual(engine.changes(), []);
  assert.deepEqual(told, [
    [X, Y, MOST],
    [X, Y, MOST],
  ]);
});

test("the number that stands there is no change", () => {
  const engine = new Engine(sample());
  engine.set(X, 0, 0, 3);
  engine.set(X, 0, 0, 1);
  assert.deepEqual(engine.changes(), []);
});

test("parts of one matrix of the scenario change together", () => {
  const data = changed(X, { matrix: { id: X, row: 0, column: 0 } });
  data.steps[W].matrix = { id: X, row: 1, column: 0 };
  const engine = new Engine(data);
  engine.set(W, 0, 1, 7);
  assert.deepEqual(numbers(engine, X), [1, 2, 3, 7]);
  assert.deepEqual(engine.changes(), ["layer.1.weights[1, 2]=7"]);
});

test("what cannot be changed is an error, and changes nothing", () => {
  const engine = new Engine(changed(W, { isEditable: false }));
  assert.throws(() => engine.set(Y, 0, 0, 1), /layer.1.product\[hot, 1\] cannot be changed: it is calculated/);
  assert.throws(() => engine.set(W, 0, 0, 1), /cannot be changed: it decides what is calculated/);
  assert.throws(() => engine.set(X, 2, 0, 1), /2 rows and 2 columns, counted from 0: no cell 2, 0/);
  assert.throws(() => engine.set(X, 0, 0, NaN), /expected a finite number/);
  assert.deepEqual(engine.changes(), []);
});

test("by hand every step is rounded, and the changes stay", () => {
  const engine = new Engine(changed(W, { numbers: [1 / 3, 0, 0.25, 1], isRounded: true }));
  engine.set(X, 0, 0, 1.005);
  engine.arithmetic("by hand", 1);
  assert.deepEqual(numbers(engine, W), [0.3, 0, 0.3, 1]);
  assert.deepEqual(numbers(engine, Y), [0.9, 2, 2.1, 4]);
  assert.deepEqual(engine.mode(), { mode: "by hand", decimals: 1, isAsked: true });
  assert.deepEqual(engine.changes(), ["layer.1.x[hot, 1]=1.005"]);
  assert.throws(() => engine.arithmetic("by hand", 16), /from 0 to 15/);
  assert.throws(() => engine.arithmetic("roughly"), /expected "exact" or "by hand"/);
});

test("by hand it says how far each step has drifted, and changes nothing", () => {
  const engine = new Engine(changed(W, { numbers: [1 / 3, 0, 0.25, 1], isRounded: true }));
  engine.arithmetic("by hand", 1);
  const before = numbers(engine, Y);
  const drift = engine.drift();
  assert.deepEqual(drift[X], null);
  assert.equal(drift[W].at, 2);
  assert.ok(Math.abs(drift[W].most - 0.05) < 1e-12);
  assert.deepEqual(numbers(engine, Y), before);
  assert.equal(engine.mode().mode, "by hand");
});

test("where a step is there only while a size is kept, a change may make it stale, and its numbers stay", () => {
  const engine = new Engine(changed(Y, { bound: { size: 100, isKept: true } }));
  engine.set(X, 0, 0, 500);
  assert.equal(engine.isStale(Y), true);
  assert.equal(engine.isStale(MOST), true);
  assert.deepEqual(numbers(engine, Y), [1, 2, 2.5, 4]);
  engine.reset();
  assert.equal(engine.isStale(MOST), false);
});

test("where another word would be picked, what it has decided is stale", () => {
  const data = sample();
  data.steps.push({ ...data.steps[MOST], path: "next.most", chosenBy: MOST });
  const engine = new Engine(data);
  const last = data.steps.length - 1;
  engine.set(X, 0, 0, 9);
  assert.equal(engine.isStale(last), false);
  engine.set(X, 1, 1, 9);
  assert.equal(engine.isStale(last), true);
  assert.deepEqual(engine.changes().length, 2);
});

test("an unknown number is null for programs until somebody gives it", () => {
  const engine = new Engine(changed(X, { numbers: [null, 2, 3, 4] }));
  const api = makeApi(engine);
  assert.deepEqual(api.values("layer.1.x"), [
    [null, 2],
    [3, 4],
  ]);
  assert.equal(engine.text(X, 0, 0), "?");
  api.set("layer.1.x", 0, 0, 1);
  assert.deepEqual(api.values("layer.1.x"), [
    [1, 2],
    [3, 4],
  ]);
  assert.throws(() => api.values("y"), /no step is called 'y'/);
  assert.deepEqual(api.paths, ["layer.1.x", "layer.1.weights", "layer.1.product", "layer.1.most"]);
});

test("numbers are shown alike within a step, and worked out in as few digits as give them", () => {
  const engine = new Engine(sample());
  assert.equal(engine.text(X, 0, 0), "1");
  assert.equal(engine.text(Y, 1, 0), "2.500");
  assert.equal(engine.line(Y, 1, 0), "Y[tea, 1] = 3×0.5 + 4×0.25 = 2.500");
  assert.equal(engine.line(MOST, 0, 0), "m[hot] = max(1, 2) = 2");
  assert.equal(engine.line(X, 0, 1), "X[hot, 2] = 2");
});

test("the operands of a number are those that read it back", () => {
  const engine = new Engine(sample());
  assert.deepEqual(engine.operands(Y, 1, 0), [
    [X, 1, 0],
    [W, 0, 0],
    [X, 1, 1],
    [W, 1, 0],
  ]);
  assert.deepEqual(engine.operands(X, 0, 0), []);
  assert.deepEqual(engine.users(W, 1, 0), [
    [Y, 0, 0],
    [Y, 1, 0],
  ]);
  assert.deepEqual(engine.users(Y, 1, 1), [[MOST, 1, 0]]);
});

test("operands that share a symbol are numbered; an index goes on", () => {
  const copied = { expressions: [["@", 1, [0, 1], [0, 0, 1]]] };
  for (const [symbol, name] of [
    ["K", "K_2"],
    ["K_R", "K_R2"],
  ]) {
    const data = sample(copied);
    data.steps.length = 3;
    for (const step of data.steps.slice(0, 2)) step.symbol = symbol;
    assert.equal(new Engine(data).line(Y, 0, 1), `Y[hot, 2] = ${name}[1, 2] = 2.000`);
  }
});

test("by hand a matrix of more numbers than a function takes arguments is shown as any other", () => {
  const numbers = Array.from({ length: 200_000 }, (_, at) => at % 2 || 0.125);
  const engine = new Engine(changed(X, { shape: [1, numbers.length], rowLabels: undefined, numbers }));
  engine.arithmetic("by hand");
  assert.deepEqual([engine.text(X, 0, 0), engine.text(X, 0, 1)], ["0.125", "1.000"]);
});
