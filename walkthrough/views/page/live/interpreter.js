// Computes folded expressions: `["+", ["…", 4, ["*", ["@", 0, [0, 1], …], …]]]`, as expressions/notations/page.py writes them.

/** Where the cell being computed stands, the index of each run around, and the operands' numbers and widths. */
const place = { row: 0, column: 0, runs: [], arrays: [], widths: [] };

function largest(numbers) {
  let best = -Infinity;
  for (const x of numbers) {
    if (x !== x) return x;
    if (x > best) best = x;
  }
  return best;
}

/** Of pairs of a label and a number the label of the first largest number. */
function bestLabel(pairs) {
  const numbers = pairs.filter((_, at) => at % 2), best = largest(numbers);
  return best !== best ? best : pairs[2 * numbers.indexOf(best)];
}

/** Functions of any number of arguments, runs among them. */
const MANY = {
  "+": (numbers) => numbers.reduce((sum, x) => sum + x, 0),
  "*": (numbers) => numbers.reduce((product, x) => product * x, 1),
  max: largest,
  argmax: bestLabel,
};

const FUNCTIONS = {
  "-": (x, y) => x - y,
  "/": (x, y) => x / y,
  "^": Math.pow,
  neg: (x) => -x,
  step: (x) => (x !== x ? x : +(x > 0)),
  equal: (x, y) => +(x === y),
  noted: (x) => x,
};
for (const name of ["exp", "log", "sqrt", "sin", "cos", "tanh", "abs"]) FUNCTIONS[name] = Math[name];

/** An affine address as a list: constant, per row, per column, per run. */
const affine = (address) => (Array.isArray(address) ? address : [address]);

function moving(address) {
  const [start, row = 0, column = 0, ...runs] = affine(address);
  const fixed = () => start + row * place.row + column * place.column;
  return runs.length ? () => runs.reduce((found, by, depth) => found + by * place.runs[depth], fixed()) : fixed;
}

/** A function that computes a node at `place`, inside so many runs. */
function compiled(node, depth = 0) {
  if (typeof node === "number") return () => node;
  const [sign, ...parts] = node;
  if (sign === "~") return moving(parts[0]);
  if (sign === "@") return entry(...parts);
  if (sign in MANY) return listed(sign, parts, depth);
  const [first, second, third] = parts.map((part) => compiled(part, depth)), rule = FUNCTIONS[sign];
  if (sign === "?") return () => (first() !== 0 ? second() : third());
  return second ? () => rule(first(), second()) : () => rule(first());
}

function entry(operand, row, column) {
  const rowAt = moving(row), columnAt = moving(column);
  return () => place.arrays[operand][rowAt() * place.widths[operand] + columnAt()];
}

/** A function of many arguments. */
function listed(sign, parts, depth) {
  if (parts.length === 1 && isDot(parts[0], sign)) return dot(parts[0], depth);
  const rule = MANY[sign], found = [], adders = parts.map((part) => adder(part, depth, found, sign));
  return () => {
    found.length = 0;
    for (const add of adders) add();
    return rule(found);
  };
}

/** Adds to `found` what an argument gives, or each of a run of them. */
function adder(part, depth, found, sign) {
  if (part[0] !== "…" || isDot(part, sign)) {
    const number = part[0] === "…" ? dot(part, depth) : compiled(part, depth);
    return () => found.push(number());
  }
  const [, count, ...items] = part, adders = items.map((item) => adder(item, depth + 1, found, sign));
  return () => {
    for (let at = 0; at < count; at++)
      for (const add of adders) {
        place.runs[depth] = at;
        add();
      }
  };
}

/** Whether this is the sum of a run of products of two cells. */
function isDot(part, sign) {
  const [, , item] = part[0] === "…" && part.length === 3 ? part : [];
  return item && sign === "+" && item[0] === "*" && item.length === 3 && item[1][0] + item[2][0] === "@@";
}

/** A dot product: two addresses that move by even steps. */
function dot([, count, [, ...factors]], depth) {
  const [a, b] = factors.map(([, operand, row, column]) => {
    const [down, along] = [row, column].map((address) => affine(address)[3 + depth] || 0);
    return { operand, row: moving(row), column: moving(column), down, along };
  });
  return () => {
    place.runs[depth] = 0;
    const x = place.arrays[a.operand], y = place.arrays[b.operand];
    const wide = place.widths[a.operand], broad = place.widths[b.operand];
    const across = a.down * wide + a.along, along = b.down * broad + b.along;
    let at = a.row() * wide + a.column(), by = b.row() * broad + b.column(), sum = 0;
    for (let k = 0; k < count; k++, at += across, by += along) sum += x[at] * y[by];
    return sum;
  };
}

const SPECIAL = { inf: Infinity, "-inf": -Infinity, nan: NaN };

/** Infinite numbers and those that are none stand as ["inf"], ["-inf"], ["nan"]. */
function readExpression(node) {
  if (!Array.isArray(node)) return node;
  return node[0] in SPECIAL ? SPECIAL[node[0]] : node.map(readExpression);
}

/** Where an address leads; at: [1, row, column, index of each run around], as far as they are known. */
const addressAt = (address, at) => affine(address).reduce((sum, factor, index) => sum + factor * (at[index] ?? 0), 0);

/** The expression of one cell: `["@", operand, row, column]` with numbers, runs written out. */
function unfolded(node, at) {
  if (!Array.isArray(node)) return node;
  const [sign, ...parts] = node;
  if (sign === "@") return [sign, parts[0], addressAt(parts[1], at), addressAt(parts[2], at)];
  return sign === "~" ? addressAt(parts[0], at) : [sign, ...parts.flatMap((part) => unrolled(part, at))];
}

function unrolled(part, at) {
  if (part[0] !== "…") return [unfolded(part, at)];
  const [, count, ...items] = part;
  return Array.from({ length: count }, (_, index) => items.flatMap((item) => unrolled(item, [...at, index]))).flat();
}

/** What the expression of a cell gives; cell: (operand, row, column) → number. Sums lose nothing on the way. */
function evaluate(node, cell) {
  if (!Array.isArray(node)) return node;
  const [sign, ...parts] = node;
  if (sign === "@") return cell(...parts);
  if (sign === "?") return evaluate(evaluate(parts[0], cell) !== 0 ? parts[1] : parts[2], cell);
  const numbers = parts.map((part) => evaluate(part, cell));
  return sign === "+" ? precise(numbers) : sign in MANY ? MANY[sign](numbers) : FUNCTIONS[sign](...numbers);
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
