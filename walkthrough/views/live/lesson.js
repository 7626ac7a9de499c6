// Stepping through: one step at a time, its numbers covered until somebody has said what comes out.
let at = -1,
  isCovered = true;
const order = sections
  .map((section, k) => k)
  .sort((one, other) => (sections[one].compareDocumentPosition(sections[other]) & 2 ? 1 : -1));
const question = made("form.ask", {}),
  sources = made("div.sources", {}),
  where = made("span.where", {}),
  lesson = made(
    "div.lesson",
    { hidden: "" },
    button("◀", () => turnTo(at - 1), { "aria-label": "Step before" }),
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
  document.documentElement.classList.toggle("stepping", isOn);
  lesson.hidden = !isOn;
  question.remove();
  sources.remove();
  for (const old of $$(".now,.covered", main)) old.classList.remove("now", "covered");
  close();
  if (isOn) return turnTo(Math.max(0, order.indexOf(light.last ?? 0)));
  if (at >= 0) go(engine.path(order[at]));
}

function turnTo(wanted) {
  at = within(wanted, order.length);
  const k = order[at],
    section = sections[k];
  for (const old of $$(".now,.covered", main)) old.classList.remove("now", "covered");
  reveal(section);
  section.classList.add("now");
  const parts = [];
  for (let part = section.parentNode; part !== main; part = part.parentNode) {
    if (part.className === "part") parts.unshift(part.firstElementChild.textContent.split(" · ").pop());
  }
  where.textContent = [`Step ${at + 1} of ${order.length}`, ...parts].join(" · ");
  here = engine.path(k);
  keepAddress();
  showSources(k, section);
  ask(k, section);
  scrollTo(0, 0);
}

// What the step is computed from, beside it; what the number in question reads is marked.
function showSources(k, section) {
  sources.remove();
  sources.replaceChildren(made("p", {}, "Computed from"));
  const sample = $(".w", section),
    place = sample && [k, ...sample.dataset.c.split(",").map(Number)];
  const read = place ? engine.operands(...place) : [];
  for (const input of new Set(read.map(([input]) => input))) {
    const copy = tables[input].cloneNode(true);
    for (const td of $$("td", copy))
      for (const name of ["tabindex", "data-m", "aria-describedby"]) td.removeAttribute(name);
    for (const [from, row, column] of read)
      if (from === input) copy.tBodies[0].rows[row].cells[column + 1].dataset.m = "o";
    sources.append(
      made(
        "figure",
        {},
        made(
          "figcaption",
          {},
          made("a", { href: "#" + engine.path(input) }, `${engine.symbol(input)} ${engine.title(input)}`),
        ),
        copy,
      ),
    );
  }
  if (read.length) section.after(sources);
}

// What comes out here? An answer is right to the digits that are shown.
function ask(k, section) {
  question.remove();
  const sample = $(".w", section);
  if (!isCovered || !sample) return;
  section.classList.add("covered");
  close();
  const place = [k, ...sample.dataset.c.split(",").map(Number)],
    input = made("input", {
      inputmode: "decimal",
      autocomplete: "off",
      "aria-label": `Your answer for ${nameOf(...place)}`,
    });
  const said = made("span", { "aria-live": "polite" });
  question.replaceChildren(
    "What comes out here? ",
    made("b", {}, nameOf(...place)),
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
    said.textContent = isRight ? "Right." : "Not this. Try again, or uncover.";
    said.className = isRight ? "right" : "wrong";
  };
  $(".t", section).before(question);
  input.focus({ preventScroll: true });
}

function judged(place, answer) {
  const text = engine.text(...place),
    typed = answer.trim().replaceAll("−", "-").replace(",", ".");
  if (!/\d/.test(text) || text.trim() === answer.trim()) return text.trim() === answer.trim();
  const shown = Number(text.replaceAll("−", "-")),
    digits = text.split("e")[0].split(".")[1]?.length || 0;
  return (
    typed !== "" &&
    Math.abs(Number(typed) - shown) <= 0.5 * 10 ** -digits * (text.includes("e") ? Math.abs(shown) : 1) + 1e-12
  );
}

function uncover() {
  $(".covered", main)?.classList.remove("covered");
}

document.addEventListener("keydown", (event) => {
  if (lesson.hidden || event.ctrlKey || event.altKey || event.metaKey) return;
  const isTyping = event.target.tagName === "INPUT" && event.target.type !== "checkbox",
    inTable = placeOf(event.target);
  if (event.key === "PageDown" || (event.key === "ArrowRight" && !isTyping && !inTable)) turnTo(at + 1);
  else if (event.key === "PageUp" || (event.key === "ArrowLeft" && !isTyping && !inTable)) turnTo(at - 1);
  else if (event.key === "Escape" && !chosen) stepThrough(false);
  else return;
  event.preventDefault();
});
