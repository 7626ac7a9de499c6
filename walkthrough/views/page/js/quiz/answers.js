// What a person types as an answer, read as the sheets' reader does: decimal comma, −, fractions, roots, powers of ten.
import { isInfinity } from "../writing/language.js";

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺";
/** Signs that look like those of a keyboard, and these. */
const [TYPESET, TYPED] = ["−–‐⁄∕÷’×·⋅∙", "---///'****"];
const DECIMAL = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d{1,3})?$/i;
const GROUPED = /^[-+]?[1-9]\d{0,2}(?:([.,' ])\d{3})(?:\1\d{3})+$|^[-+]?[1-9]\d{0,2}([.,' ])\d{3}(?!\2)[.,]\d+$/;

/** What is typed in quotes: a word that would be something else without them.  @param {string} text */
export const stripQuotes = (text) => text.trim().replace(/^['"„“‚«](.+)['"“”‘»]$/, "$1");

/** The number that a text means, or null.  @param {string} text */
export function readAnswer(text) {
  if (text.length > 60) return null;
  const said = text.replace(/\([^()]*\p{L}[^()]*\)\s*$/u, (found) => (/sqrt|inf/i.test(found) ? found : ""));
  const parts = said.split(/[=≈~]/).map((part) => part.trim());
  return readOne(parts.filter(Boolean).at(-1) ?? "");
}

/** @param {string} text @returns {number | null} */
function readOne(text) {
  const rooted = text.replace(/√ ?([¼-¾⅐-⅞])/g, (_, part) => `√${part.normalize("NFKC").replace("⁄", "/√")}`);
  const parted = rooted.replace(/(?<=\d)(?=[¼-¾⅐-⅞])/g, " ");
  const raised = parted.replace(/(?<=10)[⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}/g, (found) => `^${[...found].map(lowered).join("")}`);
  const plain = Array.from(raised.normalize("NFKC"), (sign) => TYPED[TYPESET.indexOf(sign)] ?? sign)
    .join("")
    .replace(/^(ca\.?|circa)\s*(?=[-+.,\d√])/i, "")
    .replace(/\*+$/, "")
    .replace(/sqrt\s*\(?\s*([\d.,]+)\s*\)?/gi, "√$1")
    .trim();
  const infinite = /^([-+]?)\s*\.?(∞|\p{L}+)$/u.exec(plain);
  if (infinite && (infinite[2] === "∞" || isInfinity(infinite[2]))) return infinite[1] === "-" ? -Infinity : Infinity;
  const mixed = /^([-+]?)\s*(\d+)\s+(\d+)\s*\/\s*(\d+)$/.exec(plain);
  if (mixed && +mixed[4]) return (mixed[1] === "-" ? -1 : 1) * (+mixed[2] + +mixed[3] / +mixed[4]);
  if (/\/\s*[\d.,]+\s*\*?\s*√/.test(plain)) return null; // 1/3√2 is two things
  const [above, below, ...more] = plain.split("/").map((part) => readFactor(part.trim().replace(/^\((.*)\)$/, "$1")));
  if (more.length || above === null || below === null || below === 0) return null;
  const found = below === undefined ? above : above / below;
  return isFinite(found) ? found : null;
}

/** A number, a root, or a number times a root.  @param {string} text @returns {number | null} */
function readFactor(text) {
  const root = /^([-+]?)\s*(?:([\d.,]+)\s*\*?\s*)?√\s*\(?\s*([\d.,]+)\s*\)?$/.exec(text);
  if (!root) return readDecimal(text);
  const [factor, square] = [root[2] ? readDecimal(root[2]) : 1, readDecimal(root[3])];
  return factor === null || square === null ? null : (root[1] === "-" ? -1 : 1) * factor * Math.sqrt(square);
}

/** @param {string} text @returns {number | null} */
function readDecimal(text) {
  const isShare = /%\s*$/.test(text);
  let plain = text
    .replace(/[%\s]+$/, "")
    .replace(/\s*\*\s*/g, "*")
    .replace(/^([-+])\s+/, "$1");
  plain = plain.replace(/\*10\^\(?([-+]?\d{1,3})\)?$/, "e$1").replace(/^([-+]?)10\^\(?([-+]?\d{1,3})\)?$/, "$11e$2");
  const grouped = GROUPED.exec(plain);
  if (grouped) plain = plain.replaceAll(grouped[1] ?? grouped[2], "");
  plain = plain.replace(",", ".");
  return DECIMAL.test(plain) ? Number(plain) / (isShare ? 100 : 1) : null;
}

/** @param {string} sign */
const lowered = (sign) => "0123456789-+"[RAISED.indexOf(sign)];
