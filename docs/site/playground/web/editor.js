/* The text of the scenario: line numbers, indentation that Enter keeps, and what is wrong with it. */

/** @typedef {{severity: string, line: number | null, column: number | null, message: string, help: string | null}} Problem */

export class Editor {
  /** @param {HTMLTextAreaElement} area @param {HTMLElement} numbers @param {HTMLElement} problems */
  constructor(area, numbers, problems) {
    this.area = area;
    this.numbers = numbers;
    this.problems = problems;
    /** @type {Set<number>} */
    this.marked = new Set();
    this.onchange = () => {};
    area.addEventListener("scroll", () => (numbers.scrollTop = area.scrollTop));
    area.addEventListener("keydown", (event) => this.key(event));
    area.addEventListener("input", () => this.changed());
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.area.scrollTop = 0;
    this.area.setSelectionRange(0, 0);
    this.changed();
  }

  changed() {
    this.mark(this.marked);
    this.onchange();
  }

  /** Enter begins the next line below the first sign of this one. @param {KeyboardEvent} event */
  key(event) {
    if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const before = this.text.slice(0, this.area.selectionStart);
    const indentation = /^[ \t]*/.exec(before.slice(before.lastIndexOf("\n") + 1))?.[0] ?? "";
    event.preventDefault();
    // kept for undo, which setRangeText would forget
    if (!document.execCommand("insertText", false, `\n${indentation}`)) {
      this.area.setRangeText(`\n${indentation}`, this.area.selectionStart, this.area.selectionEnd, "end");
      this.changed();
    }
  }

  /** @param {Problem[]} problems */
  show(problems) {
    this.problems.replaceChildren(...problems.map((one) => this.button(one)));
    this.mark(new Set(problems.map((one) => one.line ?? 1)));
  }

  /** @param {Problem} problem */
  button({ severity, line, column, message, help }) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = severity;
    button.dataset.line = String(line ?? 1);
    button.dataset.column = String(column ?? 1);
    const where = line === null ? "" : `line ${line}, column ${column}: `;
    button.textContent = `${where}${severity}: ${message}${help ? `; ${help}` : ""}`;
    button.addEventListener("click", () => this.go(line ?? 1, column ?? 1));
    return button;
  }

  /** Numbers every line, and marks some. @param {Set<number>} marked */
  mark(marked) {
    this.marked = marked;
    const count = this.text.split("\n").length;
    const kept = `${count} ${[...marked].join()}`;
    if (this.numbers.dataset.shown === kept) return;
    this.numbers.dataset.shown = kept;
    const lines = [];
    let plain = "";
    for (let line = 1; line <= count; line++) {
      if (marked.has(line)) {
        const mark = document.createElement("mark");
        mark.textContent = String(line);
        lines.push(plain, mark);
        plain = "\n";
      } else plain += `${line}\n`;
    }
    this.numbers.replaceChildren(...lines, plain);
    this.numbers.scrollTop = this.area.scrollTop;
  }

  /** Puts the caret there. Columns count characters, of which some take two places here.
   * @param {number} line @param {number} column */
  go(line, column) {
    const lines = this.text.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const within = [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    this.area.focus();
    this.area.setSelectionRange(before + within, before + within);
    this.area.scrollTop = Math.max(0, (line - 1) * height - this.area.clientHeight / 2);
  }
}
