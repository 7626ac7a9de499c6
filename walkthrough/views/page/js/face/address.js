// The address: #PATH, and the changes as set=CELL=NUMBER, so that a link carries them.
import { escapeText } from "../writing/text.js";
import { targetOf } from "./dom.js";
import { keepInView, fit } from "./scrolling.js";
import { say } from "../writing/language.js";

/** @typedef {{ text: string, isChange: boolean }} Item */

/** @param {string} path @param {string[]} changes */
export function writeAddress(path, changes, isLecturing = false, isPractising = false) {
  const items = changes.map((item) => "set=" + encodeURIComponent(item));
  return "#" + [path, isLecturing && "lecture", isPractising && "practice", ...items].filter(Boolean).join("&");
}

/**
 * The path, whether the lecture or practice is on, and the further items that an address names.
 * @param {string} hash
 * @returns {{ path: string, isLecturing: boolean, isPractising: boolean, items: Item[] }}
 */
export function parseAddress(hash) {
  const all = hash.slice(1).split("&").filter(Boolean);
  const parts = all.filter((part) => part !== "lecture" && part !== "practice");
  const path = parts[0]?.startsWith("set=") ? "" : decode(parts.shift() ?? "");
  const items = parts.map((part) => ({ text: decode(part.replace(/^set=/, "")), isChange: part.startsWith("set=") }));
  return { path, isLecturing: all.includes("lecture"), isPractising: all.includes("practice"), items };
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Goes to a step or a part; the address keeps the changes.  @param {Page} page @param {string} path */
export function goTo(page, path) {
  const { isLecturing, isPractising } = page.state;
  const wanted = writeAddress(path, page.engine.changes(), isLecturing, isPractising);
  if (location.hash !== wanted) location.hash = wanted;
  page.state.change({ address: path });
  arriveAt(page, path);
}

/** @param {Page} page @param {string} path */
function arriveAt(page, path) {
  const target = document.getElementById(path);
  if (!target) return;
  page.reveal(target);
  if (page.state.isLecturing) return;
  const landed = page.stepAround(target);
  page.state.change({ landed, atHand: landed });
  fit(page);
  keepInView(() => target.scrollIntoView({ block: "start" }));
}

/** Keeps the address as the state is, and the state as the address is.  @param {Page} page */
export function startAddress(page) {
  const { engine, state } = page;
  let isReading = false;

  function keep() {
    const wanted = writeAddress(state.address, engine.changes(), state.isLecturing, state.isPractising);
    if (isReading || wanted === location.hash) return;
    try {
      history.replaceState(null, "", wanted === "#" ? location.pathname + location.search : wanted);
    } catch {
      // Safari takes a hundred in half a minute, and a number that is dragged has more: the next one after it says all
    }
  }

  /** What the address holds replaces the current changes. */
  function read() {
    const { path, isLecturing, isPractising, items } = parseAddress(location.hash);
    const isThere = !path || document.getElementById(path);
    isReading = true;
    if (!isLecturing) state.change({ isLecturing });
    state.change({ address: path });
    const faults = applyItems(page, items);
    if (!isThere) faults.push(say("no_such_step", { path: escapeText(path) }));
    else if (path) arriveAt(page, path);
    if (isThere && isLecturing) state.change({ isLecturing });
    isReading = false;
    if (isPractising !== state.isPractising) state.change({ isPractising, isAsking: isPractising });
    state.change({ notice: faults.length ? say("address_faults", { faults: faults.join(" · ") }) : "" });
  }

  document.addEventListener("click", (event) => {
    const link = targetOf(event).closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    goTo(page, decode((link.getAttribute("href") ?? "").slice(1)));
  });
  engine.changing.subscribe(keep);
  state.subscribe(["address", "isLecturing", "isPractising"], keep);
  addEventListener("hashchange", read);
  if (!location.hash && document.body.dataset.asked) state.change({ isPractising: true });
  if (!location.hash || engine.changes().length) return; // what a program has changed before replaces it
  read();
  engine.history.past = []; // what an address holds is where it begins
}

/**
 * Makes the changes that an address names, in place of the current ones; returns what is wrong with it.
 * @param {Page} page @param {Item[]} items
 */
function applyItems({ engine }, items) {
  /** @type {string[]} */
  const faults = [];
  if (JSON.stringify(items.map(({ text }) => text)) === JSON.stringify(engine.changes())) return faults;
  engine.asOneEdit(() => {
    engine.reset();
    for (const { text, isChange } of items) {
      const fault = isChange ? engine.apply(text) : say("cannot_set");
      if (fault) faults.push(text ? `${escapeText(text)}: ${fault}` : say("change_without_cell"));
    }
  });
  return faults;
}
