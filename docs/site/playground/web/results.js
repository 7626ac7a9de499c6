/* What a command gave: its output and messages as text, its files as links, and a page in a frame of its own. */

const MOST = 1_000_000;
const FRAME = "frame.html";

/** @typedef {import("./python.js").Result} Result */

export class Results {
  /** @param {{output: HTMLElement, messages: HTMLElement, files: HTMLElement, place: HTMLElement}} parts */
  constructor(parts) {
    this.parts = parts;
    /** @type {string[]} */
    this.addresses = [];
  }

  /** While a command is being carried out. @param {string} notice what stays to be read */
  begin(notice) {
    delete this.parts.output.dataset.status;
    this.parts.output.textContent = "";
    this.parts.messages.textContent = notice;
  }

  /** @param {Result} result @param {string} notice */
  show({ status, stdout, stderr, files }, notice) {
    const { output, messages } = this.parts;
    const rest = stdout.length > MOST ? { "output.txt": new TextEncoder().encode(stdout) } : {};
    output.textContent = stdout.slice(0, MOST);
    messages.textContent = [notice, stderr, stdout.length > MOST && "The whole output is in output.txt."]
      .filter(Boolean)
      .join("\n");
    this.list({ ...files, ...rest });
    this.page(Object.entries(files).find(([name]) => /\.html?$/i.test(name)));
    output.dataset.status = String(status);
  }

  /** @param {Record<string, Uint8Array>} files */
  list(files) {
    this.addresses.forEach((address) => URL.revokeObjectURL(address));
    const links = Object.entries(files).map(([name, bytes]) => link(name, bytes));
    this.addresses = links.map((one) => one.href);
    this.parts.files.replaceChildren(...links);
  }

  /** A page runs in a frame of its own origin, with a policy of its own. A frame that a page was written into listens
   * no more, so that each page has a new one. @param {[string, Uint8Array] | undefined} named */
  page(named) {
    const { place } = this.parts;
    place.replaceChildren();
    if (!named) return;
    const frame = document.createElement("iframe");
    frame.id = "page";
    frame.title = named[0];
    frame.setAttribute("sandbox", "allow-scripts allow-downloads allow-modals");
    frame.addEventListener("load", () => frame.contentWindow?.postMessage(new TextDecoder().decode(named[1]), "*"), {
      once: true,
    });
    frame.src = FRAME;
    place.append(frame);
  }
}

/** @param {string} name @param {Uint8Array} bytes */
export function link(name, bytes) {
  const found = document.createElement("a");
  found.href = URL.createObjectURL(new Blob([/** @type {BlobPart} */ (bytes)]));
  found.download = name;
  found.textContent = name;
  return found;
}
