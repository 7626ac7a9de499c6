// A generation as a film: its words, each of which shows the pass that it comes from, and the words that were likeliest.
import { MOVES } from "../interaction/keys.js";
import { goTo } from "../face/address.js";
import { inPass, turnTo } from "../face/clock.js";
import { button, consume, find, isCommand, make, rewrite, write } from "../face/dom.js";
import { within } from "../face/page.js";
import { makeLikeliest } from "../map/map.js";
import { say } from "../writing/language.js";

/** How long Play stays at a word, in milliseconds. */
const PACE = 1000;

/** The film, or nothing where the model runs once.  @param {Page} page */
export function makeGeneration(page) {
  const { engine, root, state, steps } = page;
  const { passes } = engine.model;
  const { answer = -1 } = engine.model.film;
  if (!passes.some(({ isWord }) => isWord)) return null;
  const words = answer < 0 ? passes.length : steps[answer].rows; // a beam search may go on behind its answer
  const chips = passes.slice(0, words).map(({ name }, at) => button(name, () => show(at), { "data-pass": name }));
  const bars = make("ol.likeliest", { "aria-label": say("likeliest") });

  function paint() {
    chips.forEach((chip, row) => {
      const word = answer < 0 ? passes[row].title : engine.text(answer, row, 0);
      write(chip, word);
      chip.dataset.word = word;
      chip.setAttribute("aria-pressed", String(row === state.pass));
      chip.tabIndex = row === within(state.pass, words) ? 0 : -1;
    });
    const shares = engine.find(find(".likeliest", page.map)?.dataset.from ?? "");
    bars.replaceChildren(...(shares < 0 ? [] : makeLikeliest(page, shares)));
  }

  /** Shows a pass; whoever is at a step stays at it.  @param {number} wanted */
  function show(wanted) {
    const next = within(wanted, words);
    const here = root.classList.contains("railed") ? steps[state.atHand]?.path : "";
    const path = here && inPass(page, here, state.pass, next);
    const isHeld = row.contains(document.activeElement);
    turnTo(page, next);
    if (path) goTo(page, path);
    if (isHeld) chips[next].focus({ preventScroll: true }); // a browser that goes to another place takes the focus away
  }

  const goOn = () => {
    if (state.pass < words - 1) show(state.pass + 1);
    return state.pass < words - 1;
  };
  const play = makePlay(goOn, () => show(state.pass >= words - 1 ? 0 : state.pass));
  const prompt = steps[passes[0].outcome.step].rowLabels;
  const given = prompt.map((label) => make("b", { "data-word": label }, label));
  const row = make("div.chips", {}, ...given, ...chips, play);
  engine.relabelling.subscribe(() => given.forEach((one, at) => rewrite(one, prompt[at])));
  row.addEventListener("keydown", (event) => {
    const move = MOVES.get(event.key);
    if (!move || isCommand(event) || !chips.some((chip) => chip === event.target)) return;
    consume(event);
    show(state.pass + move[0] + move[1]);
  });
  state.subscribe(["pass"], paint);
  const film = make("div", {}, row, bars);
  page.views.add(film, [answer, ...passes.map(({ outcome }) => outcome.step)], paint, true);
  paint();
  return film;
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
