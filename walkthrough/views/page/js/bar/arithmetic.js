// Controls of the arithmetic: decimals, and by hand (or in a number format) or not; and how far numbers have drifted.
import { button, findAll, input, make, need, rewrite } from "../face/dom.js";
import { within } from "../face/page.js";
import { typesetSigns } from "../writing/numbers.js";
import { say } from "../writing/language.js";

/** By default the decimals are the scenario's, which may round some steps differently by hand.  @param {Page} page */
export function makeArithmeticControls({ engine }) {
  const decimals = make("output");
  const byHand = input({ type: "checkbox", onchange: () => change(0) });

  function show() {
    const arithmetic = engine.mode();
    rewrite(decimals, String(arithmetic.decimals));
    byHand.checked = arithmetic.mode !== "exact";
  }

  /** @param {number} more  decimals */
  function change(more) {
    const { decimals, isAsked } = engine.mode();
    const wanted = isAsked || more ? within(decimals + more, 16) : undefined;
    engine.arithmetic(byHand.checked ? engine.rounded : "exact", wanted);
  }

  show();
  engine.changing.subscribe(show);
  const fewer = button("−", () => change(-1), { "aria-label": say("fewer_decimals") });
  const more = button("+", () => change(1), { "aria-label": say("more_decimals") });
  return [
    make("span.digits", {}, say("decimals") + " ", fewer, decimals, more),
    make("label", {}, byHand, " " + (engine.model.format?.name ?? say("by_hand"))),
  ];
}

/** @param {Page} page */
export function startDrift(page) {
  let timer = 0;
  page.engine.changing.subscribe(() => {
    clearTimeout(timer);
    timer = setTimeout(() => showDrift(page), 50);
  });
}

/** By hand: how far each step has come from the exact one.  @param {Page} page */
function showDrift(page) {
  for (const old of findAll(".drift", page.main)) old.remove();
  const { mode, decimals } = page.engine.mode();
  if (mode === "exact") return;
  page.engine.drift().forEach((drift, k) => {
    if (!drift) return;
    const { most, at } = drift;
    const far = typesetSigns(most < 1e-4 ? most.toExponential(1) : most.toFixed(decimals + 2));
    const text = say("drift", { far, cell: page.nameOf(page.placeAt(k, at)) });
    need(".matrix", page.sections[k]).after(make("p.drift", {}, text));
  });
}
