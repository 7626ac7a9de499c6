// A training as a film: the curve of its loss, and a cursor over its steps; below, the matrices of one of them.
import { turnTo } from "../face/clock.js";
import { button, input, make, write } from "../face/dom.js";
import { fillBlanks, say } from "../writing/language.js";
import { copyOf } from "../pictures/copies.js";
import { drawCurve } from "../pictures/curve.js";

/** The film, or nothing where there is no training.  @param {Page} page */
export function makeTraining(page) {
  const { series = -1, loss = -1, after = -1 } = page.engine.model.film;
  if (series >= 0 && page.steps[series].rows > 1) return makeCurve(page, series, after);
  const before = series >= 0 ? series : loss;
  return before < 0 || after < 0 ? null : makeDifference(page, before, after);
}

/**
 * One step alone: its loss before and after the update, each a button that shows the model then.
 * @param {Page} page @param {number} before @param {number} after
 */
function makeDifference(page, before, after) {
  const [first, last] = [before, after].map((_, at) => makeTurn(page, at));
  const show = () => {
    write(first, page.engine.text(before, 0, 0));
    write(last, page.engine.text(after, 0, 0));
  };
  const said = make("p", {}, ...fillBlanks(say("loss_change"), { before: first, after: last }));
  page.views.add(said, [before, after], show, true);
  show();
  return make("div.chips", {}, said);
}

/** A button that shows a pass.  @param {Page} page @param {number} at */
function makeTurn(page, at) {
  const { engine, state } = page;
  const { name, title } = engine.model.passes[at] ?? engine.model.passes[0];
  const found = button("", () => turnTo(page, at), { "data-pass": name, title });
  const show = () => found.setAttribute("aria-pressed", String(state.pass === at));
  state.subscribe(["pass"], show);
  show();
  return found;
}

/**
 * @param {Page} page @param {number} series  a row for each step, the loss first @param {number} after  −1 if it is not here
 */
function makeCurve(page, series, after) {
  const { engine, state, steps } = page;
  const { passes } = engine.model;
  const { rows } = steps[series];
  const kept = passes.flatMap(({ name }, at) => (name === "trained" ? [] : [{ step: Number(name), at }]));
  const figure = make("figure.curve");
  const said = make("output");
  const isLog = input({ type: "checkbox", onchange: () => paint() });
  const range = input({ type: "range", min: 1, max: rows, value: rows, "aria-label": say("training_step") });
  const end = passes.findIndex(({ name }) => name === "trained");
  const trained = end < 0 || after < 0 ? null : makeTurn(page, end);
  /** @param {Place} at */
  const lossOf = (...at) => ({ loss: engine.number(...at), text: engine.text(...at), about: copyOf(page, at) });

  /** The pass of the last step up to this one that is kept; −1 if there is none.  @param {number} step */
  const passAt = (step) => kept.findLast((one) => one.step <= step)?.at ?? -1;

  function paint() {
    const losses = Array.from({ length: rows }, (_, at) => lossOf(series, at, 0));
    if (after >= 0) losses.push(lossOf(after, 0, 0));
    const isEnd = trained && state.pass === end;
    const svg = drawCurve(losses, isEnd ? rows + 1 : +range.value, isLog.checked);
    const [before, now] = [losses[0].text, losses[losses.length - 1].text];
    svg.setAttribute("aria-label", say("loss_change", { before, after: now }));
    figure.replaceChildren(svg);
    const { name } = passes[passAt(+range.value)] ?? {};
    const of = !isEnd && name && name !== range.value ? [" · ", say("matrices_of_step", { step: name })] : [];
    const text = say("step_loss", { step: range.value, count: rows, loss: losses[+range.value - 1].text });
    range.setAttribute("aria-valuetext", text);
    if (trained) write(trained, say("after_update", { loss: engine.text(after, 0, 0) }));
    said.replaceChildren(text, ...of);
  }

  range.addEventListener("input", () => {
    turnTo(page, passAt(+range.value));
    paint();
  });
  state.subscribe(["pass"], () => {
    const { name } = passes[state.pass];
    if (name === "trained") range.value = String(rows);
    else if (passAt(+range.value) !== state.pass) range.value = name;
    paint();
  });
  page.views.add(figure, after < 0 ? [series] : [series, after], paint, true);
  paint();
  const controls = [range, ...(trained ? [trained] : []), make("label", {}, isLog, " " + say("log_scale"))];
  return make("div.training", {}, figure, make("div", {}, make("p", {}, ...controls), make("p", {}, said)));
}
