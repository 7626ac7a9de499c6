// What a model does when it runs several times, above the steps.
import { make } from "../face/dom.js";
import { makeGeneration } from "./generation.js";
import { makeTraining } from "./training.js";
import { followTree } from "../face/following.js";

/** @param {Page} page */
export function startFilm(page) {
  const films = [makeGeneration(page), makeTraining(page)].filter((film) => film !== null);
  followTree(page);
  if (!films.length) return;
  const film = make("div", { id: "-film" }, ...films);
  if (page.front.isConnected) page.front.before(film);
  else page.main.prepend(film);
}
