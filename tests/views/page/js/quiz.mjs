// Reads {modules, data, answers} on standard input: where the page's modules are, the data of a page, and answers
// [step, row, column, text]. Writes the verdict on each.
import { readFileSync } from "node:fs";

const { modules, data, answers } = JSON.parse(readFileSync(0, "utf8"));
const { Engine } = await import(`${modules}/engine/engine.js`);
const { judgeAnswer } = await import(`${modules}/quiz/judge.js`);
const { setLanguage } = await import(`${modules}/writing/language.js`);
const parsed = JSON.parse(data);
setLanguage(parsed.language);
const engine = new Engine(parsed);
const verdicts = answers.map(([k, row, column, text]) => judgeAnswer(engine, [k, row, column], text));
process.stdout.write(JSON.stringify(verdicts.map(({ verdict, slip }) => slip?.word ?? verdict)));
