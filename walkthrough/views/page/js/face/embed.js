// Some steps within another page: what there is to say and to take back stands below them, and the first matrix stays in
// sight beside the panel.
import { makeNotice, makeStaleNotice } from "../bar/changes.js";
import { button, find, make, need } from "./dom.js";
import { say } from "../writing/language.js";

/** The least that the panel takes, in pixels. */
const LEAST_PANEL = 72;

/** @param {Page} page */
export function startEmbed(page) {
  const { engine, panel, root, sections } = page;
  const reset = button(say("reset"), () => engine.reset());
  const showReset = () => (reset.hidden = !engine.changes().length);
  panel.before(make("div.foot", {}, reset, makeStaleNotice(page), makeNotice(page)));
  engine.changing.subscribe(showReset);
  showReset();
  crossProduct(page);
  const measure = () => {
    const { bottom } = need(".matrix", sections[0]).getBoundingClientRect();
    const room = innerHeight - (bottom + (find("main")?.scrollTop ?? 0));
    root.style.setProperty("--room", `${Math.max(room - 4, LEAST_PANEL)}px`);
  };
  measure();
  addEventListener("resize", measure, { passive: true });
}

/** A product alone has its factors left and above.  @param {Page} page */
function crossProduct({ main, sections, steps }) {
  const product = steps.find(({ drawn }) => drawn?.as === "product");
  if (steps.length !== 3 || new Set(product?.inputs).size !== 2) return;
  main.dataset.product = "";
  sections[product?.inputs[1] ?? 0].dataset.above = "";
}
