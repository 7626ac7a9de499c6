// The clock: which pass of a generation, or which step of a training, is shown: by map, outcome, film and steps alike.
import { find, findAll } from "./dom.js";

/** The pass that is shown.  @param {Page} page */
export const shownPass = ({ engine, state }) => engine.model.passes[state.pass];

/** @param {Page} page */
export function startClock(page) {
  const { engine, main, sections, state, steps } = page;
  if (engine.model.passes.length < 2) return;
  const parts = findAll(".part, :is(main, .part) > figure", main).reverse(); // the inner ones first

  /** The steps of the pass, with what they read of others; after a training its last step too, which has led there. */
  function showSteps() {
    const { steps: read, name } = shownPass(page);
    const there = new Set(read);
    const last = name === "trained" ? state.pass - 1 : state.pass;
    steps.forEach(({ k, shownWith = last }) =>
      sections[k].classList.toggle("off", !(there.has(k) || (shownWith >= last && shownWith <= state.pass))),
    );
    for (const part of parts) part.classList.toggle("off", !find("section:not(.off)", part) && !hasHeat(part));
  }

  /** Whether a figure has a heat map of a step that is shown.  @param {HTMLElement} part */
  const hasHeat = (part) =>
    findAll("svg[data-heat]", part).some(({ dataset }) => !sections[engine.find(dataset.heat ?? "")].closest(".off"));

  /** What is gone to, or chosen, is in a pass: unless the one that is shown reads it, that one is shown.  @param {number} k */
  function turnWith(k) {
    const { shownWith } = steps[k] ?? {};
    if (shownWith !== undefined && !shownPass(page).steps.includes(k)) turnTo(page, shownWith);
  }

  page.revealing.subscribe((element) => turnWith(page.stepAround(element)));
  state.subscribe(["chosen"], () => state.chosen && turnWith(state.chosen[0]));
  state.subscribe(["pass"], showSteps);
  showSteps();
}

/** Shows another pass; address and chosen number go with it, where they can.  @param {Page} page @param {number} at */
export function turnTo(page, at) {
  const { state, steps } = page;
  const before = state.pass;
  if (at === before || !page.engine.model.passes[at]) return;
  state.change({ pass: at });
  const { tick } = page.engine.model.passes[at];
  const address = state.address && (inPass(page, state.address, before, at) || tick.slice(0, -1));
  const { chosen } = state;
  if (chosen && steps[chosen[0]].shownWith !== at) {
    const k = page.engine.find(inPass(page, steps[chosen[0]].path, before, at));
    const isThere = k >= 0 && chosen[1] < steps[k].rows && chosen[2] < steps[k].columns;
    state.change({ chosen: isThere ? [k, chosen[1], chosen[2]] : null, pointed: null, trail: [] });
  }
  if (address !== state.address) state.change({ address });
}

/**
 * The path of a step or a part in another pass; what is recorded once is the same there. Empty where it has none.
 * @param {Page} page @param {string} path @param {number} from @param {number} to
 */
export function inPass({ engine }, path, from, to) {
  const { model, steps } = engine;
  const [here, there] = [model.passes[from], model.passes[to]];
  const k = engine.find(path);
  const place = here.steps.indexOf(k);
  if (place >= 0 && here.map === there.map) return steps[there.steps[place]].path;
  if (!path || !path.startsWith(here.tick) || there.steps.includes(k)) return path;
  if (k >= 0 && steps[k].shownWith === undefined) return path;
  const known = (/** @type {string} */ name) => engine.find(name) >= 0 || document.getElementById(name);
  for (const kind of /** @type {const} */ (["prefix", "tick"]))
    if (path.startsWith(here[kind]) && known(there[kind] + path.slice(here[kind].length)))
      return there[kind] + path.slice(here[kind].length);
  return "";
}
