/* What an address holds: a scenario by its name, or as text that is packed; and a command. */

const MOST = 1_000_000;
const UNREADABLE = "The link cannot be read";

/**
 * What stands in an address; null where it is about something else, such as a heading.
 * @param {string} hash @returns {{scenario?: string, yaml?: string, command?: string} | null}
 */
export function parts(hash) {
  const found = new Map(
    hash
      .slice(1)
      .split("&")
      .map((part) => /** @type {[string, string]} */ (split(part))),
  );
  const wanted = ["scenario", "yaml", "command"].filter((key) => found.has(key));
  return wanted.length ? Object.fromEntries(wanted.map((key) => [key, found.get(key)])) : null;
}

/** @param {string} part */
function split(part) {
  const at = part.indexOf("=");
  return at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
}

/** A word of an address. @param {string} text */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`${UNREADABLE}: % is not followed by two hexadecimal digits.`);
  }
}

/** @param {string} text @returns {Promise<string>} */
export async function pack(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The text that is packed in there. Throws an Error that says what is wrong; it unpacks no more than it may.
 * @param {string} data @returns {Promise<string>} */
export async function unpack(data) {
  const packed = base64(data);
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  for (;;) {
    const { done, value } = await reader.read().catch(() => refuse("its text is damaged (raw deflate is expected)."));
    text += decode(decoder, value);
    if (text.length > MOST) {
      reader.cancel();
      refuse("its text has more than 1,000,000 characters.");
    }
    if (done) return text;
  }
}

/** @param {string} data */
function base64(data) {
  if (!/^[\w-]+$/.test(data)) refuse("its text is not base64url.");
  try {
    return Uint8Array.from(atob(data.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
  } catch {
    return refuse("its text is not base64url.");
  }
}

/** @param {TextDecoder} decoder @param {Uint8Array | undefined} bytes; without any the end */
function decode(decoder, bytes) {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    return refuse("its text is not UTF-8.");
  }
}

/** @param {string} why @returns {never} */
function refuse(why) {
  throw new Error(`${UNREADABLE}: ${why}`);
}

export { MOST };
