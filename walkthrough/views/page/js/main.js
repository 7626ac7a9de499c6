// The engine of this page, what it offers to programs, and its face.
import { makeApi } from "./engine/api.js";
import { Engine } from "./engine/engine.js";
import { startFace } from "./face/face.js";
import { setLanguage } from "./writing/language.js";

const data = JSON.parse(document.getElementById("data")?.textContent ?? "");
setLanguage(data.language);
const engine = new Engine(data);
Object.assign(window, { walkthrough: makeApi(engine) });
startFace(engine);
