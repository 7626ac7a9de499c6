// What the page says, in its language: its data has the texts by key, and the decimal sign.

/** @typedef {{ texts: Record<string, string>, hasComma: boolean, infinity: string[] }} Language */

/** @type {Language} */
let language = { texts: {}, hasComma: false, infinity: [] };

/** From now on the page is in this language.  @param {Language} wanted */
export const setLanguage = (wanted) => {
  language = wanted;
};

/**
 * The text of a key in the language of the page, with words in its blanks: {name} where there is one of that name.
 * @param {string} key @param {Record<string, string | number>} words
 */
export const say = (key, words = {}) =>
  language.texts[key].replace(/\{(\w+)\}/g, (blank, name) => String(words[name] ?? blank));

/**
 * A text in pieces, with elements in its blanks.
 * @template T
 * @param {string} text @param {Record<string, T>} elements
 * @returns {(string | T)[]}
 */
export const fillBlanks = (text, elements) =>
  text
    .split(/\{(\w+)\}/)
    .map((one, at) => (at % 2 ? (elements[one] ?? "") : one))
    .filter((one) => one !== "");

/** A written number with the decimal sign of the language. */
export const localize = (/** @type {string} */ text) =>
  language.hasComma ? text.replace(/(\d)\.(?=\d)/g, "$1,") : text;

/** Whether a text is a word for infinity, in any language. */
export const isInfinity = (/** @type {string} */ text) => language.infinity.includes(text.toLowerCase());

/** What is between the arguments of a function. */
export const separator = () => (language.hasComma ? "; " : ", ");
