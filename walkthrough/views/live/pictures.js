// Pictures of numbers: attention as lines between words, a training as a curve. They follow the numbers.
const SVG = "http://www.w3.org/2000/svg";
function drawn(tag, attributes, ...inside) {
  const element = document.createElementNS(SVG, tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  element.append(...inside);
  return element;
}

// Attention: the words of the rows left, those of the columns right, a line for each weight. Heads stand side by side.
function lines(k) {
  const rows = engine.rowLabels(k),
    columns = engine.columnLabels(k),
    high = 20;
  const letters = Math.min(12, Math.max(...rows.map((word) => word.length), ...columns.map((word) => word.length)));
  const side = letters * 7.5 + 8,
    wide = 2 * side + 90,
    height = Math.max(rows.length, columns.length) * high + 4;
  const svg = drawn("svg", {
    viewBox: `0 0 ${wide} ${height}`,
    width: wide,
    role: "img",
    "aria-label": `${engine.title(k)} as lines`,
  });
  const short = (word) => (word.length > 12 ? word.slice(0, 11) + "…" : word),
    all = [];
  const y = (at) => at * high + high / 2 + 2;
  rows.forEach((_, i) =>
    columns.forEach((_, j) => {
      all.push(svg.appendChild(drawn("line", { x1: side, y1: y(i), x2: wide - side, y2: y(j) })));
    }),
  );
  const words = rows.map((word, i) =>
    drawn("text", { x: side - 6, y: y(i) + 4, "text-anchor": "end", class: "r" }, short(word)),
  );
  svg.append(...words, ...columns.map((word, j) => drawn("text", { x: wide - side + 6, y: y(j) + 4 }, short(word))));
  words.forEach((word, i) => {
    word.onpointerenter = () =>
      all.forEach((one, at) => one.classList.toggle("off", Math.floor(at / columns.length) !== i));
    word.onpointerleave = () => all.forEach((one) => one.classList.remove("off"));
  });
  const paint = () =>
    engine.numbers(k).forEach((x, i) => {
      all[i].style.strokeOpacity = x > 0 ? x : 0;
      all[i].style.strokeWidth = 1 + 4 * x;
    });
  return { svg, paint };
}

function follows(k, view) {
  (views[k] ||= []).push(view);
  view();
}

const layers = new Map();
sections.forEach((section, k) => {
  if (section.dataset.s !== "share" || !("words" in section.dataset)) return;
  if (engine.rows(k) * engine.columns(k) > 1600 || engine.rows(k) * engine.columns(k) < 4) return;
  const layer = engine.path(k).replace(/\.\d+(?=\.[^.\d]+$)/, "");
  layers.set(layer, [...(layers.get(layer) || []), k]);
});
for (const heads of layers.values()) {
  const figure = made("figure.heads", {}),
    last = sections[heads.at(-1)];
  for (const k of heads) {
    const { svg, paint } = lines(k),
      part = sections[k].closest(".part")?.firstElementChild.textContent.split(" · ").pop();
    figure.append(made("a", { href: "#" + engine.path(k) }, made("span", {}, part || engine.title(k)), svg));
    follows(k, paint);
  }
  let home = last.parentNode;
  while (heads.some((k) => !home.contains(sections[k]))) home = home.parentNode;
  if (heads.length > 1) home.firstElementChild.after(figure);
  else $(".t", last).after(figure);
}

// A series: its first column as a curve over the rows.
sections.forEach((section, k) => {
  if (!("series" in section.dataset) || engine.rows(k) < 3) return;
  const wide = 560,
    high = 160,
    path = drawn("path", {}),
    top = drawn("text", { x: 0, y: 12 }),
    end = drawn("text", { x: wide, y: high + 16, "text-anchor": "end" });
  const svg = drawn(
    "svg",
    { viewBox: `-2 0 ${wide + 4} ${high + 22}`, width: wide, role: "img" },
    path,
    top,
    drawn("text", { x: 0, y: high + 16 }, engine.rowLabels(k)[0]),
    end,
  );
  $(".t", section).before(made("figure.curve", {}, svg));
  follows(k, () => {
    const rows = engine.rows(k),
      columns = engine.columns(k),
      numbers = Array.from({ length: rows }, (_, i) => engine.numbers(k)[i * columns]);
    const most = Math.max(...numbers.filter(Number.isFinite)),
      name = engine.columnLabels(k)[0];
    path.setAttribute(
      "d",
      numbers
        .map(
          (x, i) =>
            `${i ? "L" : "M"}${((i / (rows - 1)) * wide).toFixed(1)} ${(high - (x / most) * (high - 20)).toFixed(1)}`,
        )
        .join(""),
    );
    top.textContent = `${name} ${engine.text(k, 0, 0)} → ${engine.text(k, rows - 1, 0)}`;
    end.textContent = engine.rowLabels(k)[rows - 1];
    svg.setAttribute("aria-label", `${name}, from ${engine.text(k, 0, 0)} to ${engine.text(k, rows - 1, 0)}`);
  });
});

// Passes: of a model that runs several times, one run at a time, at the same step.
const runs = $$("main>.part").filter((part) => /^(generate|train)\.\d+$/.test(part.id));
if (runs.length > 1) {
  const before = $$("main>*").filter((one) => one.compareDocumentPosition(runs[0]) & 4);
  const isFirst = runs[0].id.endsWith(".1"),
    all = isFirst ? runs : [null, ...runs];
  const slider = made("input", { type: "range", min: 1, max: all.length, value: 1, "aria-label": "Pass" }),
    name = made("output", {});
  const shown = (number) => {
    slider.value = number;
    name.textContent = `${runs[0].firstElementChild.textContent.replace(/\d+$/, "")}${number} of ${all.length}`;
    runs.forEach((run) => run.classList.toggle("off", run !== all[number - 1]));
  };
  const numberOf = (path) =>
    Math.max(
      all.findIndex((run) => run && path.startsWith(run.id + ".")),
      0,
    ) + 1;
  slider.oninput = () => {
    const number = +slider.value,
      now = engine.path(light.last ?? 0),
      bare = now.replace(/^(generate|train)\.\d+\./, "");
    shown(number);
    const wanted = all[number - 1] ? `${all[number - 1].id}.${bare}` : bare;
    if (engine.find(wanted) >= 0) go(wanted);
    else if (all[number - 1]) go(all[number - 1].id);
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
