// The types that several modules name.

type Page = import("./face/page.js").Page;
type Engine = import("./engine/engine.js").Engine;
type Calculation = import("./engine/calculation.js").Calculation;
type Model = import("./engine/model.js").Model;
type Step = import("./engine/model.js").Step;
type Shown = import("./engine/shown.js").Shown;
type GivenWords = import("./engine/words.js").GivenWords;

/** A cell of a step, counted from 0. */
type Place = [k: number, row: number, column: number];
/** All changed numbers at one time. */
type Edits = [k: number, row: number, column: number, x: number][];

/**
 * A number, or a list: sign or name, then its parts. `["@", operand, row, column]` is a cell of an operand, an address
 * affine in row, column and the index of each run around; `["…", count, …]` a run; `["~", address]` such a number itself.
 */
type Expression = number | string | any[];
/** Constant, per row, per column, per index of each run around. */
type Address = number | number[];
type CellNumber = (operand: number, row: number, column: number) => number;
type Interval = [low: number, high: number];
type CellInterval = (operand: number, row: number, column: number) => Interval;

// --- the data of a page, as views/page/data.py writes it, which says what each key is ---

interface Data {
  decimals: number;
  byHand: boolean;
  asked: number | null;
  rounding: number;
  format?: Format;
  rules: Record<string, Rule>;
  selectors: Selectors;
  labels: string[][];
  words: Record<string, string>[];
  expressions: Expression[];
  steps: StoredStep[];
  tokens: StoredWords | null;
  passes: Pass[];
  film: { answer?: number; series?: number; loss?: number; after?: number };
}

interface StoredStep {
  path: string;
  symbol: string;
  shape: [rows: number, columns: number];
  aliases?: string[];
  formula?: string;
  numbers?: (number | string | null)[];
  rowLabels?: number;
  columnLabels?: number;
  inputs?: number[];
  pieces?: Piece[];
  isEditable?: boolean;
  isAsGiven?: boolean;
  isRounded?: boolean;
  isFixed?: boolean;
  isShare?: boolean;
  written?: number[];
  matrix?: { id: number; row: number; column: number };
  ids?: number[];
  counts?: number[];
  words?: number;
  digits?: Digits;
  shownWith?: number;
  bound?: { size: number; isKept: boolean };
  drawn?: { as: string; line?: number[]; mean?: number; deviation?: number };
  chosenBy?: number;
  pass?: number;
  stop?: [at: number, divisor: number, scores: number, isOver: boolean];
}

interface StoredWords {
  count: number;
  vocabulary: string[];
  barred: string[];
  lookups: number[];
  ids: number[];
  texts: [labels: number, words: string[], first: number][];
}

interface Pass {
  name: string;
  tick: string;
  isWord: boolean;
  prefix: string;
  title: string;
  map: string;
  steps: number[];
  outcome: { said: string; step: number; columns: number[]; facts: Record<string, string | number> };
}

/** Cells that one expression calculates. */
type Piece = { rows: Every; columns: Every; expression: number };
type Every = [start: number, count: number, by: number];
/** How far a number is rounded: decimals, or significant digits. */
type Digits = { count: number; significant: boolean };
/** How tightly a construct binds. */
type Rule = { own: number; first: number; rest: number; leads: boolean };
/** What words of selectors stand for. */
type Selectors = { short: Record<string, string>; kinds: Record<string, string[]>; namedOnly: string[] };

/**
 * A number format: of a binary one the bits of its mantissa, its least power of two, its largest number; of whole ones
 * the largest.
 */
interface Format {
  name: string;
  mantissa?: number;
  least?: number;
  largest?: number;
  endsInNaN?: boolean;
  most?: number;
}
