// Computes folded expressions: `["+", ["…", 4, ["*", ["@", 0, [0, 1], …], …]]]`, as expressions/page_data.py writes them.

/** Where the cell being computed stands, the index of each run around, and the operands' numbers and widths. */
const place = { row: 0, column: 0, runs: [], arrays: [], widths: [] };

function erf(x) {
  const size = Math.abs(x), square = x * x;
  if (!(size < 2)) return Math.sign(x) * (size > 6 ? 1 : 1 - tail(size, square));
  let term = x, sum = x;
  for (let n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) sum += term *= (2 * square) / (2 * n + 1);
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-square) * sum;
}

/** 1 − erf, as a continued fraction. */
function tail(x, square) {
  let below = x;
  for (let n = 80; n > 0; n--) below = x + n / 2 / below;
  return Math.exp(-square) / (Math.sqrt(Math.PI) * below);
}

function largest(numbers) {
  let best = -Infinity;
  for (const x of numbers) {
    if (x !== x) return NaN;
    if (x > best) best = x;
  }
  return best;
}

/** Of pairs of a label and a number the label of the first largest number. */
function bestLabel(pairs) {
  let at = 1;
  for (let k = 1; k < pairs.length; k += 2) {
    if (pairs[k] !== pairs[k]) return NaN;
    if (pairs[k] > pairs[at]) at = k;
  }
  return pairs[at - 1];
}

const FUNCTIONS = {
  exp: Math.exp, log: Math.log, sqrt: Math.sqrt, sin: Math.sin, cos: Math.cos, tanh: Math.tanh, abs: Math.abs, erf,
  step: (x) => (x !== x ? NaN : x > 0 ? 1 : 0),
  equal: (x, y) => (x === y ? 1 : 0),
  max: (...numbers) => largest(numbers),
  argmax: (...pairs) => bestLabel(pairs),
};

const TWO = {
  "-": (x, y) => x - y,
  "/": (x, y) => x / y,
  "^": Math.pow,
};

/** An affine address as a list: constant, per row, per column, per run. */
const affine = (address) => (Array.isArray(address) ? address : [address]);

function moving(address) {
  const [start, row = 0, column = 0, ...runs] = affine(address);
  if (!runs.length) return () => start + row * place.row + column * place.column;
  return () => {
    let found = start + row * place.row + column * place.column;
    for (let depth = 0; depth < runs.length; depth++) found += runs[depth] * place.runs[depth];
    return found;
  };
}

/** A function that computes a node at `place`, inside so many runs. */
function compiled(node, depth = 0) {
  if (typeof node === "number") return () => node;
  const [sign, ...parts] = node;
  if (sign === "@") return entry(node);
  if (sign === "~") return moving(parts[0]);
  if (sign === "+") return summed(parts, depth);
  if (sign === "max" || sign === "argmax") return listed(sign, parts, depth);
  const inner = parts.map((part) => compiled(part, depth)), [first, second, third] = inner;
  if (sign === "*") return product(inner);
  if (sign === "neg") return () => -first();
  if (sign === "?") return () => (first() !== 0 ? second() : third());
  const rule = TWO[sign] || FUNCTIONS[sign];
  return inner.length === 1 ? () => rule(first()) : () => rule(first(), second());
}

function entry([, operand, row, column]) {
  const [r, ri = 0, rj = 0, ...rk] = affine(row), [c, ci = 0, cj = 0, ...ck] = affine(column);
  if (rk.length || ck.length) {
    const rowAt = moving(row), columnAt = moving(column);
    return () => place.arrays[operand][rowAt() * place.widths[operand] + columnAt()];
  }
  return () => {
    const i = place.row, j = place.column;
    return place.arrays[operand][(r + ri * i + rj * j) * place.widths[operand] + c + ci * i + cj * j];
  };
}

function product(factors) {
  const [first, second] = factors;
  if (factors.length === 2) return () => first() * second();
  return () => factors.reduce((result, factor) => result * factor(), 1);
}

function summed(parts, depth) {
  const terms = parts.map((part) => (part[0] === "…" ? run(part, depth) : compiled(part, depth))), [first, second] = terms;
  if (terms.length === 1) return first;
  if (terms.length === 2) return () => first() + second();
  return () => terms.reduce((sum, term) => sum + term(), 0);
}

