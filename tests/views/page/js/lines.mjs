// A process that answers many requests: each is a line of JSON on standard input, its answer a line on standard output.
import { createInterface } from "node:readline";

export async function answerLines(answer) {
  for await (const line of createInterface({ input: process.stdin }))
    process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
