// What is typed as an answer is read as the reader of sheets does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readAnswer } from "../../../../../walkthrough/views/page/js/quiz/answers.js";

const READ = {
  "3½": 3.5,
  "circa 3,2": 3.2,
  "(1e3)/(2)": 500,
  "2,00 (gerundet)": 2,
  "3·sqrt(2)": 3 * Math.SQRT2,
  "-2⅓": -7 / 3,
  "√½": Math.sqrt(0.5),
  "3 √¾": 3 * Math.sqrt(0.75),
  "2/(3√2)": Math.SQRT2 / 3,
  "1.234,5": 1234.5,
  "1,234,567": 1234567,
  "0,295": 0.295,
  "\u20110,5": -0.5,
  "1\u22153": 1 / 3,
};

for (const [text, number] of Object.entries(READ)) {
  test(`${text} is read`, () => assert.ok(Math.abs((readAnswer(text) ?? NaN) - number) < 1e-12));
}

for (const text of ["0.295,", "0,123,456", "1.234.5", "½√2", "2/3√2", "1/0", "--1", "0,5,3"]) {
  test(`${text} is no number`, () => assert.equal(readAnswer(text), null));
}
