// The current changes: what they are, the command that calculates with them, and how they are taken back.
import { escapeText } from "../writing/text.js";
import { button, make, rewrite, consume, isField, sign } from "../face/dom.js";
import { say } from "../writing/language.js";

/** A word of a command line. */
export const quote = (/** @type {string} */ text) =>
  /^[\w./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";

/** The command that calculates what is shown.  @param {Engine} engine @param {string} run  the one without changes */
export function commandOf(engine, run) {
  const { mode, decimals, isAsked } = engine.mode();
  const changes = engine.runnable().map((item) => " --set " + quote(escapeText(item)));
  const arithmetic = { exact: "", "by hand": " --by-hand" }[mode] ?? " --arithmetic " + mode;
  return run + changes.join("") + arithmetic + (isAsked ? " --decimals " + decimals : "");
}

const command = (/** @type {Page} */ { engine }) => commandOf(engine, document.body.dataset.run ?? "");

/** The message where a change would alter which steps are calculated.  @param {Page} page */
export function runAgain(page) {
  const [before, after] = say("run_again").split("{command}");
  return [before, make("code", {}, command(page)), after];
}

/** What is changed, folded under how many there are; a link and the command to carry away.  @param {Page} page */
export function makeChanges(page) {
  const { engine, root } = page;
  const count = make("summary");
  const items = make("b");
  const said = make("span", { "aria-live": "polite" });
  const copied = make("code");

  /** Shows a text, and copies it where that is allowed: a page by http has no clipboard.  @param {string} text @param {string} words @param {string} more */
  async function copy(text, words, more = "") {
    copied.textContent = text;
    said.textContent = "";
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = words + more;
    } catch {
      said.textContent = say("not_copied") + more;
    }
  }

  const leftOut = () => (engine.runnable().length < engine.changes().length ? " " + say("left_out") : "");

  function show() {
    const found = engine.changes();
    root.toggleAttribute("data-changed", found.length > 0);
    said.textContent = copied.textContent = "";
    rewrite(count, say("changes", { count: found.length }));
    rewrite(items, found.map(escapeText).join("; "));
  }

  engine.changing.subscribe(show);
  show();
  const buttons = [
    button(say("copy_link"), () => copy(location.href, say("link_copied"))),
    button(say("copy_command"), () => copy(command(page), say("command_copied"), leftOut())),
    button(say("reset_numbers"), () => engine.reset()),
  ];
  return make("details.changes", {}, count, make("div", {}, items, ...buttons, said, copied));
}

/** What there is to say.  @param {Page} page */
export function makeNotice({ state }) {
  const notice = make("p.fault", { role: "alert", hidden: "" });
  state.subscribe(["notice"], () => {
    notice.textContent = state.notice;
    notice.hidden = !state.notice;
  });
  return notice;
}

/**
 * A line for what changes make stale: after the next frame, as it takes what decides it to be calculated.
 * @param {Page} page
 */
export function makeStaleNotice(page) {
  const { engine } = page;
  const stale = make("p.stale", { role: "alert", hidden: "" });
  let timer = 0;
  engine.changing.subscribe(() => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      stale.hidden = !engine.model.deciding.some(({ k }) => engine.isStale(k));
      stale.replaceChildren(...runAgain(page), " " + say("grey_numbers"));
    }, 60);
  });
  return stale;
}

/** @param {Page} page */
export function makeUndo({ engine }) {
  const undo = sign("↶", () => engine.undo(), say("undo"));
  const redo = sign("↷", () => engine.redo(), say("redo"));
  function show() {
    undo.toggleAttribute("disabled", !engine.history.past.length);
    redo.toggleAttribute("disabled", !engine.history.future.length);
  }
  addEventListener("keydown", (event) => {
    const isMeant = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "z";
    if (!isMeant || isField(event.target)) return;
    consume(event);
    if (event.shiftKey) engine.redo();
    else engine.undo();
  });
  engine.changing.subscribe(show);
  show();
  return [undo, redo];
}
