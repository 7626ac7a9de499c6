// The face of the page: cells to look at, to follow and to change. All numbers and lines come from the engine.
import { startDrift } from "../bar/arithmetic.js";
import { startBar } from "../bar/bar.js";
import { startBroken, startIdle } from "./following.js";
import { startKeys } from "../interaction/keys.js";
import { startPanel } from "../interaction/panel.js";
import { startPointing } from "../interaction/pointing.js";
import { startScrubbing } from "../interaction/scrubbing.js";
import { startFilm } from "../film/film.js";
import { Lecture } from "../lecture/lecture.js";
import { startAttention } from "../pictures/attention.js";
import { startPixels } from "../pixels/pixels.js";
import { startQuiz } from "../quiz/quiz.js";
import { startRail } from "../map/rail.js";
import { startMap } from "../map/map.js";
import { startWords } from "../map/words.js";
import { startAddress } from "./address.js";
import { startClock } from "./clock.js";
import { startEmbed } from "./embed.js";
import { startMore, letScroll } from "./scrolling.js";
import { Page } from "./page.js";
import { startPainting } from "./painting.js";
import { startPaper } from "./paper.js";

/** @param {Engine} engine */
export function startFace(engine) {
  const page = new Page(engine);
  startPainting(page);
  startBar(page);
  new Lecture(page);
  startPanel(page);
  startQuiz(page);
  startPointing(page);
  startScrubbing(page);
  startKeys(page);
  startMap(page);
  startWords(page);
  startRail(page);
  startDrift(page);
  startPaper(page);
  startAttention(page);
  startClock(page);
  startFilm(page);
  startPixels(page);
  startIdle(page);
  startBroken(page);
  if (page.form === "embed") startEmbed(page);
  startMore(page);
  letScroll();
  startAddress(page);
}
