// Stepping through: one step at a time, its numbers covered until somebody has said what comes out.
let at = -1,
  isCovered = true;
const order = [...sections.keys()].sort((one, other) => (isBefore(sections[one], sections[other]) ? -1 : 1));
const question = made("form.ask"),
  sources = made("div.sources"),
  where = made("span.where"),
  lesson = made(
    "div.lesson",
    { hidden: "" },
    button("◀", () => turnTo(at - 1), { "aria-label": "Previous step" }),
    button("▶", () => turnTo(at + 1), { "aria-label": "Next step" }),
    where,
    made(
      "label",
      {},
      made("input", {
        type: "checkbox",
        checked: "",
        onchange: (event) => {
          isCovered = event.target.checked;
          turnTo(at);
        },
      }),
      " Cover numbers",
    ),
    button("All steps", () => stepThrough(false)),
  );
bar.prepend(lesson);

function stepThrough(isOn) {
  root.classList.toggle("stepping", isOn);
  lesson.hidden = !isOn;
  leave();
  if (isOn) turnTo(Math.max(0, order.indexOf(last)));
  else if (at >= 0) go(steps[order[at]].p);
  if (!isOn) $(".start").focus({ preventScroll: true });
}

function leave() {
  question.remove();
  sources.remove();
  for (const old of $$(".now,.covered", main)) old.classList.remove("now", "covered");
  close();
}

function turnTo(wanted, covers = isCovered) {
  at = within(wanted, order.length);
  const k = order[at],
    section = sections[k];
  leave();
  reveal(section);
  section.classList.add("now");
  const parts = [];
  for (let part = section.parentNode; part !== main; part = part.parentNode) {
    if (part.className === "part") parts.unshift(part.firstElementChild.textContent.split(" · ").pop());
  }
  where.textContent = [`Step ${at + 1} of ${order.length}`, ...parts].join(" · ");
  here = steps[k].p;
  keepAddress();
  const sample = $(".w", section);
  if (sample) {
    showSources(section, placeIn(k, sample));
    if (covers) ask(section, placeIn(k, sample));
  }
  scrollTo(0, 0);
}

// A link, or a number that is followed, leads to a step that is not there now: it takes the place of the one at hand.
const unfold = reveal;
reveal = (element) => {
  unfold(element);
  const section = element.closest("section") || $("section", element),
    wanted = order.indexOf(sections.indexOf(section)),
    way = trail;
  if (lesson.hidden || wanted === at || wanted < 0) return;
  turnTo(wanted, false);
  trail = way;
};

// What the step is computed from, beside it; what the number in question reads is marked.
function showSources(section, place) {
  sources.replaceChildren(made("p", {}, "Computed from"));
  for (const strip of grouped(engine.operands(...place), ([input]) => input)) {
    const [[input]] = strip,
      { p, y, m } = steps[input],
      copy = tables[input].cloneNode(true),
      all = $$("tbody td", copy);
    for (const td of all) for (const name of ["tabindex", "data-m", "aria-describedby"]) td.removeAttribute(name);
    for (const [, row, column] of strip) all[row * m + column].dataset.m = "o";
    const caption = made("figcaption", {}, made("a", { href: "#" + p }, `${y} ${titleOf(input)}`));
    sources.append(made("figure", {}, caption, copy));
  }
  section.after(sources);
}

// Which number belongs here? An answer is right to the digits that are shown.
function ask(section, place) {
  section.classList.add("covered");
  const label = `Your answer for ${nameOf(place)}`,
    input = made("input", { inputmode: "decimal", autocomplete: "off", "aria-label": label }),
    said = made("span", { "aria-live": "polite" });
  question.replaceChildren(
    "Which number belongs here? ",
    made("b", {}, nameOf(place)),
    " = ",
    input,
    button("Check", () => question.requestSubmit()),
    button("Uncover", uncover),
    said,
  );
  question.onsubmit = (event) => {
    event.preventDefault();
    const isRight = judged(place, input.value);
    if (isRight) uncover();
    said.textContent = isRight ? "Right." : "Not right. Try again, or uncover.";
    said.className = isRight ? "right" : "wrong";
  };
  $(".t", section).before(question);
  input.focus({ preventScroll: true });
}

function judged(place, answer) {
  const text = engine.text(...place).trim(),
    typed = read(answer);
  if (!/\d/.test(text) || text === answer.trim()) return text === answer.trim();
  const shown = +text.replaceAll("−", "-"),
    digits = text.split("e")[0].split(".")[1]?.length || 0,
    scale = text.includes("e") ? Math.abs(shown) : 1;
  return typed !== "" && Math.abs(typed - shown) <= 0.5 * 10 ** -digits * scale + 1e-12;
}

function uncover() {
  $(".covered", main)?.classList.remove("covered");
}

on(document, "keydown", (event) => {
  const { key, target } = event;
  if (lesson.hidden || event.ctrlKey || event.altKey || event.metaKey) return;
  const isFree = !(target.tagName === "INPUT" && target.type !== "checkbox") && !placeOf(target);
  if (key === "PageDown" || (key === "ArrowRight" && isFree)) turnTo(at + 1);
  else if (key === "PageUp" || (key === "ArrowLeft" && isFree)) turnTo(at - 1);
  else if (key === "Escape" && !chosen) stepThrough(false);
  else return;
  event.preventDefault();
});
