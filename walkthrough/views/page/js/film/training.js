// A training as a film: the curve of its loss, and a cursor over its steps; below, the matrices of one of them.
// @ts-check
import { findAll, input, make, write } from "../face/dom.js";
import { say } from "../writing/language.js";
import { drawCurve } from "../pictures/curve.js";

/** @typedef {import("../face/page.js").Page} Page */

const sayLoss = (/** @type {string} */ before, /** @type {string} */ after) => say("loss_change", { before, after });

/**
 * The film, or nothing where there is no training.
 * @param {Page} page
 */
export function makeTraining(page) {
  const { series = -1, loss = -1, after = -1 } = page.engine.model.film;
  if (series >= 0 && page.steps[series].rows > 1) return makeCurve(page, series, after);
  const before = series >= 0 ? series : loss;
  return before < 0 || after < 0 ? null : makeDifference(page, before, after);
}

/**
 * One step alone: its loss before and after the update.
 * @param {Page} page @param {number} before @param {number} after
 */
function makeDifference(page, before, after) {
  const line = make("p");
  const show = () => write(line, sayLoss(page.engine.text(before, 0, 0), page.engine.text(after, 0, 0)));
  for (const k of [before, after]) page.addView(k, show);
  return make("div", {}, line);
}

/**
 * @param {Page} page @param {number} series  a row for each step, the loss first @param {number} after  −1 if it is not here
 */
function makeCurve(page, series, after) {
  const { engine, main, state, steps } = page;
  const { rows, columns, path } = steps[series];
  const parts = findAll(".part[data-film=training_step]", main);
  const kept = (main.dataset.kept?.split(" ") ?? parts.map(({ dataset }) => dataset.pass)).map(Number);
  const figure = make("figure.curve");
  const said = make("output");
  const isLog = input({ type: "checkbox", onchange: () => paint() });
  const range = input({ type: "range", min: 1, max: rows, value: 1, "aria-label": say("training_step") });
  const lossAt = (/** @type {number} */ at) => ({
    loss: engine.numbers(series)[at * columns],
    text: engine.text(series, at, 0),
    path,
    cell: `${at},0`,
  });

  function paint() {
    const losses = Array.from({ length: rows }, (_, at) => lossAt(at));
    if (after >= 0)
      losses.push({
        loss: engine.numbers(after)[0],
        text: engine.text(after, 0, 0),
        path: steps[after].path,
        cell: "0,0",
      });
    const svg = drawCurve(losses, +range.value, isLog.checked);
    svg.setAttribute("aria-label", sayLoss(losses[0].text, losses[losses.length - 1].text));
    figure.replaceChildren(svg);
    const shown = nearest(+range.value);
    const of = shown && shown !== +range.value ? [say("matrices_of_step", { step: shown })] : [];
    const last = after < 0 ? [] : [say("after_update", { loss: engine.text(after, 0, 0) })];
    const loss = losses[+range.value - 1].text;
    const text = say("step_loss", { step: range.value, count: rows, loss });
    range.setAttribute("aria-valuetext", text);
    write(said, [text, ...of, ...last].join(" · "));
  }

  /** The last step up to this one whose matrices are here; 0 if there is none.  @param {number} step */
  const nearest = (step) => Math.max(0, ...kept.filter((one) => one <= step));

  /** Of all training steps, the matrices of this one, and what it takes as given from the one before. */
  function show() {
    const last = nearest(+range.value);
    const first = Math.max(0, ...kept.filter((one) => one < last)) + 1;
    const isShown = (/** @type {HTMLElement} */ { dataset }) =>
      Number(dataset.pass) >= first && Number(dataset.pass) <= last;
    for (const part of parts) part.classList.toggle("off", !isShown(part));
    const here = parts.find(({ id }) => state.address.startsWith(id + "."));
    const there = parts.find(({ dataset }) => Number(dataset.pass) === last);
    const wanted = here && there ? there.id + state.address.slice(here.id.length) : state.address;
    if (wanted !== state.address && engine.find(wanted) >= 0) state.change({ address: wanted });
    paint();
  }

  range.addEventListener("input", show);
  page.revealing.subscribe((element) => {
    const part = parts.find((one) => one.contains(element));
    if (!part?.classList.contains("off")) return;
    range.value = String(kept.find((one) => one >= Number(part.dataset.pass)) ?? rows);
    show();
  });
  for (const k of after < 0 ? [series] : [series, after]) page.addView(k, paint);
  show();
  return make(
    "div",
    {},
    figure,
    make("p", {}, range, " ", make("label", {}, isLog, " " + say("log_scale"))),
    make("p", {}, said),
  );
}
