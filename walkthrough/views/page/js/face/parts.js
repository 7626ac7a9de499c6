// What some pages have besides: modules that nobody imports, and that are joined into those pages alone.
// @ts-check

/** @type {((page: import("./page.js").Page) => void)[]} what starts them, with the face */
export const PARTS = [];
