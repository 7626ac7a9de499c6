// Elements: found, made, and lines of text that stay in order.

/** @param {string} selector @param {ParentNode} from @returns {HTMLElement | null} */
export const find = (selector, from = document) => from.querySelector(selector);

/** @param {string} selector @param {ParentNode} from @returns {HTMLElement[]} */
export const findAll = (selector, from = document) =>
  /** @type {HTMLElement[]} */ ([...from.querySelectorAll(selector)]);

/** An element that every page has.  @param {string} selector @param {ParentNode} from */
export function need(selector, from = document) {
  const found = find(selector, from);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

/**
 * @typedef {string | Node} Content
 * @typedef {Record<string, unknown>} Attributes  onclick and the like are listeners; false is none
 */

/**
 * An element: make("p.note", {title: "…"}, "text", child …).
 * @param {string} what  tag and classes
 * @param {Attributes} attributes
 * @param {Content[]} inside
 */
export function make(what, attributes = {}, ...inside) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (value !== false) element.setAttribute(name, String(value));
  }
  element.append(...inside.flatMap((one) => (typeof one === "string" ? setLine(one) : one)));
  return element;
}

/** @param {string} text @param {() => void} act @param {Attributes} attributes */
export const button = (text, act, attributes = {}) =>
  make("button", { type: "button", onclick: act, ...attributes }, text);

/**
 * A button with a sign on it, whose name is read out and stands below the pointer.
 * @param {string} text @param {() => void} act @param {string} name @param {string} title
 */
export const sign = (text, act, name, title = name) => button(text, act, { "aria-label": name, title });

/** @param {Attributes} attributes */
export const input = (attributes) => /** @type {HTMLInputElement} */ (make("input", attributes));

/** @param {Element} element @param {string} text */
export const write = (element, text) => element.replaceChildren(...setLine(text));

/**
 * Another text in an element that holds nothing else; whether it is another. The node stays: that is quicker than a new one.
 * @param {Element} element @param {string} text
 */
export function rewrite(element, text) {
  const { firstChild, textContent } = element;
  if (textContent === text) return false;
  if (firstChild) firstChild.nodeValue = text;
  else element.textContent = text;
  return true;
}

/** Whether one element comes before another. */
export const isBefore = (/** @type {Node} */ one, /** @type {Node} */ other) =>
  Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);

/** Whether keys are typed into this. */
export const isField = (/** @type {EventTarget | null} */ target) =>
  target instanceof HTMLInputElement && target.type !== "checkbox";

/** The target of an event that is an element.  @param {Event} event */
export const targetOf = (event) => (event.target instanceof Element ? event.target : document.body);

/** Whether a key is pressed with one that makes it the browser's.  @param {KeyboardEvent} event */
export const isCommand = ({ altKey, ctrlKey, metaKey }) => altKey || ctrlKey || metaKey;

/** @param {Event} event */
export function consume(event) {
  event.preventDefault();
  event.stopPropagation();
}

const SVG = "http://www.w3.org/2000/svg";

/** An element of a drawing.  @param {string} tag @param {Attributes} attributes @param {Content[]} inside */
export function draw(tag, attributes = {}, ...inside) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...inside);
  return element;
}

const LEFTWARDS = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]+";
/** A symbol with an index, a power, and words that are written from right to left. */
const PARTS_OF_LINES = new RegExp(
  "((?<![\\p{L}\\d_.[])\\p{L}[²']?_[\\p{L}\\d]+(?:\\(\\d+\\))?(?=[[,)]| =)" +
    "|\\^(?:−?[\\d.,]*\\d|−?∞|\\((?:[^()]|\\([^()]*\\))*\\))" +
    `|${LEFTWARDS}(?: ${LEFTWARDS})*)`,
  "u",
);

/**
 * A line as texts and elements, as line_html writes it: its words turn nothing around them, indices and powers are set
 * as such, their signs unseen.
 * @param {string} text
 * @returns {Content[]}
 */
export function setLine(text) {
  const box = (/** @type {string} */ one) => {
    const at = one.search(/[_^]/);
    if (at < 0) return Object.assign(document.createElement("bdi"), { textContent: one });
    const sign = make("u", {}, one[at]);
    return [one.slice(0, at), make(one[at] === "_" ? "sub" : "sup", {}, sign, one.slice(at + 1))];
  };
  return text.split(PARTS_OF_LINES).flatMap((one, at) => (at % 2 ? box(one) : one));
}
