// A small calculation: X·W, and the largest number of each of its rows; and what is said of it, in English.
import { setLanguage } from "../../../../walkthrough/views/page/js/writing/language.js";

/** The language of the tests, as the data of a page has it. */
export const english = JSON.parse(process.env.LANGUAGE_OF_PAGE);
setLanguage(english);

/** The data of its page, some of it replaced. */
export const sample = (more = {}) => ({
  decimals: 3,
  byHand: false,
  asked: null,
  rounding: 2,
  rules: {
    "+": { own: 1, first: 1, rest: 2, leads: true },
    "*": { own: 2, first: 2, rest: 3, leads: true },
    neg: { own: 1, first: 2, rest: 2, leads: false },
    function: { own: 4, first: 1, rest: 1, leads: false },
  },
  selectors: { short: { w: "weights" }, kinds: { row: ["most", "least"] }, namedOnly: [] },
  labels: [["hot", "tea"]],
  words: [],
  expressions: [
    ["+", ["…", 2, ["*", ["@", 0, [0, 1], [0, 0, 0, 1]], ["@", 1, [0, 0, 0, 1], [0, 0, 1]]]]],
    ["max", ["…", 2, ["@", 0, [0, 1], [0, 0, 0, 1]]]],
  ],
  steps: [
    { path: "layer.1.x", symbol: "X", shape: [2, 2], rowLabels: 0, numbers: [1, 2, 3, 4], isEditable: true },
    {
      path: "layer.1.weights",
      aliases: ["w_all"],
      symbol: "W",
      shape: [2, 2],
      numbers: [0.5, 0, 0.25, 1],
      isEditable: true,
    },
    {
      path: "layer.1.product",
      symbol: "Y",
      shape: [2, 2],
      rowLabels: 0,
      inputs: [0, 1],
      pieces: [{ rows: [0, 2, 1], columns: [0, 2, 1], expression: 0 }],
      numbers: [1, 2, 2.5, 4],
    },
    {
      path: "layer.1.most",
      symbol: "m",
      shape: [2, 1],
      rowLabels: 0,
      inputs: [2],
      pieces: [{ rows: [0, 2, 1], columns: [0, 1, 1], expression: 1 }],
      numbers: [2, 4],
    },
  ],
  ...more,
});

export const [X, W, Y, MOST] = [0, 1, 2, 3];

/** The same with some keys of a step replaced. */
export function changed(k, keys) {
  const data = sample();
  Object.assign(data.steps[k], keys);
  return data;
}
