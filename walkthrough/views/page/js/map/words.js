// Words as chips: a given one can be exchanged for another of the vocabulary; labels in tables follow.
import { find, findAll, make, rewrite } from "../face/dom.js";
import { escapeLabel } from "../writing/text.js";
import { say } from "../writing/language.js";

/** @param {Page} page */
export function startWords(page) {
  const { engine, map, root, state, steps, tables } = page;
  const { words } = engine.model;
  writeWords(page);
  if (!words) return;
  const labels = new Set(words.texts.map((text) => text.labels));
  /** @param {number} k */
  const writeLabels = (k) => {
    for (const [part, own] of Object.entries({ tbody: steps[k].rowLabels, thead: steps[k].columnLabels }))
      if (labels.has(own)) findAll(`${part} th`, tables[k]).forEach((th, at) => rewrite(th, escapeLabel(own[at])));
  };
  engine.relabelling.subscribe(() => {
    writeWords(page);
    tables.forEach((_, k) => writeLabels(k));
    root.toggleAttribute("data-other-words", words.isChanged);
    if ("prints" in document.body.dataset) state.change({ notice: words.isChanged ? say("prints_left_out") : "" });
  });
  map.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLSelectElement)) return;
    const at = target.dataset.at ?? "";
    engine.word(Number(at), target.value);
    find(`[data-at="${at}"]`, map)?.focus();
  });
}

/** The words in the map, as the steps that read them have them.  @param {Page} page */
export function writeWords({ engine, map, steps }) {
  const { words } = engine.model;
  for (const box of findAll("[data-rows]", map)) {
    const { rowLabels } = steps[engine.find(box.dataset.rows ?? "")];
    const ours = words?.texts.some(({ labels }) => labels === rowLabels && labels.length >= words.count) && words;
    const chips = rowLabels.map((label, at) => {
      const shown = escapeLabel(label);
      return ours && ours.canChange(at) ? makeChoice(ours, at, shown) : make("b", { "data-word": shown }, shown);
    });
    box.replaceChildren(...chips.flatMap((chip) => [chip, " "]));
  }
}

/** @param {GivenWords} words @param {number} at @param {string} shown */
function makeChoice({ vocabulary, barred, now }, at, shown) {
  const options = vocabulary.flatMap((word, id) => {
    const isNow = id === now[at];
    if (barred.includes(word)) return [];
    return make("option", { value: word, selected: isNow && "" }, isNow ? shown : escapeLabel(word));
  });
  const about = { "data-word": shown, "data-at": at, "aria-label": say("another_word", { word: shown }) };
  return make("select", about, ...options);
}
