// Given numbers are changed by dragging them sideways, and in small steps by keys.
import { largestSize } from "../expressions/functions.js";
import { consume } from "../face/dom.js";
import { samePlace } from "../face/page.js";

/** A shorter way, in pixels, is a click. */
const LEAST_WAY = 4;

/**
 * The power of ten of the unit that the numbers of a matrix are changed by: a hundredth of the first digit's.
 * @param {Iterable<number>} numbers
 */
export function unitPower(numbers) {
  const most = largestSize(numbers);
  return most ? Number(most.toExponential().split("e")[1]) - 2 : -2;
}

/** A number so many units further, on a whole unit.  @param {number} x @param {number} units @param {number} power */
export const movedBy = (x, units, power) => Number(`${Math.round(x / Number(`1e${power}`) + units)}e${power}`) + 0;

/** @param {Page} page @param {Place} place */
function numberAt({ engine }, place) {
  const x = engine.number(...place);
  return isFinite(x) ? x : 0;
}

/** Changes a number by some units.  @param {Page} page @param {Place} place @param {number} units */
export function nudge(page, place, units) {
  const power = unitPower(page.engine.numbers(place[0]));
  page.engine.set(...place, movedBy(numberAt(page, place), units, power));
}

/** @param {Page} page */
export function startScrubbing(page) {
  const { engine, main, state, steps } = page;
  /** @type {{ place: Place, from: number, x: number, power: number, isMoving: boolean, td: HTMLElement } | null} */
  let drag = null;
  let isClickEaten = false;
  let wanted = NaN;

  function paint() {
    if (!drag || wanted !== wanted) return;
    engine.set(...drag.place, wanted, drag.isMoving);
    drag.isMoving = true;
    wanted = NaN;
  }

  function stop() {
    if (drag) delete drag.td.dataset.scrubbed;
    drag = null;
    wanted = NaN;
  }

  function putBack() {
    if (!drag) return;
    if (drag.isMoving && engine.undo()) engine.history.future.pop(); // nor is it made again
    stop();
    engine.changing.emit([]);
  }

  main.addEventListener("pointerdown", (event) => {
    isClickEaten = false;
    const place = page.placeOf(event.target);
    if (!place || event.button || !steps[place[0]].isEditable || event.target instanceof HTMLInputElement) return;
    if (event.pointerType === "touch" && !samePlace(place, state.chosen)) return;
    const power = unitPower(engine.numbers(place[0]));
    const td = page.cellAt(place);
    drag = { place, from: event.clientX, x: numberAt(page, place), power, isMoving: false, td };
  });
  main.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const way = event.clientX - drag.from;
    if (!isClickEaten && Math.abs(way) < LEAST_WAY) return;
    if (!isClickEaten) {
      isClickEaten = true;
      drag.td.setPointerCapture(event.pointerId);
      drag.td.dataset.scrubbed = "";
    }
    wanted = movedBy(drag.x, Math.round(way), drag.power);
    requestAnimationFrame(paint);
  });
  main.addEventListener("pointerup", () => {
    paint();
    stop();
  });
  main.addEventListener("pointercancel", putBack); // a swipe that turns out to scroll
  main.addEventListener(
    "click",
    (event) => {
      if (isClickEaten) consume(event);
      isClickEaten = false;
    },
    true,
  );
  addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !drag || !isClickEaten) return;
      consume(event);
      putBack();
    },
    true,
  );
}
