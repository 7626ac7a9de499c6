// Heat maps, worked out without a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shadePaths } from "../../../../../walkthrough/views/page/js/map/heat.js";
import { blockMeans } from "../../../../../walkthrough/views/page/js/pixels/blocks.js";

test("neighbours of one shade in a row are one piece of the path of that shade", () => {
  const paths = shadePaths([1, 1, 0, -1, 1, 0], 2, 3, undefined, 10, 5);
  assert.deepEqual(
    [...paths],
    [
      ["p9", "M0 0h20v5h-20zM10 5h10v5h-10z"],
      ["n9", "M0 5h10v5h-10z"],
    ],
  );
});

test("shares are shaded as shares of 1, ids not at all", () => {
  assert.deepEqual([...shadePaths([0.5, 0.2], 1, 2, "share", 1, 1).keys()], ["p5", "p2"]);
  assert.equal(shadePaths([5, 2], 1, 2, "none", 1, 1).size, 0);
});

test("beyond 24 rows a cell is the mean of a block, of what is finite", () => {
  const numbers = Array.from({ length: 50 }, (_, at) => (at === 1 ? -Infinity : at));
  const { rows, columns, numbers: means } = blockMeans(numbers, 50, 1);
  assert.deepEqual([rows, columns, ...Array.from(means).slice(0, 3)], [17, 1, 1, 4, 7]);
});
