// Where a page has: id="(generate|train)\.\d
// Passes: of a model that runs several times, one run at a time, at the same step.
const runs = $$("main>.part").filter((part) => /^(generate|train)\.\d+$/.test(part.id));
if (runs.length > 1) {
  const isFirst = runs[0].id.endsWith(".1"),
    all = isFirst ? runs : [null, ...runs];
  const slider = made("input", { type: "range", min: 1, max: all.length, value: 1, "aria-label": "Pass" }),
    name = made("output");
  const shown = (number) => {
    slider.value = number;
    name.textContent = `${runs[0].firstElementChild.textContent.replace(/\d+$/, "")}${number} of ${all.length}`;
    runs.forEach((run) => run.classList.toggle("off", run !== all[number - 1]));
  };
  slider.oninput = () => {
    const run = all[slider.value - 1],
      bare = steps[Math.max(last, 0)].p.replace(/^(generate|train)\.\d+\./, ""),
      wanted = run ? `${run.id}.${bare}` : bare;
    shown(slider.value);
    if (engine.find(wanted) >= 0) go(wanted);
    else if (run) go(run.id);
    slider.focus({ preventScroll: true }); // a browser that goes to another place of the page takes the focus away
  };
  bar.append(made("div.passes", {}, made("label", {}, slider, " ", name)));
  const opened = reveal;
  reveal = (element) => {
    opened(element);
    const run = element && runs.find((run) => run.contains(element));
    if (run) shown(all.indexOf(run) + 1);
  };
  shown(1);
}
