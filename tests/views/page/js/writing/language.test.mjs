// The language of the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { localize, say, separator, speak } from "../../../../../walkthrough/views/page/js/writing/language.js";

test("a page without a language of its own says what stands in its scripts", () => {
  speak();
  assert.equal(say("Copy link"), "Copy link");
  assert.equal(say("Step {at} of {count}", { at: 1, count: 37 }), "Step 1 of 37");
  assert.equal(localize("1.041"), "1.041");
  assert.equal(separator(), ", ");
});

test("texts are found by the English ones; blanks are filled wherever they stand, and nothing in what fills them", () => {
  speak({ texts: { "{a} of {b}": "von {b}: {a}" } });
  assert.equal(say("{a} of {b}", { a: "{b}", b: 0 }), "von 0: {b}");
  assert.equal(say("not there"), "not there");
  assert.equal(say("run {command} again"), "run {command} again");
  speak();
});

test("a comma is the decimal sign, and of nothing but numbers", () => {
  speak({ hasComma: true });
  assert.equal(localize("−1.25×10^(−4)"), "−1,25×10^(−4)");
  assert.equal(localize("a.b"), "a.b");
  assert.equal(separator(), "; ");
  speak();
});
