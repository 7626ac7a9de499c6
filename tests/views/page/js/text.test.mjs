// Texts do no harm, and are found as they are printed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { meant, printable, visible } from "../../../../walkthrough/views/page/js/engine/text.js";

test("what moves a cursor or turns a line around is escaped", () => {
  assert.equal(visible("a\nb\x1b[31m"), "a\\nb\\x1b[31m");
  assert.equal(visible("\u202eright"), "\\u202eright");
  assert.equal(visible("👩‍👩‍👧 日本語"), "👩‍👩‍👧 日本語");
});

test("a label whose ends cannot be seen stands in quotes", () => {
  assert.equal(printable(" lead"), "' lead'");
  assert.equal(printable(""), "''");
  assert.equal(printable("hot"), "hot");
});

test("a label may be copied as it is printed", () => {
  assert.equal(meant("' lead'", ["hot", " lead"]), 1);
  assert.equal(meant("e\u0301", ["é"]), 0);
  assert.equal(meant("cold", ["hot"]), -1);
});
