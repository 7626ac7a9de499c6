// The address carries the place and the changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress, writeAddress } from "../../../../../walkthrough/views/page/js/face/address.js";

test("what is written is read back", () => {
  for (const path of ["", "encoder.1.norm_1"])
    for (const changes of [[], ["x[a, b=1]=2", "y[&set=x, %41]=-0.5"]]) {
      const { path: found, isLecturing, items } = parseAddress(writeAddress(path, changes, !changes.length));
      assert.equal(found, path);
      assert.equal(isLecturing, !changes.length);
      assert.deepEqual(
        items,
        changes.map((text) => ({ text, isChange: true })),
      );
    }
});

test("practice is said beside the place", () => {
  const { path, isPractising, items } = parseAddress(writeAddress("q", ["x[1, 1]=2"], false, true));
  assert.deepEqual([path, isPractising, items.length], ["q", true, 1]);
  assert.equal(writeAddress("", [], false, true), "#practice");
});

test("it is short, and as the documents say", () => {
  assert.equal(writeAddress("", []), "#");
  assert.equal(writeAddress("q", ["x[1, 1]=2"]), "#q&set=x%5B1%2C%201%5D%3D2");
});

test("what cannot be read is kept as it is, to be said", () => {
  assert.deepEqual(parseAddress("#a%ZZ&lectern&set="), {
    path: "a%ZZ",
    isLecturing: false,
    isPractising: false,
    items: [
      { text: "lectern", isChange: false },
      { text: "", isChange: true },
    ],
  });
});
