// The steps of a page: their numbers, what follows from a change, and how each number is shown and worked out.

const NEAR = 1e-12, SUSPECT = 1e-9;

function makeEngine(data) {
  const expressions = data.expressions.map(readExpression), kernels = [], paths = new Map(), listeners = [];
  const edits = new Map(), steps = [];
  let byHand = Boolean(data.byHand), asked = data.asked, clock = 1, isRecorded = true, halts = false;

  const labelsOf = (table, count) => data.labels[table] || Array.from({ length: count }, (_, at) => String(at + 1));
  for (const stored of data.steps) {
    const step = { ...data.alike[stored.l], ...data.alike[stored.z], ...stored }, k = steps.length;
    const [shared, rest] = cut(step.p);
    step.p = k ? steps[k - 1].p.slice(0, shared) + rest : rest;
    step.a = (step.a || []).map(cut).map(([count, beginning]) => beginning + step.p.slice(count));
    for (const path of [step.p, ...step.a]) if (!paths.has(path)) paths.set(path, k);
    steps.push({
      ...step, k, size: step.n * step.m, inputs: (step.i || []).map((by) => k - by), given: !("f" in step), users: [], names: data.words[step.w],
      pieces: Array.isArray(step.f) ? step.f : [[0, step.n, 1, 0, step.m, 1, step.f]],
      rowLabels: labelsOf(step.r, step.n), columnLabels: labelsOf(step.c, step.m),
      // Its numbers before any change, and now: null until somebody asks, so that a page is there before it has calculated.
      begun: null, now: null,
      get read() {
        return this.x && readNumbers(this.x);
      },
      get first() {
        if (!this.begun) begin(this);
        return this.begun;
      },
      get array() {
        return this.now ?? this.first;
      },
    });
  }
  for (const step of steps) {
    step.editable = step.given && step.e !== 0;
    for (const input of new Set([...step.inputs, step.s ?? []].flat())) steps[input].users.push(step);
  }

  // --- numbers ---

  const digitsFor = (step) => (asked != null ? [asked, 0] : step.d || [data.rounding, 0]);
  const isMade = (step) => step.given && step.o !== undefined;

  /** How far by-hand arithmetic has rounded the numbers of a step, or null. */
  function digitsShown(step) {
    if (!byHand || (step.given && !isMade(step))) return null;
    return step.given && (Array.isArray(step.o) || hasEdit(step)) ? null : digitsFor(step);
  }

  const hasEdit = (step) => [...edits.values()].some((edit) => edit.cells.some(([k]) => k === step.k));

  function roundAll(step, array) {
    const digits = digitsFor(step);
    for (let at = 0; at < array.length; at++) if (!(step.h && at % step.m === 0)) array[at] = roundTo(array[at], digits);
  }

  function compute(step, when = "array") {
    const array = new Float64Array(step.size);
    place.arrays = step.inputs.map((input) => steps[input][when]);
    place.widths = step.inputs.map((input) => steps[input].m);
    for (const [top, height, down, left, width, right, number] of step.pieces) {
      const kernel = (kernels[number] ||= compiled(expressions[number]));
      for (let i = 0, row = top; i < height; i++, row += down) {
        place.row = row;
        for (let j = 0, column = left; j < width; j++, column += right) {
          place.column = column;
          array[row * step.m + column] = kernel();
        }
      }
    }
    if (byHand) roundAll(step, array);
    return array;
  }

  /** Brings a step up to date, and first what it comes from. */
  function ensure(step) {
    if (step.seen === clock || (step.given && !("s" in step))) return;
    step.seen = clock;
    let newest = 0, halted = false;
    for (const input of step.inputs) {
      const given = steps[input];
      ensure(given);
      newest = Math.max(newest, given.changed);
      halted ||= given.halted;
    }
    step.halted = halted || isHalted(step);
    if (step.halted || step.given || newest <= step.computed) return;
    step.computed = clock;
    put(step, compute(step));
  }

  /** Whether other numbers decide now what is calculated. */
  function isHalted(step) {
    if ("b" in step && keeps(steps[step.inputs[0]], step.b[0]) !== Boolean(step.b[1])) return true;
    if (!("s" in step)) return false;
    const chooser = steps[step.s];
    ensure(chooser);
    return chooser.halted || !same(lastWord(chooser), firstWord(chooser));
  }

  function keeps({ array, n, m }, size) {
    for (let row = 0; row < n; row++) if (Math.abs(largest(array.subarray(row * m, row * m + m))) > size) return false;
    return true;
  }

  const lastWord = (step) => step.array[step.size - step.m];
  const firstWord = (step) => (step.word ??= step.first[step.size - step.m]);

  function put(step, array) {
    if (array.every((x, at) => Object.is(x, step.array[at]))) return;
    step.now = array;
    step.changed = clock;
    step.shown = null;
  }

  /** All steps without any change of theirs, in the arithmetic that is chosen. */
  function start(recorded) {
    clock += 1;
    const last = recorded ? [] : steps.map((step) => step.array);
    for (const step of steps) Object.assign(step, { shown: null, computed: clock, seen: clock, changed: clock, halted: false, begun: null, now: null });
    isRecorded = recorded;
    if (!recorded) for (const step of steps) startAnew(step, last[step.k]);
  }

  /** In other arithmetic than the recorded: what is halted keeps its numbers. */
  function startAnew(step, last) {
    step.halted = step.inputs.some((input) => steps[input].halted) || isHalted(step);
    step.begun = step.halted && !step.given ? step.read || last : firstNumbers(step);
  }

  /** The first numbers of a step, and before them those that it comes from. */
  function begin(step) {
    const found = new Set(), waiting = [step];
    while (waiting.length) {
      const one = waiting.pop();
      if (one.begun || found.has(one)) continue;
      found.add(one);
      for (const input of one.inputs) waiting.push(steps[input]);
    }
    for (const one of [...found].sort((first, second) => first.k - second.k)) one.begun = firstNumbers(one);
  }

  function firstNumbers(step) {
    if (step.given) return givenNumbers(step);
    return isRecorded && step.read ? step.read : compute(step, "first");
  }

  function givenNumbers(step) {
    const array = step.read.slice();
    if (byHand && isMade(step)) {
      roundAll(step, array);
      if (Array.isArray(step.o)) for (const at of step.o) array[at] = step.read[at];
    }
    return array;
  }

  // --- changes ---

  /** The cells of all steps that hold the same number of the scenario. */
  function sharing(step, row, column) {
    if (!step.g) return [[step.k, row, column]];
    const [group, top, left] = step.g;
    return steps.flatMap((other) => {
      if (!other.g || other.g[0] !== group) return [];
      const i = row + top - other.g[1], j = column + left - other.g[2];
      return i >= 0 && j >= 0 && i < other.n && j < other.m ? [[other.k, i, j]] : [];
    });
  }

  const nameOf = (step, row, column) => `${step.p}[${step.rowLabels[row]}, ${step.columnLabels[column]}]`;

  function set(k, row, column, x) {
    const step = stepAt(k, row, column);
    if (typeof x !== "number" || !isFinite(x)) throw new Error(`${nameOf(step, row, column)}: expected a finite number`);
    if (!step.editable) throw new Error(`${nameOf(step, row, column)} cannot be changed: ${step.given ? "it decides what is calculated" : "it is calculated"}`);
    const cells = sharing(step, row, column), [head] = cells;
    clock += 1;
    edits.delete(String(head));
    if (!isFirst(step, row, column, x)) edits.set(String(head), { x, cells, at: [k, row, column], name: nameOf(step, row, column) });
    for (const [other, i, j] of cells) write(steps[other], i, j, x);
    tell(cells.map(([other]) => other));
  }

  /** Whether a number is what the scenario has, and the one that stands there without changes: by hand it may be rounded. */
  const isFirst = (step, row, column, x) => [step.read, step.first].every((array) => same(x, array[row * step.m + column]));

  function write(step, row, column, x) {
    step.now = step.array.slice();
    step.now[row * step.m + column] = x;
    step.changed = clock;
    step.shown = null;
  }

  function reset() {
    const touched = [...edits.values()].flatMap((edit) => edit.cells.map(([k]) => k));
    if (!touched.length) return;
    edits.clear();
    clock += 1;
    const reached = reach(touched);
    for (const k of reached) {
      const step = steps[k];
      Object.assign(step, { now: step.first, changed: clock, computed: clock, seen: step.given ? 0 : clock, shown: null, halted: false });
    }
    if (halts) start(false);
    tell(touched);
  }

  /** The steps themselves and all that come from them. */
  function reach(from) {
    const found = new Set(), waiting = [...from];
    while (waiting.length) {
      const k = waiting.pop();
      if (found.has(k)) continue;
      found.add(k);
      for (const user of steps[k].users) waiting.push(user.k);
    }
    return [...found].sort((one, other) => one - other);
  }

  function tell(from) {
    const reached = reach(from);
    for (const listener of listeners) listener(reached);
  }

  function arithmetic(mode, decimals) {
    if (mode !== "exact" && mode !== "by hand") throw new Error('expected "exact" or "by hand"');
    if (decimals != null && !(Number.isInteger(decimals) && decimals >= 0 && decimals <= 15)) throw new Error("expected a whole number of decimals from 0 to 15");
    for (const step of steps) if (step.now === null) step.now = step.first;
    for (const { s } of steps) if (s !== undefined) firstWord(steps[s]);
    byHand = mode === "by hand";
    asked = decimals ?? null;
    const recorded = byHand === Boolean(data.byHand) && (!byHand || asked === (data.asked ?? null));
    const made = [...edits.values()];
    edits.clear();
    start(recorded);
    halts = steps.some((step) => step.halted);
    for (const { x, at } of made) set(...at, x);
    tell(steps.keys());
  }

  /** Reads `CELL=NUMBER` as `--set` does; what is wrong with it, or nothing. */
  function apply(item) {
    const at = item.lastIndexOf("="), text = item.slice(at + 1).trim().replace("−", "-"), open = item.indexOf("[");
    const cell = item.slice(0, Math.max(at, 0)).trim();
    if (at < 0 || open < 0 || !cell.endsWith("]")) return `'${printable(item)}' is not a change; write CELL=NUMBER, such as 'embeddings[chai, 1]=0.5'`;
    if (!/^[-+]?(\d[\d_]*\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return `'${printable(item)}': expected a finite number`;
    const found = named(cell.slice(0, open).trim());
    if (typeof found === "string") return found;
    const place = cellOf(found, cell.slice(open + 1, -1));
    if (!place) return `${found.p} has no cell [${printable(cell.slice(open + 1, -1))}]`;
    try {
      set(found.k, ...place, Number(text.replaceAll("_", "")));
    } catch (error) {
      return error.message;
    }
    return "";
  }

  /** The one step that a selector names; of several, the one given step is meant. */
  function named(selector) {
    if (paths.has(selector)) return steps[paths.get(selector)];
    const words = wordsOf(selector);
    const found = steps.filter((step) => [step.p, ...step.a].some((path) => isSelected(path, words)));
    const given = found.filter((step) => step.editable), fitting = given.length === 1 ? given : found;
    if (fitting.length === 1) return fitting[0];
    return found.length ? `'${selector}' matches ${found.length} steps: ${found[0].p}, …` : `no step is called '${printable(selector)}'`;
  }

  function cellOf(step, labels) {
    const readings = [];
    if (step.m === 1) readings.push([labels.trim(), step.columnLabels[0]]);
    if (step.n === 1) readings.push([step.rowLabels[0], labels.trim()]);
    for (let at = labels.indexOf(","); at >= 0; at = labels.indexOf(",", at + 1)) {
      const left = labels.slice(0, at), right = labels.slice(at + 1);
      readings.push([left, right.replace(/^ /, "")], [left.trim(), right.trim()]);
    }
    for (const [row, column] of readings) {
      const place = [meant(row, step.rowLabels), meant(column, step.columnLabels)];
      if (!place.includes(-1)) return place;
    }
    return null;
  }

  // --- what is shown ---

  const cellAt = (step) => (operand, row, column) => {
    const given = steps[step.inputs[operand]];
    return given.array[row * given.m + column];
  };

  function expressionAt(step, row, column) {
    const isIn = (at, [start, count, by]) => (at - start) % by === 0 && at >= start && at < start + count * by;
    const piece = step.pieces.find((one) => isIn(row, one) && isIn(column, one.slice(3)));
    return unfolded(expressions[piece[6]], [1, row, column]);
  }

  const largestSize = (step) => (look(step).size ??= step.array.reduce((most, x) => (isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0));
  const isExact = (step) => digitsShown(step) !== null || (step.given && !isMade(step));
  const unknown = (step) => (look(step).unknown ??= step.given ? hasNaN(step) && Boolean(!step.q || step.u) : step.inputs.some((input) => unknown(steps[input])));
  const hasNaN = (step) => step.array.some((x) => x !== x);

  /** What has been found out about the numbers that a step has now. */
  function look(step) {
    return (step.shown ||= {});
  }

  /** Whether a number is 0 but for what rounding has left of a sum: its own, or that of a number it comes from. */
  function vanishes(step, row, column) {
    const at = row * step.m + column, number = step.array[at];
    if (step.given || !isSuspect(step, number)) return false;
    const known = (look(step).vanished ??= new Map());
    if (!known.has(at)) {
      const exact = cellAt(step), expression = taken(expressionAt(step, row, column), exact);
      const shown = (operand, i, j) => (vanishes(steps[step.inputs[operand]], i, j) ? 0 : exact(operand, i, j));
      known.set(at, cleaned(expression, shown) === 0 || cancels(expression, number, exact));
    }
    return known.get(at);
  }

  const isSuspect = (step, x) => x !== 0 && isFinite(x) && Math.abs(x) < SUSPECT * Math.max(1, ...step.inputs.map((input) => largestSize(steps[input]))) ** 2;

  /** A number as it is shown: without the last bits of a calculation. */
  function seen(step, row, column) {
    const number = step.array[row * step.m + column];
    return vanishes(step, row, column) ? 0 : isExact(step) ? number : withoutLastBits(number, termsOf(step));
  }

  /** How many terms the longest sum has that a number of a step comes from. */
  const termsOf = (step) => (step.terms ??= Math.max(1, ...(step.pieces || []).map((piece) => longestSum(expressions[piece[6]]))));

  function decimalsOf(step) {
    const shown = asked ?? data.decimals;
    if (!byHand || !step.given || digitsShown(step)) return shown;
    if (largestSize(step) >= LARGE) return MOST_PLACES + 1;
    return Math.max(0, ...[...step.array].filter((x) => isFinite(x) && x).map((x) => -digitsOf(x)[1]));
  }

  /** How the numbers of a step are shown: one precision for all. */
  function style(step) {
    const known = look(step);
    if (known.style) return known.style;
    const decimals = decimalsOf(step), size = largestSize(step), exact = isExact(step);
    const all = (isSo) => step.array.every((x, at) => !isFinite(x) || isSo(x) || isSo(seen(step, Math.floor(at / step.m), at % step.m)));
    const whole = size < LARGE && all(Number.isInteger);
    const tiny = size > 0 && size < 0.5 * power10(-decimals) && !all((x) => x === 0);
    return (known.style = { decimals, whole, tiny, exact, missing: unknown(step) ? "?" : "nan", digits: digitsShown(step) });
  }

  /** Any number, written as those of a step are. */
  function numberText(step, x) {
    const { decimals, whole, tiny, exact, missing, digits } = style(step);
    if (!exact) x = withoutLastBits(x, termsOf(step));
    if (x !== x) return missing;
    if (digits) return digitsText(x, digits);
    if (decimals > MOST_PLACES && isFinite(x)) return allDigits(x);
    if (whole && Number.isInteger(x)) return written(x, 0);
    return tiny && isFinite(x) ? scientific(x, decimals) : written(x, decimals);
  }

  /** A number, or the word where it is an id that has one. */
  function plainText(step, row, column) {
    const x = seen(step, row, column);
    if (column === 0 && step.names && x === x) return step.names[x];
    return column === 0 && step.h && isFinite(x) ? String(x) : numberText(step, x);
  }

  const isWord = (step, column) => step.names && column === 0;

  function text(k, row, column) {
    const step = stepAt(k, row, column);
    ensure(step);
    const plain = plainText(step, row, column);
    return isWord(step, column) ? printable(plain) : signed(plain);
  }

  function symbolsOf(step) {
    const symbols = step.inputs.map((input) => steps[input].y);
    return symbols.map((one, at) => (one.includes("_") || symbols.indexOf(one) === symbols.lastIndexOf(one) ? one : `${one}_${at + 1}`));
  }

  function cellName(step, row, column, symbol = step.y) {
    const labels = step.n > 1 || step.m === 1 ? [step.rowLabels[row]] : [];
    if (step.m > 1) labels.push(step.columnLabels[column]);
    return `${symbol}[${labels.map(printable).join(", ")}]`;
  }

  function line(k, row, column) {
    const step = stepAt(k, row, column);
    ensure(step);
    for (const input of step.inputs) ensure(steps[input]);
    const plain = plainText(step, row, column), words = isWord(step, column) ? printable(plain) : typeset(plain);
    const arithmetic = step.given || step.halted ? "" : arithmeticOf(step, row, column);
    return [cellName(step, row, column), arithmetic === words ? "" : arithmetic, words].filter(Boolean).join(" = ");
  }

  function arithmeticOf(step, row, column) {
    const expression = taken(expressionAt(step, row, column), cellAt(step));
    if (expression[0] !== "@") return withNumbers(step, expression, numberText(step, seen(step, row, column)));
    const [, operand, i, j] = expression;
    return cellName(steps[step.inputs[operand]], i, j, symbolsOf(step)[operand]);
  }

  /** The expression with numbers, in as few digits as give the result. */
  function withNumbers(step, whole, wanted) {
    const rests = [], inputs = step.inputs.map((input) => steps[input]), own = cellAt(step);
    const cell = (operand, i, j) => (operand === REST ? rests[i] : own(operand, i, j));
    const expression = shortened(whole, cell, rests), read = [...cellsOf(expression).values()];
    const numbers = (of) => new Map(read.map((one) => [String(one), of(one)]));
    const asSeen = ([, operand, i, j]) => (operand === REST ? withoutLastBits(rests[i], termsOf(step)) : seen(inputs[operand], i, j));
    let known = numbers(asSeen), digits = enough(step, expression, known, wanted);
    if (digits < 0) {
      const exact = numbers(([, ...at]) => cell(...at));
      known = exact;
      digits = enough(step, expression, known, wanted);
      if (digits < 0) digits = MOST_DIGITS;
    }
    const isUnknown = (operand) => operand === REST || unknown(inputs[operand]);
    const cellText = (one) => {
      const x = known.get(String(one));
      return x !== x && !isUnknown(one[1]) ? "nan" : lineNumber(x, digits);
    };
    const label = (id) => printable(String(step.names?.[id] ?? id));
    return lineWriter(data.rules, cellText, (x) => lineNumber(x, Math.max(digits, 12)), label)(expression);
  }

  /** The fewest digits of the operands that give the result, or −1. */
  function enough(step, expression, known, wanted) {
    for (let digits = style(step).decimals; digits <= MOST_DIGITS; digits++) {
      const said = new Map([...known].map(([key, x]) => [key, typed(x, digits)]));
      const found = result(expression, (operand, i, j) => said.get(`@,${operand},${i},${j}`));
      if (numberText(step, found) === wanted) return digits;
    }
    return -1;
  }

  // --- where a number comes from, and where it goes ---

  function operands(k, row, column) {
    const step = stepAt(k, row, column);
    if (step.given) return [];
    const read = new Map();
    for (const [, operand, i, j] of cellsOf(expressionAt(step, row, column)).values()) {
      const place = [step.inputs[operand], i, j];
      read.set(String(place), place);
    }
    return [...read.values()];
  }

  function users(k, row, column) {
    stepAt(k, row, column);
    return steps.filter((user) => user.inputs.includes(k)).flatMap((user) => usersIn(user, k, row, column));
  }

  function usersIn(step, k, row, column) {
    const found = [], mine = new Set(step.inputs.flatMap((input, at) => (input === k ? [at] : [])));
    for (const [top, height, down, left, width, right, number] of step.pieces) {
      const readers = readersIn(expressions[number], mine, []);
      for (let i = top; i < top + height * down; i += down)
        for (let j = left; j < left + width * right; j += right)
          if (readers.some(({ node, counts }) => reads(node, [1, i, j], counts, row, column))) found.push([step.k, i, j]);
    }
    return found.sort((one, other) => one[1] - other[1] || one[2] - other[2]);
  }

  function readersIn(node, mine, counts) {
    if (!Array.isArray(node)) return [];
    if (node[0] === "@") return mine.has(node[1]) ? [{ node, counts }] : [];
    const inner = node[0] === "…" ? [...counts, node[1]] : counts;
    return node.slice(node[0] === "…" ? 2 : 1).flatMap((part) => readersIn(part, mine, inner));
  }

  function reads(node, at, counts, row, column) {
    const isElsewhere = (address, wanted) => !affine(address).slice(at.length).some(Boolean) && addressAt(address, at) !== wanted;
    if (isElsewhere(node[2], row) || isElsewhere(node[3], column)) return false;
    const count = counts[at.length - 3];
    if (count === undefined) return true;
    for (let index = 0; index < count; index++) if (reads(node, [...at, index], counts, row, column)) return true;
    return false;
  }

  // --- together ---

  function stepAt(k, row, column) {
    const step = steps[k];
    if (!step) throw new Error(`there is no step ${k}`);
    if (!(row >= 0 && row < step.n && column >= 0 && column < step.m && Number.isInteger(row) && Number.isInteger(column)))
      throw new Error(`${step.p} has ${step.n} rows and ${step.m} columns, counted from 0: no cell ${row}, ${column}`);
    return step;
  }

  function changed(k) {
    const step = current(k), found = [];
    step.array.forEach((x, at) => {
      const was = step.first[at];
      if (!same(x, was) && !(Math.abs(x - was) <= NEAR * Math.max(1, Math.abs(was)))) found.push(at);
    });
    return found;
  }

  const current = (k) => (ensure(steps[k]), steps[k]);
  const said = ({ name, x }) => `${name}=${allDigits(x)}`;
  const changes = () => [...edits.values()].map(said);

  start(true);
  return {
    steps, set, reset, apply, changes, changed, arithmetic, text, line, operands, users,
    name: (k, row, column) => cellName(steps[k], row, column),
    // What a run can calculate with: without changes of what is only here taken as given.
    runnable: () => [...edits.values()].filter(({ at: [k] }) => !steps[k].q).map(said),
    find: (path) => paths.get(path) ?? -1,
    numbers: (k) => current(k).array,
    isUnknown: (k) => unknown(current(k)),
    halted: (k) => current(k).halted,
    listen: (listener) => listeners.push(listener),
    mode: () => ({ mode: byHand ? "by hand" : "exact", decimals: asked ?? data.decimals, isAsked: asked != null }),
  };
}

/** The two parts of a stored path, which a blank stands between. */
function cut(stored) {
  const [count] = stored.split(" ", 1);
  return [+count, stored.slice(count.length + 1)];
}

const same = (x, y) => x === y || (x !== x && y !== y);

function readNumbers(stored) {
  if (typeof stored !== "string") return Float64Array.from(stored);
  const bytes = Uint8Array.from(atob(stored), (one) => one.charCodeAt(0));
  return new Float64Array(bytes.buffer);
}

/** Which of the labels somebody means, who may copy it as it is printed; −1 where there is none. */
function meant(label, labels) {
  const word = label.normalize(), at = labels.findIndex((one) => one.normalize() === word);
  return at >= 0 ? at : labels.findIndex((one) => printable(one).normalize() === word);
}

const SHORT = { q: "query", k: "key", v: "value", ln: "norm", ffn: "feed_forward", pe: "positional_encoding" };
const KINDS = {
  attention: /^(self_|cross_)?attention$/,
  norm: /^(norm(_[123])?|final_norm|embedding_norm)$/,
  residual: /^residual(_[123])?$/,
};

/** A selector, or a path, as words with their numbers. */
function wordsOf(text) {
  const words = [];
  for (const part of text.toLowerCase().split(".")) {
    const last = words.at(-1);
    if (/^\d+$/.test(part) && last && !last[1]) last[1] = part;
    else words.push([SHORT[part] || part, ""]);
  }
  return words;
}

/** Whether the words of a selector stand in a path, in order. */
function isSelected(path, wanted) {
  let at = 0;
  for (const [word, number] of wordsOf(path)) {
    if (at === wanted.length) break;
    const [sought, count] = wanted[at], kinds = KINDS[sought];
    if ((kinds ? kinds.test(word) : word === sought) && (!count || count === number)) at += 1;
  }
  return at === wanted.length;
}

/** What programs see of a page. */
function makeApi({ steps, find, numbers, isUnknown, set, reset, line, arithmetic, changes }) {
  const at = (path) => {
    const k = find(path);
    if (k < 0) throw new Error(`no step is called '${path}'`);
    return k;
  };
  return {
    paths: steps.map((step) => step.p),
    values: (path) => {
      const k = at(path), { n, m } = steps[k], all = numbers(k), unknown = isUnknown(k);
      return Array.from({ length: n }, (_, row) => Array.from(all.subarray(row * m, row * m + m), (x) => (x !== x && unknown ? null : x)));
    },
    set: (path, ...change) => set(at(path), ...change),
    line: (path, ...cell) => line(at(path), ...cell),
    reset, arithmetic, changes,
  };
}
