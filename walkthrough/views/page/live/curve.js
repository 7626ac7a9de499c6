// Where a page has: data-series
// A series: its first column as a curve over the rows.
sections.forEach((section, k) => {
  const { n: rows, m: columns, rowLabels, columnLabels } = steps[k];
  if (!("series" in section.dataset) || rows < 3) return;
  const wide = 560,
    high = 160,
    path = drawn("path"),
    top = drawn("text", { y: 12 }),
    from = drawn("text", { y: high + 16 }, rowLabels[0]),
    to = drawn("text", { x: wide, y: high + 16, "text-anchor": "end" }, rowLabels[rows - 1]),
    svg = drawn("svg", { viewBox: `-2 0 ${wide + 4} ${high + 22}`, width: wide, role: "img" }, path, top, from, to);
  $(".t", section).before(made("figure.curve", {}, svg));
  follows(k, () => {
    const numbers = [...engine.numbers(k)].filter((_, at) => at % columns === 0),
      most = Math.max(...numbers.filter(isFinite)),
      points = numbers.map((x, i) => `${((i / (rows - 1)) * wide).toFixed(1)} ${(high - (x / most) * (high - 20)).toFixed(1)}`);
    path.setAttribute("d", "M" + points.join("L"));
    top.textContent = `${columnLabels[0]} ${engine.text(k, 0, 0)} → ${engine.text(k, rows - 1, 0)}`;
    svg.setAttribute("aria-label", top.textContent.replace("→", "to"));
  });
});
