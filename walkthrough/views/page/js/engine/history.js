// Edits that can be taken back, and made again.

export class History {
  /** What there was before each edit.  @type {Edits[]} */
  past = [];
  /** What there was before each undo.  @type {Edits[]} */
  future = [];
  /** Whether edits are not noted now. */
  isHeld = false;

  /** @param {Edits} before @param {Edits} after */
  note(before, after) {
    if (this.isHeld || JSON.stringify(before) === JSON.stringify(after)) return;
    this.past.push(before);
    this.future = [];
  }

  /** What there was before the last edit, or null.  @param {Edits} now */
  undo(now) {
    return move(this.past, this.future, now);
  }

  /** What there was before the last undo, or null.  @param {Edits} now */
  redo(now) {
    return move(this.future, this.past, now);
  }
}

/** @param {Edits[]} from @param {Edits[]} to @param {Edits} now */
function move(from, to, now) {
  const found = from.pop() ?? null;
  if (found) to.push(now);
  return found;
}
