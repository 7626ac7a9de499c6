// The state of a page is in one place, and tells who listens.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Listeners } from "../../../../../walkthrough/views/page/js/engine/listeners.js";
import { PageState } from "../../../../../walkthrough/views/page/js/face/state.js";

test("who follows a part of the state hears of its changes, with the state as it is then", () => {
  const state = new PageState();
  const heard = [];
  state.subscribe(["chosen", "pointed"], () => heard.push([state.chosen, state.pointed]));
  state.change({ chosen: [1, 0, 0], pointed: null });
  state.change({ notice: "no" });
  state.change({ pointed: [2, 0, 0] });
  assert.deepEqual(heard, [
    [[1, 0, 0], null],
    [
      [1, 0, 0],
      [2, 0, 0],
    ],
  ]);
});

test("who begins to listen because of news hears them too", () => {
  const listeners = new Listeners();
  const heard = [];
  listeners.subscribe(() => listeners.subscribe((news) => heard.push(news)));
  listeners.emit("now");
  assert.deepEqual(heard, ["now"]);
});