/** The sum of a run's terms. */
function run([, count, ...items], depth) {
  const [only] = items;
  if (items.length === 1 && only[0] === "*" && only.length === 3 && only[1][0] === "@" && only[2][0] === "@")
    return dot(count, only[1], only[2], depth);
  const terms = items.map((item) => (item[0] === "…" ? run(item, depth + 1) : compiled(item, depth + 1)));
  return () => {
    let sum = 0;
    for (let at = 0; at < count; at++)
      for (const term of terms) {
        place.runs[depth] = at;
        sum += term();
      }
    return sum;
  };
}

/** A dot product: two addresses that move by even steps. */
function dot(count, left, right, depth) {
  const [a, b] = [left, right].map(([, operand, row, column]) => {
    const [r, c] = [row, column].map((address) => affine(address)[3 + depth] || 0);
    return { operand, row: moving(row), column: moving(column), r, c };
  });
  return () => {
    place.runs[depth] = 0;
    const x = place.arrays[a.operand], y = place.arrays[b.operand];
    const wide = place.widths[a.operand], broad = place.widths[b.operand];
    let at = a.row() * wide + a.column(), by = b.row() * broad + b.column(), sum = 0;
    const across = a.r * wide + a.c, along = b.r * broad + b.c;
    for (let k = 0; k < count; k++, at += across, by += along) sum += x[at] * y[by];
    return sum;
  };
}

/** A function of many arguments, runs among them. */
function listed(name, parts, depth) {
  const rule = name === "max" ? largest : bestLabel, found = [];
  const adders = parts.map((part) => adder(part, depth, found));
  return () => {
    found.length = 0;
    for (const add of adders) add();
    return rule(found);
  };
}

function adder(part, depth, found) {
  if (part[0] !== "…") {
    const number = compiled(part, depth);
    return () => found.push(number());
  }
  const [, count, ...items] = part, adders = items.map((item) => adder(item, depth + 1, found));
  return () => {
    for (let at = 0; at < count; at++)
      for (const add of adders) {
        place.runs[depth] = at;
        add();
      }
  };
}

/** Infinite numbers and those that are none stand as ["inf"], ["-inf"], ["nan"]. */
function readExpression(node) {
  if (!Array.isArray(node)) return node;
  if (node.length === 1 && node[0] in SPECIAL) return SPECIAL[node[0]];
  return node.map(readExpression);
}

const SPECIAL = { inf: Infinity, "-inf": -Infinity, nan: NaN };

const addressAt = (address, at) => affine(address).reduce((sum, factor, index) => sum + factor * at[index], 0);

/** The expression of one cell: `["@", operand, row, column]` with numbers, runs written out. at: [1, row, column] */
function unfolded(node, at) {
  if (!Array.isArray(node)) return node;
  const [sign, ...parts] = node;
  if (sign === "@") return [sign, parts[0], addressAt(parts[1], at), addressAt(parts[2], at)];
  if (sign === "~") return addressAt(parts[0], at);
  return [sign, ...parts.flatMap((part) => unrolled(part, at))];
}

function unrolled(part, at) {
  if (part[0] !== "…") return [unfolded(part, at)];
  const [, count, ...items] = part, found = [];
  for (let index = 0; index < count; index++) for (const item of items) found.push(...unrolled(item, [...at, index]));
  return found;
}

/** What the expression of a cell gives; cell: (operand, row, column) → number. Sums lose nothing on the way. */
function evaluate(node, cell) {
  if (typeof node === "number") return node;
  const [sign, ...parts] = node;
  if (sign === "@") return cell(...parts);
  if (sign === "+") return precise(parts.map((part) => evaluate(part, cell)));
  if (sign === "?") return evaluate(evaluate(parts[0], cell) !== 0 ? parts[1] : parts[2], cell);
  if (sign === "noted") return evaluate(parts[0], cell);
  const numbers = parts.map((part) => evaluate(part, cell));
  if (sign === "neg") return -numbers[0];
  if (sign === "*") return numbers.reduce((result, x) => result * x, 1);
  return (TWO[sign] || FUNCTIONS[sign])(...numbers);
}

/** The sum of numbers, with what each addition loses added in the end. */
function precise(numbers) {
  let sum = 0, lost = 0;
  for (const x of numbers) {
    const next = sum + x;
    lost += Math.abs(sum) >= Math.abs(x) ? sum - next + x : x - next + sum;
    sum = next;
  }
  return isFinite(sum) ? sum + lost : sum;
}
