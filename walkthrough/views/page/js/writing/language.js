// What the page says, in its language: its data has the texts by key, and the decimal sign.

/**
 * @typedef {{
 *   texts: Record<string, string>, mistakes: Record<string, string>, keys: [key: string, does: string][],
 *   hasComma: boolean, infinity: string[],
 * }} Language
 */

/** @type {Language} */
let language = { texts: {}, mistakes: {}, keys: [], hasComma: false, infinity: [] };

/** From now on the page is in this language.  @param {Language} wanted */
export const setLanguage = (wanted) => {
  language = wanted;
};

/** @typedef {Record<string, string | number>} Facts */
/** A text with words in its blanks: {name} where there is one of that name.  @param {string} text @param {Facts} facts */
const fill = (text, facts) => text.replace(/\{(\w+)\}/g, (blank, name) => String(facts[name] ?? blank));

/** The text of a key in the language of the page.  @param {string} key */
export const say = (key, /** @type {Facts} */ facts = {}) => fill(language.texts[key], facts);

/** What was probably done.  @param {string} word  of the mistake */
export const sayMistake = (word, /** @type {Facts} */ facts = {}) => fill(language.mistakes[word], facts);

/** Keys, and what each does. */
export const describeKeys = () => language.keys;

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
