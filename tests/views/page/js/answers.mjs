// Answers a line {modules, data, rounds}: where the page's modules are, the data of a page, and rounds of answers
// [step, row, column, text], one after the other, where `!` shows the right number. Says reading, verdict and cause of
// the last of each round.
import { answerLines } from "./lines.mjs";

await answerLines(async ({ modules, data, rounds }) => {
  const { Engine } = await import(`${modules}/engine/engine.js`);
  const { readAnswer, stripQuotes } = await import(`${modules}/quiz/answers.js`);
  const { judgeAnswer } = await import(`${modules}/quiz/judge.js`);
  const { OwnNumbers } = await import(`${modules}/quiz/own.js`);
  const { setLanguage } = await import(`${modules}/writing/language.js`);
  const parsed = JSON.parse(data);
  setLanguage(parsed.language);
  const engine = new Engine(parsed);
  return rounds.map((round) => {
    const own = new OwnNumbers(engine);
    const judge = ([k, row, column, text]) =>
      text === "!" ? own.tell([k, row, column]) : judgeAnswer(engine, [k, row, column], text, own);
    const judged = round.map(judge).at(-1);
    const [k, , column, text] = round.at(-1);
    const reading = engine.steps[k].isWord(column) ? null : readAnswer(stripQuotes(text));
    return [
      reading === null ? null : String(reading).replace("Infinity", "inf"),
      judged.verdict,
      judged.slip?.word ?? "",
    ];
  });
});
