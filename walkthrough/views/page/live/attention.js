// Where a page has: data-words
// Attention: the words of the rows left, those of the columns right, a line for each weight. Heads stand side by side.
function lines(k) {
  const { rowLabels: rows, columnLabels: columns } = steps[k],
    high = 20,
    most = 12,
    short = (word) => (word.length > most ? word.slice(0, most - 1) + "…" : word),
    side = Math.max(...[...rows, ...columns].map((word) => short(word).length)) * 7.5 + 8,
    wide = 2 * side + 90,
    size = `0 0 ${wide} ${Math.max(rows.length, columns.length) * high + 4}`,
    y = (at) => at * high + high / 2 + 2;
  const all = rows.flatMap((_, i) => columns.map((_, j) => drawn("line", { x1: side, y1: y(i), x2: wide - side, y2: y(j) })));
  const left = rows.map((word, i) => drawn("text", { x: side - 6, y: y(i) + 4, "text-anchor": "end" }, short(word))),
    right = columns.map((word, j) => drawn("text", { x: wide - side + 6, y: y(j) + 4 }, short(word)));
  left.forEach((word, i) => {
    word.onpointerenter = () =>
      all.forEach((one, at) => one.classList.toggle("off", Math.floor(at / columns.length) !== i));
    word.onpointerleave = () => all.forEach((one) => one.classList.remove("off"));
  });
  follows(k, () =>
    engine.numbers(k).forEach((x, at) => {
      all[at].style.strokeOpacity = x > 0 ? x : 0;
      all[at].style.strokeWidth = 1 + 4 * x;
    }),
  );
  const said = { viewBox: size, width: wide, role: "img", "aria-label": `${titleOf(k)} as lines` };
  return drawn("svg", said, ...all, ...left, ...right);
}

const drawable = [...steps.keys()].filter((k) => "words" in sections[k].dataset && steps[k].size >= 4 && steps[k].size <= 1600);
for (const heads of grouped(drawable, (k) => steps[k].p.replace(/\.\d+(?=\.[^.\d]+$)/, ""))) {
  const figure = made("figure.heads"),
    last = sections[heads.at(-1)];
  for (const k of heads) {
    const part = sections[k].closest(".part")?.firstElementChild.textContent.split(" · ").pop();
    figure.append(made("a", { href: "#" + steps[k].p }, made("span", {}, part || titleOf(k)), lines(k)));
  }
  let home = last.parentNode;
  while (heads.some((k) => !home.contains(sections[k]))) home = home.parentNode;
  if (heads.length > 1) home.firstElementChild.after(figure);
  else $(".t", last).after(figure);
}
