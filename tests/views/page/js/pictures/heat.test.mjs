// Heat maps, worked out without a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blockMeans, shadePaths } from "../../../../../walkthrough/views/page/js/pictures/heat.js";

test("neighbours of one shade in a row are one piece of the path of that shade", () => {
  const paths = shadePaths([1, 1, 0, -1, 1, 0], 2, 3, undefined);
  assert.deepEqual(
    [...paths],
    [
      ["p9", "M0 0h2v1h-2zM1 1h1v1h-1z"],
      ["n9", "M0 1h1v1h-1z"],
    ],
  );
});

test("shares are shaded as shares of 1, ids not at all", () => {
  assert.deepEqual([...shadePaths([0.5, 0.2], 1, 2, "share").keys()], ["p5", "p2"]);
  assert.equal(shadePaths([5, 2], 1, 2, "none").size, 0);
});

test("beyond 24 rows a cell is the mean of a block, of what is finite", () => {
  const numbers = Array.from({ length: 50 }, (_, at) => (at === 1 ? -Infinity : at));
  const { rows, columns, numbers: means } = blockMeans(numbers, 50, 1);
  assert.deepEqual([rows, columns, ...Array.from(means).slice(0, 3)], [17, 1, 1, 4, 7]);
});
