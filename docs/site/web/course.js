/* The questions of a chapter: what is typed or chosen is judged as `walkthrough learn` judges it. */
// @ts-check
import { readAnswer } from "./quiz/answers.js";

/** What is right: a letter, words, or the numbers from low to high.
 * @typedef {{letter?: string, words?: string[], low?: number, high?: number}} Right */

const UNREADABLE = "That cannot be read as a number.";

/** @param {string} text @param {Right} right @returns {[isRight: boolean, remark: string]} */
function judge(text, right) {
  if (right.letter !== undefined) return [text === right.letter, text ? "" : "Choose one."];
  const bare = text.replace(/^['"„“‚«](.+)['"“”‘»]$/, "$1");
  if (right.words) return [right.words.includes(bare.normalize("NFC")), ""];
  const number = readAnswer(bare);
  if (number === null) return [false, UNREADABLE];
  return [Number(right.low) <= number && number <= Number(right.high), ""];
}

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form.ask"))) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = new FormData(form).get("answer");
    const [isRight, remark] = judge(String(typed ?? "").trim(), JSON.parse(form.dataset.right ?? "{}"));
    form.dataset.verdict = isRight ? "right" : "wrong";
    const said = form.querySelector("output");
    if (said) said.textContent = `${isRight ? "Right." : "No."} ${remark}`.trim();
    const answer = form.nextElementSibling;
    if (isRight && answer instanceof HTMLDetailsElement) answer.open = true;
  });
}
