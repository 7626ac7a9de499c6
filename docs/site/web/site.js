/* The search: what is typed is looked for in headings, scenarios, errata and names; the index comes with the first key. */
// @ts-check
{
  const MOST = 30;
  const input = /** @type {HTMLInputElement} */ (document.getElementById("search"));
  const results = /** @type {HTMLElement} */ (document.getElementById("results"));
  const said = /** @type {HTMLElement} */ (document.getElementById("found"));
  const box = /** @type {HTMLElement} */ (input.parentElement);
  const up = document.body.dataset.up ?? "";
  /** @typedef {[link: string, title: string, kind: string, words: string]} Entry */
  /** @type {Promise<Entry[]> | undefined} */
  let loading;

  /** @returns {Promise<Entry[]>} */
  const index = () =>
    (loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${up}search-index.js`;
      script.onload = () => resolve(/** @type {any} */ (window).searchIndex);
      script.onerror = reject;
      document.head.append(script);
    }));

  /** @param {string} text */
  const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

  /** How well an entry fits: the less the better; null where a word is missing.
   * @param {Entry} entry @param {string[]} wanted */
  function rank([, title, kind, more], wanted) {
    const [own, about, other] = [words(title), words(kind), more.split(" ")];
    let sum = kind ? 1 : 0;
    for (const word of wanted) {
      const cost = [own, about, other].findIndex((some) => some.includes(word));
      const begun = [own, about, other].findIndex((some) => some.some((one) => one.startsWith(word)));
      if (begun < 0) return null;
      sum += Math.min(cost < 0 ? 99 : cost * 4, begun * 4 + 2);
    }
    return sum * 100 + own.length;
  }

  async function search() {
    const wanted = words(input.value);
    if (!wanted.length) return show([]);
    const entries = await index();
    if (wanted.join() !== words(input.value).join()) return;
    const found = entries
      .map((entry) => ({ entry, rank: rank(entry, wanted) }))
      .filter((one) => one.rank !== null)
      .sort((one, other) => Number(one.rank) - Number(other.rank));
    show(found.slice(0, MOST).map((one) => one.entry));
  }

  /** @param {Entry[]} found */
  function show(found) {
    results.hidden = !input.value.trim();
    results.replaceChildren(...found.map(link));
    said.textContent = results.hidden || !found.length ? "" : `${found.length} results`;
    if (!found.length && !results.hidden) {
      const nothing = document.createElement("p");
      nothing.textContent = said.textContent = "Nothing found.";
      results.append(nothing);
    }
  }

  /** @param {Entry} entry */
  function link([place, title, kind]) {
    const found = document.createElement("a");
    found.href = up + place;
    found.textContent = title;
    const about = document.createElement("small");
    about.textContent = kind;
    if (kind) found.append(about);
    found.addEventListener("click", close);
    return found;
  }

  function close() {
    input.value = "";
    show([]);
  }

  input.addEventListener("input", search);
  input.addEventListener("keydown", async (event) => {
    if (event.key === "Escape") close();
    if (event.key !== "Enter" || event.isComposing) return;
    await search();
    results.querySelector("a")?.click();
  });
  results.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    close();
    input.focus();
  });
  box.addEventListener("keydown", (event) => {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!way) return;
    const places = [input, ...results.querySelectorAll("a")];
    places[places.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + way]?.focus();
    event.preventDefault();
  });
  // what is found covers nothing that has the focus
  box.addEventListener("focusin", () => (results.hidden = !input.value.trim()));
  box.addEventListener("focusout", (event) => {
    if (!box.contains(/** @type {Node | null} */ (event.relatedTarget))) results.hidden = true;
  });
}
