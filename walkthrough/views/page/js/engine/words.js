// The given words of the text, each of which can be exchanged for another of the vocabulary: another row is looked up.
import { say } from "../writing/language.js";
import { escapeLabel, findMeant } from "../writing/text.js";

export class GivenWords {
  /** @param {Model} model @param {StoredWords} stored @param {string[][]} labels */
  constructor(model, stored, labels) {
    this.model = model;
    this.vocabulary = stored.vocabulary;
    this.barred = stored.barred;
    this.lookups = stored.lookups;
    this.ids = stored.ids;
    /** All labels that are made of these words, or of one, with the words, and which is the first. */
    this.texts = stored.texts.map(([place, words, first]) => ({ labels: labels[place], words: [...words], first }));
    this.count = stored.count;
    const longest = this.texts.reduce((most, { words }) => (words.length > most.length ? words : most), [""]);
    /** The row of each word in the table, at first and now; those that a generation has chosen come after the given ones. */
    this.first = longest.map((word) => this.vocabulary.indexOf(word));
    this.now = [...this.first];
    /** @type {Map<number, number>} the steps that have chosen the words behind the given ones, and the places of these */
    this.chosen = new Map();
    const lookups = this.lookups.map((k) => model.steps[k]);
    const isOne = new Set(lookups.map(({ rows }) => rows)).size === lookups.length; // else there are several hypotheses
    for (const { chosenBy, rows } of isOne ? lookups : [])
      if (chosenBy !== undefined) this.chosen.set(chosenBy, rows - 1);
    /** @type {number[]} the expression that copies a row of the table, by row */
    this.copies = [];
  }

  get isChanged() {
    return this.given.some((id, at) => id !== this.first[at]);
  }

  /** The rows of the given words. */
  get given() {
    return this.now.slice(0, this.count);
  }

  /** The words as `--set tokens=…` has them. */
  get text() {
    return this.given.map((id) => this.vocabulary[id]).join(" ");
  }

  /** Whether another word can stand at a place.  @param {number} at */
  canChange(at) {
    return at < this.count && !this.barred.includes(this.vocabulary[this.first[at]]);
  }

  /** The row of a word; an error where there is none.  @param {string} word */
  find(word) {
    const id = findMeant(word, this.vocabulary);
    if (id < 0 || this.barred.includes(word)) throw new Error(say("unknown_word", { word: escapeLabel(word) }));
    return id;
  }

  /** Puts another word at a place: labels and what is looked up are its own then.  @param {number} at @param {number} id */
  set(at, id) {
    this.now[at] = id;
    for (const { labels, words, first } of this.texts) {
      if (at < words.length) words[at] = this.vocabulary[id];
      labels.splice(0, labels.length, ...distinct(words).slice(first, first + labels.length));
    }
    for (const k of this.lookups) {
      const step = this.model.steps[k];
      if (at >= step.rows) continue;
      const others = step.pieces.flatMap(byRow).filter(({ rows }) => rows[0] !== at);
      step.pieces = [...others, { rows: [at, 1, 1], columns: [0, step.columns, 1], expression: this.#copy(id) }];
    }
  }

  /** All words as at first. */
  reset() {
    this.first.forEach((id, at) => id !== this.now[at] && this.set(at, id));
  }

  /** @param {number} id */
  #copy(id) {
    const copy = ["@", 0, id, [0, 0, 1]];
    return (this.copies[id] ??= this.model.expressions.push(copy) - 1);
  }
}

/** The piece in pieces of one row.  @param {Piece} piece @returns {Piece[]} */
const byRow = ({ rows: [start, count, by], ...piece }) =>
  Array.from({ length: count }, (_, row) => ({ ...piece, rows: [start + row * by, 1, 1] }));

/** The words as labels: each that occurs more than once is followed by its position.  @param {string[]} words */
const distinct = (words) =>
  words.map((word, at) => (words.indexOf(word) === words.lastIndexOf(word) ? word : `${word}@${at + 1}`));
