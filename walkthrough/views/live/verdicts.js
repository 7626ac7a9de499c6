// Where a page has: data-v=
// A number that has a verdict is described by its note, which may be folded away; both stand in the same order.
for (const section of $$("section:has(.v)")) {
  for (const list of $$("ul", section)) {
    const found = $$(`td[data-v=${list.dataset.v}]`, section);
    [...list.children].forEach((note, at) => found[at].setAttribute("aria-description", note.textContent));
  }
}
