// Where a page has: data-of
// The first screen has copies of what comes out in the end.
for (const copy of $$("[data-of]")) {
  const k = engine.find(copy.dataset.of);
  copied.add(k);
  follows(k, () => {
    const place = placeIn(k, copy),
      text = engine.text(...place),
      { was } = cellAt(...place).dataset;
    if (copy.textContent !== text) copy.textContent = text;
    copy.toggleAttribute("data-halted", engine.halted(k));
    if (was && was !== text) copy.dataset.was = was;
    else delete copy.dataset.was;
  });
}
