// The address: #PATH, and the changes as set=CELL=NUMBER, so that a link carries them.
function addressed(path = "") {
  const items = engine.changes().map((item) => "set=" + encodeURIComponent(item));
  return "#" + [path, ...items].filter(Boolean).join("&");
}

let here = "";
function go(path) {
  const wanted = addressed(path);
  if (location.hash !== wanted) location.hash = wanted;
  arrive(path);
}

// Where an element is folded away, unfolds it.
let reveal = (element) => {
  for (let box = element?.closest("details"); box; box = box.parentNode.closest("details")) box.open = true;
};

function arrive(path) {
  const target = document.getElementById(path);
  here = path;
  if (!target) return;
  reveal(target);
  fit();
  bring(() => target.scrollIntoView({ block: "start" }));
}

// Reads the address; what it holds replaces the changes that stand.
let isReading = false;
function readAddress() {
  const parts = location.hash.slice(1).split("&").filter(Boolean),
    path = parts[0]?.startsWith("set=") ? "" : decoded(parts.shift() || ""),
    items = parts.map((part) => decoded(part.replace(/^set=/, ""))),
    faults = [];
  here = path;
  isReading = true;
  if (JSON.stringify(items) !== JSON.stringify(engine.changes())) {
    engine.reset();
    parts.forEach((part, at) => {
      const fault = part.startsWith("set=") ? engine.apply(items[at]) : "this cannot be set";
      if (fault) faults.push(items[at] ? `${visible(items[at])}: ${fault}` : "a change without a cell");
    });
  }
  isReading = false;
  if (path && !document.getElementById(path)) faults.push(`${visible(path)}: there is no such step here.`);
  else if (path) arrive(path);
  say(faults.length ? "Parts of the address could not be read: " + faults.join(" · ") : "");
}
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

on(document, "click", (event) => {
  const link = event.target.closest?.('a[href^="#"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(decoded(link.getAttribute("href").slice(1)));
});
function keepAddress() {
  const wanted = addressed(here);
  if (!isReading && wanted !== location.hash)
    history.replaceState(null, "", wanted === "#" ? location.pathname + location.search : wanted);
}
