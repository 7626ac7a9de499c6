// Edits that can be taken back, and made again.

const isSameEdits = (/** @type {Edits} */ one, /** @type {Edits} */ other) =>
  JSON.stringify(one) === JSON.stringify(other);

export class History {
  constructor() {
    /** @type {Edits[]} what there was before each edit */
    this.past = [];
    /** @type {Edits[]} what there was before each undo */
    this.future = [];
    /** Whether edits are not noted now. */
    this.isHeld = false;
  }

  /** @param {Edits} before @param {Edits} after */
  note(before, after) {
    if (this.isHeld || isSameEdits(before, after)) return;
    this.past.push(before);
    this.future = [];
  }

  /** What there was before the last edit, or null.  @param {Edits} now */
  undo(now) {
    const found = this.past.pop();
    if (!found) return null;
    this.future.push(now);
    return found;
  }

  /** What there was before the last undo, or null.  @param {Edits} now */
  redo(now) {
    const found = this.future.pop();
    if (!found) return null;
    this.past.push(now);
    return found;
  }

  /** Forgets an undo: what it took back cannot be made again. */
  forget() {
    this.future.pop();
  }

  /** What has been changed so far is where it begins. */
  begin() {
    this.past = [];
    this.future = [];
  }
}
