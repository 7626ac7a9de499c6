// A generation as a film: its words, each of which shows the pass that it comes from, and the words that were likeliest.
// @ts-check
import { MOVES } from "../interaction/keys.js";
import { goTo } from "../face/address.js";
import { button, find, findAll, isCommand, make, write } from "../face/dom.js";
import { within } from "../face/page.js";
import { makeLikeliest } from "../map/map.js";
import { say } from "../writing/language.js";

/** @typedef {import("../face/page.js").Page} Page */

/** How long Play stays at a word, in milliseconds. */
const PACE = 1000;
/** So many steps before a prediction are the probabilities that it chooses from. */
const MOST_BEFORE = 3;

/**
 * The film, or nothing where the model runs once.
 * @param {Page} page
 */
export function makeGeneration(page) {
  const { engine, main, steps } = page;
  const parts = findAll(".part[data-film=pass]", main);
  const isFirstApart = parts[0]?.dataset.pass !== "1";
  /** @type {(HTMLElement | null)[]} by pass; the first one may be no part of its own */
  const passes = isFirstApart ? [null, ...parts] : parts;
  if (passes.length < 2) return null;
  const generated = engine.model.film.answer ?? -1;
  const words = generated < 0 ? passes.length : steps[generated].rows; // a beam search may go on behind its answer
  const inputs = generated < 0 ? [] : steps[generated].inputs;
  const predictions = inputs.filter((_, one) => (one + 1) % (inputs.length / words) === 0);
  const chips = passes.slice(0, words).map((part, at) => {
    const number = part?.dataset.pass ?? "1";
    return button(number, () => show(at), { "data-pass": number, tabindex: at ? -1 : 0 });
  });
  const bars = make("ol.likeliest", { "aria-label": say("likeliest") });
  let at = 0;

  function paint() {
    chips.forEach((chip, row) => {
      const word =
        generated < 0 ? say("pass_number", { number: chip.dataset.pass ?? "" }) : engine.text(generated, row, 0);
      write(chip, word);
      chip.dataset.word = word;
      chip.setAttribute("aria-pressed", String(row === at));
      chip.tabIndex = row === at ? 0 : -1;
    });
    const shares = sharesBefore(page, predictions[at] ?? -1);
    bars.replaceChildren(...(shares < 0 ? [] : makeLikeliest(page, shares)));
  }

  /** Shows a pass, at the same step.  @param {number} wanted */
  function turnTo(wanted) {
    at = within(wanted, passes.length);
    for (const part of parts) part.classList.toggle("off", part !== passes[at]);
    paint();
  }

  /** The same for the user: the step at hand stays the same step.  @param {number} wanted */
  function show(wanted) {
    const inner = page.steps[page.state.atHand]?.inner ?? "";
    const next = within(wanted, chips.length);
    const part = passes[next];
    const path = part ? pathIn(page, part.id, inner, predictions[next]) : inner;
    const isHeld = row.contains(document.activeElement);
    turnTo(next);
    if (page.state.atHand >= 0 && inner) goTo(page, path);
    if (isHeld) chips[at].focus({ preventScroll: true }); // a browser that goes to another place takes the focus away
  }

  const play = makePlay(
    () => {
      if (at < chips.length - 1) show(at + 1);
      return at < chips.length - 1;
    },
    () => show(at >= chips.length - 1 ? 0 : at),
  );
  const prompt = predictions.length ? steps[predictions[0]].rowLabels : [];
  const row = make("div.chips", {}, ...prompt.map((label) => make("b", { "data-word": label }, label)), ...chips, play);
  row.addEventListener("keydown", (event) => {
    const move = MOVES.get(event.key);
    if (!move || isCommand(event) || !chips.some((chip) => chip === event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    show(at + move[0] + move[1]);
  });
  page.revealing.subscribe((element) => {
    const part = parts.find((one) => one.contains(element));
    if (part ? part !== passes[at] : isFirstApart && at && find("section", main)?.contains(element))
      turnTo(part ? passes.indexOf(part) : 0);
  });
  for (const k of new Set([generated, ...predictions])) if (k >= 0) page.addView(k, paint);
  turnTo(0);
  return make("div", {}, row, bars);
}

/**
 * The path of a step in a pass; of several hypotheses in the one whose prediction is given. The pass where it has none.
 * @param {Page} page @param {string} pass @param {string} inner @param {number | undefined} prediction
 */
function pathIn({ engine, steps }, pass, inner, prediction) {
  const chosen = prediction === undefined ? [] : [steps[prediction]];
  const own = chosen.flatMap(({ path, aliases, inner }) =>
    [path, ...aliases]
      .filter((name) => name.startsWith(`${pass}.`) && name.endsWith(inner))
      .map((name) => name.slice(0, -inner.length)),
  );
  return [...own, `${pass}.`].map((prefix) => prefix + inner).find((path) => engine.find(path) >= 0) ?? pass;
}

/**
 * The probabilities that a prediction is made of, or −1.
 * @param {Page} page @param {number} prediction
 */
function sharesBefore({ sections, steps }, prediction) {
  let near = prediction < 0 ? [] : [prediction];
  for (let far = 0; far < MOST_BEFORE; far++) {
    const found = near.find((k) => sections[k].dataset.shade === "share");
    if (found !== undefined) return found;
    near = near.flatMap((k) => steps[k].inputs);
  }
  return -1;
}

/**
 * A button that goes on once a second, until there is nothing more.
 * @param {() => boolean} goOn  returns whether there is more @param {() => void} start
 */
function makePlay(goOn, start) {
  let timer = 0;
  const play = button(say("play"), () => {
    if (timer) return stop();
    start();
    write(play, say("stop"));
    timer = setInterval(() => goOn() || stop(), PACE);
  });
  function stop() {
    clearInterval(timer);
    timer = 0;
    write(play, say("play"));
  }
  return play;
}
