// The operation of a number, drawn: which picture belongs to a step is declared with its operation.
import { drawNorm } from "./norm.js";
import { drawProduct } from "./product.js";
import { drawShares } from "./shares.js";
import { drawSum } from "./sum.js";

/** @type {Record<string, (page: Page, place: Place) => Element>} */
const PICTURES = { product: drawProduct, sum: drawSum, softmax: drawShares, norm: drawNorm };

/** The picture of a number, if its operation has one.  @param {Page} page @param {Place} place */
export function drawOperation(page, place) {
  const { drawn } = page.steps[place[0]];
  return drawn && !page.engine.isStale(place[0]) && !page.isCovered(place) ? [PICTURES[drawn.as](page, place)] : [];
}
