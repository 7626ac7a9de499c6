"""Firefox by its own remote protocol, Marionette: nothing but the browser has to be installed."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")


class Marionette:
    """Commands are `length:[0, number, name, parameters]`, answers `length:[1, number, error, result]`."""

    def __init__(self, port: int) -> None:
        self.socket = _connected(port)
        self.stream = self.socket.makefile("rwb")
        self.number = 0
        self._read()  # a greeting
        self.ask("WebDriver:NewSession", {})

    def ask(self, name: str, parameters: dict[str, Any]) -> Any:
        self.number += 1
        text = json.dumps([0, self.number, name, parameters]).encode()
        self.stream.write(b"%d:%s" % (len(text), text))
        self.stream.flush()
        _, _, error, result = self._read()
        assert error is None, error
        return result

    def open(self, address: str) -> None:
        """Reads a page, even one that differs from the page before in its place alone."""
        for url in ("about:blank", address):
            self.ask("WebDriver:Navigate", {"url": url})

    def evaluate(self, expression: str) -> Any:
        return self.ask("WebDriver:ExecuteScript", {"script": f"return {expression}", "args": []})["value"]

    def wait_for(self, script: str) -> Any:
        """What a script gives to `done`, when it does."""
        script = f"const [done] = arguments; {script}"
        return self.ask("WebDriver:ExecuteAsyncScript", {"script": script, "args": []})["value"]

    def press(self, keys: str) -> None:
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("WebDriver:PerformActions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def close(self) -> None:
        self.stream.close()
        self.socket.close()

    def _read(self) -> Any:
        length = b""
        while not length.endswith(b":"):
            length += self.stream.read(1)
        return json.loads(self.stream.read(int(length[:-1])))


def _connected(port: int) -> socket.socket:
    for _ in range(300):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=300)
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("Firefox does not answer")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def started() -> Iterator[Marionette]:
    """Firefox: it takes seconds to start, so once for all tests."""
    if FIREFOX is None:
        pytest.skip("needs firefox")
    port = _free_port()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        Path(profile, "user.js").write_text(f'user_pref("marionette.port", {port});\n')
        command = [FIREFOX, "--headless", "--marionette", "--no-remote", "--profile", profile]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with closing(Marionette(port)) as driver:
                driver.ask("WebDriver:SetTimeouts", {"script": 300_000, "pageLoad": 300_000})
                yield driver
        finally:
            running.terminate()
            running.wait(30)
