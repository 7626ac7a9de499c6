// Texts of a scenario as they are shown: what walkthrough/text.py does.

/** @type {Record<string, string>} */
const NAMED = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A text without anything that moves a cursor or turns a line around. */
export const escapeText = (/** @type {string} */ text) =>
  text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (one) => {
    if (one === "\u200c" || one === "\u200d") return one;
    const code = one.codePointAt(0) ?? 0;
    const [sign, width] = code < 256 ? ["x", 2] : code < 65536 ? ["u", 4] : ["U", 8];
    return NAMED[one] ?? `\\${sign}${code.toString(16).padStart(Number(width), "0")}`;
  });

/** A label, in quotes where its ends could not be seen.  @param {string} text */
export function escapeLabel(text) {
  const shown = escapeText(text);
  return shown && shown === shown.trim() ? shown : `'${shown}'`;
}

/**
 * The label that a user means, who may copy it as it is printed; −1 where there is none.
 * @param {string} label @param {string[]} labels
 */
export function findMeant(label, labels) {
  const word = label.normalize();
  const at = labels.findIndex((one) => one.normalize() === word);
  return at >= 0 ? at : labels.findIndex((one) => escapeLabel(one).normalize() === word);
}
