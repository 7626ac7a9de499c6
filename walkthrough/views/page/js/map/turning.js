// The map of another pass: the same boxes hold its steps, or others where it has other steps or shapes.
import { inPass, shownPass } from "../face/clock.js";
import { find, findAll, write } from "../face/dom.js";
import { writeSymbol } from "../pictures/copies.js";
import { writeWords } from "./words.js";

/** @typedef {{ nodes: ChildNode[], at: number }} ModelMap  at: the pass that it has now */

/** What names steps in a map. */
const NAMING = ["data-heat", "data-from", "data-to", "data-rows", "href"];

/**
 * A function that makes the map that of the pass that is shown.
 * @param {Page} page
 */
export function makeTurning(page) {
  const { engine, map, state, steps } = page;
  const { passes } = engine.model;
  const shownIn = (/** @type {HTMLElement} */ { dataset }, /** @type {ParentNode} */ held) => ({
    nodes: [...held.childNodes],
    at: passes.findIndex(({ name }) => name === dataset.pass),
  });
  /** @type {Map<string, ModelMap>} the maps, by the pass that they are made for */
  const maps = new Map([[map.dataset.pass ?? "", shownIn(map, map)]]);
  for (const one of document.querySelectorAll("template")) maps.set(one.dataset.pass ?? "", shownIn(one, one.content));

  return () => {
    const pass = shownPass(page);
    const shown = maps.get(pass.map);
    if (!shown) return;
    if (shown.nodes[0].parentNode !== map) map.replaceChildren(...shown.nodes);
    map.dataset.pass = pass.name;
    const rename = (/** @type {string} */ path) => inPass(page, path, shown.at, state.pass) || path;
    for (const element of findAll(NAMING.map((name) => `[${name}]`).join(), map))
      for (const name of NAMING) {
        const named = element.getAttribute(name)?.split(" ");
        const renamed = named?.map((one) => (one[0] === "#" ? "#" + rename(one.slice(1)) : rename(one)));
        if (renamed) element.setAttribute(name, renamed.join(" "));
      }
    shown.at = state.pass;
    for (const svg of findAll("svg[data-heat]", map)) {
      const { isGiven, symbol } = steps[engine.find(svg.dataset.heat ?? "")];
      svg.toggleAttribute("data-quiz", state.isAsking && !isGiven);
      find("b", svg.parentElement ?? svg)?.replaceChildren(...writeSymbol(symbol));
    }
    const example = pass.prefix !== pass.tick && find(".part", map);
    if (example) {
      example.setAttribute("href", `#${pass.prefix.slice(0, -1)}`);
      write(example, pass.title.split(" · ").at(-1) ?? "");
    }
    writeWords(page);
  };
}
