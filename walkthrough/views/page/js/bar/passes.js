// Passes: of a model that runs several times, one run at a time, at the same step.
// @ts-check
import { goTo } from "../face/address.js";
import { findAll, input, make, need } from "../face/dom.js";
import { say } from "../writing/language.js";

/** @param {import("../face/page.js").Page} page */
export function startPasses(page) {
  const runs = findAll("main>.part[data-pass]");
  if (runs.length < 2) return;
  const first = runs[0].dataset.pass === "1" ? [] : [null];
  const all = [...first, ...runs]; // a first one may be no part of its own
  const slider = input({ type: "range", min: 1, max: all.length, value: 1, "aria-label": say("Pass") });
  const name = make("output");
  const title = runs[0].firstElementChild?.textContent?.replace(/\d+$/, "");

  /** @param {number} number */
  function show(number) {
    slider.value = String(number);
    name.textContent = say("{pass} of {count}", { pass: `${title}${number}`, count: all.length });
    for (const run of runs) run.classList.toggle("off", run !== all[number - 1]);
  }

  let held = "";
  const release = () => (held = "");
  slider.addEventListener("blur", release);
  addEventListener("wheel", release, { passive: true });
  addEventListener("touchmove", release, { passive: true });
  slider.addEventListener("input", () => {
    const run = all[+slider.value - 1];
    // The page may still be on its way to the step of the last move, and not every pass has that step.
    const path = (held ||= pathWithin(page, runs));
    const wanted = run ? `${run.id}.${path}` : path;
    show(+slider.value);
    if (page.engine.find(wanted) >= 0) goTo(page, wanted);
    else if (run) goTo(page, run.id);
    slider.focus({ preventScroll: true }); // a browser that goes to another place of the page takes the focus away
  });
  need(".settings", page.bar).prepend(make("div.passes", {}, make("label", {}, slider, " ", name)));
  page.revealing.add((element) => {
    const run = runs.find((one) => one.contains(element));
    if (run) show(all.indexOf(run) + 1);
  });
  show(1);
}

/**
 * The path of the current step without that of its pass.
 * @param {import("../face/page.js").Page} page @param {HTMLElement[]} runs
 */
function pathWithin({ state, steps, sections }, runs) {
  const k = Math.max(state.atHand, 0);
  const run = runs.find((one) => one.contains(sections[k]));
  return run ? steps[k].path.slice(run.id.length + 1) : steps[k].path;
}
