// Texts do no harm, and are found as they are printed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findMeant, escapeLabel, escapeText } from "../../../../../walkthrough/views/page/js/writing/text.js";

test("what moves a cursor or turns a line around is escaped", () => {
  assert.equal(escapeText("a\nb\x1b[31m"), "a\\nb\\x1b[31m");
  assert.equal(escapeText("\u202eright"), "\\u202eright");
  assert.equal(escapeText("👩‍👩‍👧 日本語"), "👩‍👩‍👧 日本語");
});

test("a label whose ends cannot be seen stands in quotes", () => {
  assert.equal(escapeLabel(" lead"), "' lead'");
  assert.equal(escapeLabel(""), "''");
  assert.equal(escapeLabel("hot"), "hot");
});

test("a label may be copied as it is printed", () => {
  assert.equal(findMeant("' lead'", ["hot", " lead"]), 1);
  assert.equal(findMeant("e\u0301", ["é"]), 0);
  assert.equal(findMeant("cold", ["hot"]), -1);
});
