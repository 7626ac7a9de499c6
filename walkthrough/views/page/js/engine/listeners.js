// Who wants to hear of something.

/** @template T */
export class Listeners {
  /** @type {((news: T) => void)[]} */
  #all = [];

  /** @param {(news: T) => void} listener */
  subscribe(listener) {
    this.#all.push(listener);
  }

  /** Those who begin to listen meanwhile hear it too.  @param {T} news */
  emit(news) {
    for (const listener of this.#all) listener(news);
  }
}
