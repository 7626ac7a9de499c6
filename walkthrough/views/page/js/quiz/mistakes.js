// The usual mistakes in the arithmetic of one cell: what is calculated instead. walkthrough/mistakes has their words.

/** @typedef {{ word: string, instead: any, facts?: Record<string, string> }} Mistake */

/** The root of a constant.  @param {any} node */
export const isRoot = (node) => node?.[0] === "sqrt" && typeof node[1] === "number";
const isSquares = (/** @type {any} */ node) =>
  node[0] === "+" && node.slice(1).every((/** @type {any} */ term) => term[0] === "^" && term[2] === 2);

/** Those of an expression whose choices are made, the likelier first.  @param {any} node @returns {Mistake[]} */
export function usualMistakes(node) {
  const [sign, first, second] = Array.isArray(node) ? node : [];
  if (sign === "/" && isRoot(second)) return ofRoot(first, second);
  if (sign === "/") {
    const found = [{ word: "not_divided", instead: first }];
    if (isSquares(first) && second > 1) found.push({ word: "sample_variance", instead: ["/", first, second - 1] });
    if (second?.[0] === "sqrt") return [{ word: "no_root", instead: ["/", first, second[1]] }];
    return found;
  }
  if (sign === "sqrt" && Array.isArray(first)) return [{ word: "no_root", instead: first }];
  if (sign === "exp") return [{ word: "base_2", instead: ["^", 2, first] }];
  return [];
}

/** @param {any} above @param {[string, number]} root @returns {Mistake[]} */
function ofRoot(above, root) {
  const facts = { divisor: `√${root[1]}`, size: String(root[1]) };
  return [
    { word: "not_scaled", instead: above, facts },
    { word: "scaled_by_d_k", instead: ["/", above, root[1]], facts },
    { word: "multiplied_by_root", instead: ["*", above, root], facts },
  ];
}
