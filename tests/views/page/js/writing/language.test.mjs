// The language of the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { localize, say, separator, setLanguage } from "../../../../../walkthrough/views/page/js/writing/language.js";
import { english } from "../sample.mjs";

test("texts are found by key; blanks are filled wherever they stand, and nothing in what fills them", () => {
  setLanguage({ texts: { a_of_b: "von {b}: {a}", again: "run {command} again" }, hasComma: false, infinity: [] });
  assert.equal(say("a_of_b", { a: "{b}", b: 0 }), "von 0: {b}");
  assert.equal(say("again"), "run {command} again");
  assert.equal(localize("1.041"), "1.041");
  assert.equal(separator(), ", ");
  setLanguage(english);
});

test("a comma is the decimal sign, and of nothing but numbers", () => {
  setLanguage({ texts: {}, hasComma: true, infinity: [] });
  assert.equal(localize("−1.25×10^(−4)"), "−1,25×10^(−4)");
  assert.equal(localize("a.b"), "a.b");
  assert.equal(separator(), "; ");
  setLanguage(english);
});
