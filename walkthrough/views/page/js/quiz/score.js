// How a round of practice goes: what was asked, what came right, what to repeat.
import { say } from "../writing/language.js";

export class Score {
  asked = 0;
  right = 0;
  first = 0;
  tries = 0;
  /** @type {Set<string>} */
  repeat = new Set();
  began = Date.now();

  /** @param {string} verdict @param {string} title  of the step */
  count(verdict, title) {
    this.tries += 1;
    if (this.tries === 1) this.asked += 1;
    if (verdict === "wrong" || verdict === "shown") this.repeat.add(title);
    else {
      this.right += 1;
      if (this.tries === 1) this.first += 1;
      this.tries = 0;
    }
  }

  /** A number is left, perhaps without a right answer.  @param {string} title */
  leave(title) {
    if (this.tries) this.repeat.add(title);
    this.tries = 0;
  }

  summarize() {
    if (!this.asked) return say("nothing_asked");
    const all = Math.round((Date.now() - this.began) / 1000);
    const [minutes, seconds] = [Math.floor(all / 60), all % 60];
    const time = minutes ? say("minutes", { minutes, seconds }) : say("seconds", { count: seconds });
    const steps = [...this.repeat].join("; ");
    const { right, asked, first } = this;
    return `${say("result", { right, asked, first, time })} ${steps ? say("repeat", { steps }) : say("well")}`;
  }
}
