/* The worker as the page sees it: commands are handed to it one after the other; it can be stopped, and starts afresh. */

/** @typedef {{status: number, stdout: string, stderr: string, files: Record<string, Uint8Array>}} Result */

const BROKEN = 1;
const STOPPED = 130;

export class Python {
  /** @param {(doing: string, step: number) => void} say what is being done while it comes */
  constructor(say) {
    this.say = say;
    /** @type {Map<number, (result: Result) => void>} */
    this.waiting = new Map();
    /** @type {Record<string, Uint8Array>} files that a fresh worker is to have */
    this.files = {};
    this.count = 0;
    this.start();
  }

  start() {
    this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.fresh = true;
    this.ready = new Promise((resolve, reject) => {
      this.worker.onmessage = ({ data }) => {
        if (data.ready) resolve(undefined);
        else if (data.failed) reject(new Error(data.failed));
        else if (data.doing) this.say(data.doing, data.step);
        else if (data.broken) this.restart(BROKEN, `Python broke down, and has started afresh: ${data.broken}\n`);
        else this.finish(data);
      };
      this.worker.onerror = (event) => reject(new Error(event.message || "the worker could not be started"));
    });
    this.ready.catch(() => {}); // whoever waits for it is told
  }

  /** Adds files beside scenario.yaml. @param {Record<string, Uint8Array>} files */
  add(files) {
    Object.assign(this.files, files);
    this.fresh = true;
  }

  /** Carries out a command; while one is running, others wait.
   * @param {string | string[]} command a typed line, or its words @param {string} scenario
   * @returns {Promise<Result>} */
  async run(command, scenario) {
    const id = ++this.count;
    const done = new Promise((resolve) => this.waiting.set(id, resolve));
    try {
      await Promise.race([this.ready, done]); // stopped before Python was there
    } catch (error) {
      this.waiting.delete(id);
      throw error;
    }
    if (this.waiting.has(id)) {
      this.worker.postMessage({ id, command, scenario, files: this.fresh ? this.files : undefined });
      this.fresh = false;
    }
    return done;
  }

  /** @param {any} data with bytes where a result has text */
  finish({ id, status, stdout, stderr, files }) {
    const text = new TextDecoder();
    Object.assign(this.files, files);
    this.waiting.get(id)?.({ status, stdout: text.decode(stdout), stderr: text.decode(stderr), files });
    this.waiting.delete(id);
  }

  /** Ends whatever is being calculated, and what waits for it. */
  stop() {
    this.restart(STOPPED, "Stopped.\n");
  }

  /** A fresh worker; all that waited for the old one ends like this. @param {number} status @param {string} stderr */
  restart(status, stderr) {
    this.worker.terminate();
    this.waiting.forEach((resolve) => resolve({ status, stdout: "", stderr, files: {} }));
    this.waiting.clear();
    this.start();
  }
}
