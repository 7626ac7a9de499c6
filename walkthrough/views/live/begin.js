// The engine of this page, and what it offers to programs.
const engine = makeEngine(JSON.parse(document.getElementById("data").textContent));
window.walkthrough = makeApi(engine);
