// What the face of a page works out without a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine } from "../../../../../walkthrough/views/page/js/engine/engine.js";
import { commandOf, quote } from "../../../../../walkthrough/views/page/js/bar/changes.js";
import { readTyped } from "../../../../../walkthrough/views/page/js/interaction/editing.js";
import { linkOf } from "../../../../../walkthrough/views/page/js/map/rail.js";
import { group, samePlace, within } from "../../../../../walkthrough/views/page/js/face/page.js";
import { shadeOf } from "../../../../../walkthrough/views/page/js/pictures/heat.js";
import { W, X, changed } from "../sample.mjs";

test("the command calculates what the page shows, without changes of what only the page takes as given", () => {
  const engine = new Engine(changed(W, { isAsGiven: true }));
  engine.set(X, 0, 0, 2);
  engine.set(W, 0, 0, 2);
  engine.arithmetic("by hand", 2);
  assert.equal(
    commandOf(engine, "walkthrough run x"),
    "walkthrough run x --set 'layer.1.x[hot, 1]=2' --by-hand --decimals 2",
  );
});

test("a word of a command line is quoted where it must be", () => {
  assert.equal(quote("a/b-1.yaml"), "a/b-1.yaml");
  assert.equal(quote("it's"), "'it'\\''s'");
});

test("a number may be typed with a comma and a true minus sign", () => {
  assert.equal(readTyped(" −2,5 "), "-2.5");
});

test("a step without a link has that of the step that it corresponds to, else of the output of its part", () => {
  const links = new Map([
    ["embeddings", 0],
    ["encoder.1.norm.mean", 1],
    ["encoder.1.norm", 2],
    ["encoder.3.norm", 3],
    ["decoder.1.scores", 4],
    ["attention.w_q", 5],
  ]);
  for (const [path, link] of /** @type {[string, number | undefined][]} */ ([
    ["encoder.1.norm.mean", 1],
    ["generate.5.decoder.1.scores", 4],
    ["generate.5.decoder.1.weights", 4],
    ["gradient.attention.w_q", 5],
    ["update.attention.w_q", 5],
    ["encoder.3.feed_forward.hidden", 3],
    ["train.2.embeddings", 0],
    ["x", undefined],
  ]))
    assert.equal(linkOf(links, path), link, path);
});

test("the passes that a path is in are no part of what it corresponds to", () => {
  const links = new Map(
    ["attention.w_q", "loss"].flatMap((inner) => [
      [`train.1.${inner}`, `train.1.${inner}`],
      [inner, `train.1.${inner}`],
    ]),
  );
  for (const path of ["train.20.update.attention.w_q", "train.1.gradient.attention.w_q", "trained.attention.w_q"])
    assert.equal(linkOf(links, path), "train.1.attention.w_q", path);
});

test("shades go from the most negative to the largest number", () => {
  assert.deepEqual([1, 0.5, 0.04, 0, -0.3, -1, -Infinity, NaN].map(shadeOf), ["p9", "p5", "", "", "n3", "n9", "", ""]);
});

test("things of one key stand together, in the order of their keys", () => {
  assert.deepEqual(
    group([3, 1, 5, 2], (x) => x % 2),
    [[3, 1, 5], [2]],
  );
  assert.equal(samePlace([1, 2, 3], [1, 2, 3]), true);
  assert.equal(samePlace(null, [1, 2, 3]), false);
  assert.deepEqual(
    [-1, 1, 9].map((at) => within(at, 3)),
    [0, 1, 2],
  );
});
