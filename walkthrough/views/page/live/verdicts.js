// Where a page has: data-v=
// A number that has a verdict is described by a hidden copy of its note, which may be folded away; in the same order.
for (const section of $$("section:has(.v)")) {
  for (const list of $$("ul", section)) {
    const found = $$(`td[data-v=${list.dataset.v}]`, section);
    [...list.children].forEach((note, at) => {
      const id = `-${list.dataset.v}${at}-${section.id}`;
      section.append(made("span", { id, hidden: "" }, note.textContent));
      found[at].setAttribute("aria-describedby", id);
    });
  }
}
