// Words that are written from right to left.
// @ts-check

const LEFTWARDS = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]+";
const LEFTWARDS_WORDS = new RegExp(`(${LEFTWARDS}(?: ${LEFTWARDS})*)`, "u");

/**
 * A line as texts and elements: letters that are written from right to left turn nothing around them.
 * @param {string} text
 * @returns {import("./dom.js").Content[]}
 */
export function isolateLeftwards(text) {
  const boxed = (/** @type {string} */ one) => Object.assign(document.createElement("bdi"), { textContent: one });
  return text.split(LEFTWARDS_WORDS).map((one, at) => (at % 2 ? boxed(one) : one));
}
