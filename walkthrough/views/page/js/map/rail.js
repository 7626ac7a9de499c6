// Where one is: the step at hand, lit in the map, which is a rail beside the steps, or named in a line of the bar.
import { find, findAll, isBefore, make } from "../face/dom.js";
import { fit, isKeptInView } from "../face/scrolling.js";
import { say } from "../writing/language.js";

/** @param {Page} page */
export function startRail(page) {
  const { bar, front, map, root, state } = page;
  /** @type {Map<string, HTMLElement>} the links of steps, by path */
  const links = new Map();
  function collect() {
    links.clear();
    for (const link of findAll("a[style]", map)) {
      const path = (link.getAttribute("href") ?? "").slice(1);
      links.set(path, link);
      links.set(page.steps[page.engine.find(path)].inner, link);
    }
  }
  const here = makeBreadcrumb(page);
  let lit = -1;
  /** How high the bar was when room was left for it. */
  let fitted = 0;

  function look() {
    if (state.isLecturing) return;
    light(); // the bar may grow by the line that says where one is
    const high = bar.offsetHeight;
    const isPast = front.isConnected && front.getBoundingClientRect().bottom <= high;
    if (isPast !== root.classList.contains("railed")) {
      front.style.minHeight = isPast ? `${front.offsetHeight}px` : "";
      root.classList.toggle("railed", isPast);
      fit(page);
    } else if (high !== fitted && !state.chosen) fit(page); // else the panel does it
    fitted = high;
    root.style.setProperty("--bar", `${high}px`);
  }

  function light() {
    const k = stepAtHand(page);
    if (k < 0) return;
    state.change({ atHand: k });
    if (k === lit) return;
    lit = k;
    here(k);
    find("[aria-current]", map)?.removeAttribute("aria-current");
    const link = linkOf(links, page.steps[k].path);
    if (!link) return;
    link.setAttribute("aria-current", "true");
    const box = link.getBoundingClientRect();
    const edge = map.getBoundingClientRect();
    if (root.classList.contains("railed") && (box.top < edge.top + 40 || box.bottom > edge.bottom - 40))
      map.scrollTop += box.top - (edge.top + edge.bottom) / 2;
  }

  const soon = () => requestAnimationFrame(look);
  const scrolled = () => {
    const box = page.sections[state.landed]?.getBoundingClientRect();
    if (box && (!isKeptInView() || box.top > innerHeight || box.bottom < 0)) state.landed = -1;
    soon();
  };
  addEventListener("scroll", scrolled, { passive: true });
  addEventListener("resize", soon, { passive: true });
  state.subscribe(["chosen"], () => {
    if (state.chosen) state.landed = -1;
    soon();
  });
  state.subscribe(["landed"], soon);
  state.subscribe(["pass"], () => {
    collect();
    lit = -1;
    soon();
  });
  collect();
  page.views.seeing.subscribe(soon);
  look();
}

/**
 * The step at hand in a line, for narrow windows; it is told the step.
 * @param {Page} page
 */
function makeBreadcrumb(page) {
  const { order, sections } = page;
  const previous = make("a", { rel: "prev", "aria-label": say("previous_step") }, "◀");
  const next = make("a", { rel: "next", "aria-label": say("next_step") }, "▶");
  const where = make("span");
  const title = make("b");
  const line = make("div", { id: "-here", hidden: "" }, previous, where, title, next);
  page.bar.append(line);
  return (/** @type {number} */ k) => {
    const at = order.indexOf(k);
    const lead = (/** @type {HTMLElement} */ link, /** @type {number | undefined} */ to) => {
      if (to === undefined) link.removeAttribute("href");
      else link.setAttribute("href", "#" + page.steps[to].path);
    };
    line.hidden = false;
    where.textContent = partTitles(sections[k]).join(" · ");
    title.textContent = page.titleOf(k);
    lead(previous, order[at - 1]);
    lead(next, order[at + 1]);
  };
}

/**
 * The titles of the parts around a step, the outermost first.
 * @param {HTMLElement} section
 */
export function partTitles(section) {
  /** @type {string[]} */
  const titles = [];
  for (let part = section.parentElement; part; part = part.parentElement)
    if (part.className === "part") titles.unshift(partTitle(part));
  return titles;
}

/** @param {Element | null} part */
export const partTitle = (part) => part?.firstElementChild?.textContent?.split(" · ").pop() ?? "";

/**
 * The step that an address has led to; else the chosen number's while it is on the screen, else the last one that begins in its upper third.
 * @param {Page} page
 */
function stepAtHand({ engine, sections, state, views }) {
  if (state.landed >= 0) return state.landed;
  let at = -1;
  for (const element of views.seen) {
    const k = engine.find(element.id);
    if (k < 0) continue;
    const { top, bottom } = element.getBoundingClientRect();
    if (k === state.chosen?.[0] && top < innerHeight && bottom > 60) return k;
    if (top < innerHeight / 3 && bottom > 60 && (at < 0 || isBefore(sections[at], sections[k]))) at = k;
  }
  return at;
}

/**
 * The link to a step; else to the one that it corresponds to: the same in the pass, example or layer that the map shows,
 * what it is the gradient or the update of, or the output of a folded part.
 * @template T
 * @param {Map<string, T>} links @param {string} path
 */
export function linkOf(links, path) {
  const words = path.split(".");
  const inner = words.map((_, at) => words.slice(at));
  for (const some of inner) if (links.has(some.join("."))) return links.get(some.join("."));
  for (let more = words.length - 1; more > 0; more--)
    for (const some of inner.filter((one) => one.length > more)) {
      const part = some.slice(0, more).join(".") + ".";
      const within = [...links.keys()].filter((one) => one.startsWith(part) || `${one}.` === part);
      if (within.length) return links.get(within[within.length - 1]);
    }
  return undefined;
}
