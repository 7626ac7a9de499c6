// CELL=NUMBER is read as `--set` reads it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../../../../../walkthrough/views/page/js/engine/model.js";
import { readChange } from "../../../../../walkthrough/views/page/js/engine/selectors.js";
import { MOST, W, X, sample } from "../sample.mjs";

const model = new Model(sample());

test("a cell is named by a path, an alias or words of one", () => {
  for (const [item, wanted] of [
    ["layer.1.x[hot, 1]=0.5", [X, 0, 0, 0.5]],
    ["w_all[1,2] = −1e-1", [W, 0, 1, -0.1]],
    ["layer.w[2, 1]=1_000", [W, 1, 0, 1000]],
    ["row[tea]=3", [MOST, 1, 0, 3]],
  ])
    assert.deepEqual(readChange(model, item), wanted);
});

test("what cannot be read says why", () => {
  for (const [item, fault] of [
    ["x", "'x' is not a change; write CELL=NUMBER, such as 'embeddings[chai, 1]=0.5'"],
    ["x[hot, 1]=inf", "'x[hot, 1]=inf': expected a finite number"],
    ["y[hot, 1]=1", "no step is called 'y'"],
    ["layer[hot, 1]=1", "'layer' matches 4 steps: layer.1.x, …"],
    ["x[cold, 1]=1", "layer.1.x has no cell [cold, 1]"],
  ])
    assert.throws(() => readChange(model, item), { message: fault });
});
