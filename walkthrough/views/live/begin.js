// The engine of this page, and what it offers to programs.
const data = JSON.parse(document.getElementById("data").textContent),
  engine = makeEngine(data);
window.walkthrough = makeApi(engine);
