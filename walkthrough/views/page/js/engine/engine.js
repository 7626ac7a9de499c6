// The steps of a page: their numbers, what follows from a change, and how each number is shown and worked out.
import { Calculation, WORD, same } from "./calculation.js";
import { History } from "./history.js";
import { Listeners } from "./listeners.js";
import { Model } from "./model.js";
import { allDigits } from "../writing/numbers.js";
import { operandsOf, usersOf } from "./origins.js";
import { readChange } from "./selectors.js";
import { Shown } from "./shown.js";
import { say } from "../writing/language.js";
import { workedLine } from "./worked.js";

const LEAST_CHANGE = 1e-12;

/** Steps are called by their number k; their state is one `Calculation`. */
export class Engine {
  /** @param {Data} data */
  constructor(data) {
    this.model = new Model(data);
    this.steps = this.model.steps;
    /** @type {Listeners<number[]>} told which steps may have other numbers */
    this.changing = new Listeners();
    /** @type {Listeners<void>} told that other words are labels */
    this.relabelling = new Listeners();
    this.calculation = new Calculation(this.model, this.model.arithmetic);
    this.shown = new Shown(this.calculation);
    this.history = new History();
    /** The words that labels have now. */
    this.labelled = String(this.model.words?.now);
  }

  /** @param {number} k */
  #update(k) {
    return this.calculation.update(this.steps[k]);
  }

  /** The step with this path or alias, or −1.  @param {string} path */
  find(path) {
    return this.model.paths.get(path) ?? -1;
  }

  /** @param {number} k */
  numbers(k) {
    return this.#update(k).now;
  }

  /** @param {Place} place */
  number(...[k, row, column]) {
    return this.numbers(k)[row * this.steps[k].columns + column];
  }

  /** Whether changed numbers would alter which steps are calculated: it keeps its numbers.  @param {number} k */
  isStale(k) {
    return this.#update(k).isStale;
  }

  /** @param {number} k */
  isUnknown(k) {
    this.#update(k);
    return this.shown.isUnknown(this.steps[k]);
  }

  /** The steps that are calculated and not only copied. */
  calculatedSteps() {
    const copies = (/** @type {number} */ at) => /^[@~],/.test(String(this.model.expressions[at]));
    const isOwn = (/** @type {Step} */ step) =>
      !step.isGiven && !step.pieces.every(({ expression }) => copies(expression));
    return this.steps.filter(isOwn).map(({ k }) => k);
  }

  // --- changes ---

  /**
   * @param {number} k @param {number} row @param {number} column @param {number} x
   * @param {boolean} isContinued  it goes on with the last edit: both are one
   */
  set(k, row, column, x, isContinued = false) {
    const before = this.#edits();
    const touched = this.calculation.set(k, row, column, x);
    if (!isContinued) this.history.note(before, this.#edits());
    this.#emit(touched);
  }

  /** Exchanges the given words, by their rows in the table.  @param {number[]} ids */
  setWords(ids) {
    const before = this.#edits();
    const now = this.model.words?.given ?? [];
    const touched = ids.flatMap((id, at) => (id === now[at] ? [] : this.calculation.set(WORD, at, 0, id)));
    this.history.note(before, this.#edits());
    if (touched.length) this.#emit(touched);
  }

  /** Exchanges one of the given words, from 0.  @param {number} at @param {string} word */
  word(at, word) {
    const { words } = this.model;
    if (!words?.canChange(at)) throw new Error(say("words_stay"));
    this.setWords(words.given.map((id, place) => (place === at ? words.find(word) : id)));
  }

  reset() {
    const before = this.#edits();
    const touched = this.calculation.reset();
    this.history.note(before, this.#edits());
    if (touched.length) this.#emit(touched);
  }

  /** Takes the last edit back; false where there is none. */
  undo() {
    return this.#restore(this.history.undo(this.#edits()));
  }

  /** Makes the edit again that was taken back last; false where there is none. */
  redo() {
    return this.#restore(this.history.redo(this.#edits()));
  }

  /** @returns {Edits} */
  #edits() {
    return [...this.calculation.edits.values()].map(({ place, x }) => [...place, x]);
  }

  /** @param {Edits | null} edits */
  #restore(edits) {
    if (!edits) return false;
    const touched = new Set(this.calculation.reset());
    for (const edit of edits) for (const k of this.calculation.set(...edit)) touched.add(k);
    this.#emit(touched);
    return true;
  }

  /** Whatever these change is one edit.  @param {() => void} act */
  asOneEdit(act) {
    const before = this.#edits();
    this.history.isHeld = true;
    try {
      act();
    } finally {
      this.history.isHeld = false;
      this.history.note(before, this.#edits());
    }
  }

  /** Reads `CELL=NUMBER` as `--set` does; returns what is wrong with it, or nothing.  @param {string} item */
  apply(item) {
    const words = /^\s*tokens\s*=(.*)$/s.exec(item);
    return this.attempt(() => {
      if (words) this.setWords(this.#readWords(words[1].split(/\s+/).filter(Boolean)));
      else this.set(...readChange(this.model, item));
    });
  }

  /** Makes a change; returns what is wrong with it, or nothing.  @param {() => void} change */
  attempt(change) {
    try {
      change();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    return "";
  }

  /** @param {string[]} wanted */
  #readWords(wanted) {
    const { words } = this.model;
    if (!words) throw new Error(say("words_stay"));
    if (wanted.length !== words.count) throw new Error(say("as_many_words", { count: words.count }));
    return wanted.map((word, at) => {
      const id = words.find(word);
      if (id !== words.now[at] && !words.canChange(at)) throw new Error(say("words_stay"));
      return id;
    });
  }

  changes() {
    return this.#said(() => true);
  }

  /** @param {(step: Step) => boolean} isMeant */
  #said(isMeant) {
    const { words } = this.model;
    const numbers = [...this.calculation.edits.values()].filter(
      ({ place: [k] }) => k !== WORD && isMeant(this.steps[k]),
    );
    const said = numbers.map(({ place: [k, ...cell], x }) => `${this.steps[k].nameOf(...cell)}=${allDigits(x)}`);
    return words?.isChanged ? [`tokens=${words.text}`, ...said] : said;
  }

  /** The changes that the command line can make: of numbers that are given there too. */
  runnable() {
    return this.#said((step) => !step.isAsGiven);
  }

  /** @param {Iterable<number>} from */
  #emit(from) {
    const text = String(this.model.words?.now);
    const isOther = text !== this.labelled;
    this.labelled = text;
    if (isOther) this.relabelling.emit();
    this.changing.emit(isOther ? [...this.steps.keys()] : this.model.reach(from));
  }

  /** Which numbers of a step, row by row, are others than at first.  @param {number} k @returns {boolean[]} */
  changed(k) {
    const { first, now } = this.#update(k);
    const isNear = (/** @type {number} */ x, /** @type {number} */ was) =>
      Math.abs(x - was) <= LEAST_CHANGE * Math.max(1, Math.abs(was));
    return Array.from(now, (x, at) => !same(x, first[at]) && !isNear(x, first[at]));
  }

  // --- arithmetic ---

  /** What the page calculates in when not exactly: by hand, or the name of a number format. */
  get rounded() {
    return this.model.format?.name ?? "by hand";
  }

  /** @param {string} mode  `exact`, `by hand`, which in a page with a number format is its name too @param {number} [decimals] */
  arithmetic(mode, decimals) {
    if (!["exact", "by hand", this.rounded].includes(mode)) throw new Error(`expected "exact" or "${this.rounded}"`);
    if (decimals != null && !(Number.isInteger(decimals) && decimals >= 0 && decimals <= 15))
      throw new Error("expected a whole number of decimals from 0 to 15");
    this.calculation = this.calculation.withArithmetic({ byHand: mode !== "exact", asked: decimals ?? null });
    this.shown = new Shown(this.calculation);
    this.#emit(this.steps.keys());
  }

  mode() {
    const { byHand, asked } = this.calculation.arithmetic;
    return { mode: byHand ? this.rounded : "exact", decimals: asked ?? this.model.decimals, isAsked: asked !== null };
  }

  /**
   * How far each step, by hand, has come from the exact numbers at most, and at which cell, counted row by row; null
   * where it has not.
   * @returns {({ most: number, at: number } | null)[]}
   */
  drift() {
    const exact = this.calculation.withArithmetic({ ...this.calculation.arithmetic, byHand: false });
    return this.steps.map((step) => {
      const wanted = exact.update(step).now;
      const off = this.numbers(step.k).map((x, at) => Math.abs(x - wanted[at]));
      const most = off.reduce((found, x) => (x < Infinity ? Math.max(found, x) : found), 0);
      return most > 0 ? { most, at: off.indexOf(most) } : null;
    });
  }

  // --- what is shown ---

  /** @param {number} k @param {number} row @param {number} column */
  text(k, row, column) {
    const step = this.model.stepAt(k, row, column);
    this.#update(k);
    return this.shown.text(step, row, column);
  }

  /** The text that a number had before all changes.  @param {number} k @param {number} row @param {number} column */
  firstText(k, row, column) {
    const { first } = this.#update(k);
    return this.shown.textOf(this.model.stepAt(k, row, column), column, first[row * this.steps[k].columns + column]);
  }

  /** @param {number} k @param {number} row @param {number} column */
  line(k, row, column) {
    const step = this.model.stepAt(k, row, column);
    const { isStale } = this.#update(k);
    for (const input of step.inputs) this.#update(input);
    return workedLine(this.shown, step, row, column, isStale);
  }

  /** @param {Place} place */
  operands(...place) {
    return operandsOf(this.model, place);
  }

  /** @param {Place} place */
  users(...place) {
    return usersOf(this.model, place);
  }
}
