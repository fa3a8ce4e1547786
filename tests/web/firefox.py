"""Firefox, driven by its own remote protocol (Marionette), as Playwright needs another build."""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

NAMES = ("firefox-esr", "firefox")
MISSING = "no Firefox here; apt-get install firefox-esr brings it"
WAIT_S = 180.0


class Firefox:
    """A session of one window. Messages are JSON arrays, each after its length and a colon."""

    def __init__(self, connection: socket.socket) -> None:
        self._stream = connection.makefile("rwb")
        self._number = 0
        self._read()  # the greeting
        self.command("WebDriver:NewSession", capabilities={})

    def command(self, name: str, **parameters: Any) -> Any:
        """Runs a command and returns its result; fails with the browser's error."""
        self._number += 1
        body = json.dumps([0, self._number, name, parameters]).encode()
        self._stream.write(b"%d:%s" % (len(body), body))
        self._stream.flush()
        _, number, error, result = self._read()
        assert number == self._number
        assert error is None, error
        return result["value"] if isinstance(result, dict) and "value" in result else result

    def _read(self) -> Any:
        length = b""
        while (character := self._stream.read(1)) != b":":
            assert character, "Firefox closed the connection"
            length += character
        return json.loads(self._stream.read(int(length)))

    def open(self, address: str) -> None:
        """Loads an address."""
        self.command("WebDriver:Navigate", url=address)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page."""
        return self.command("WebDriver:ExecuteScript", script=f"return {expression}", args=[])

    def wait_for(self, expression: str) -> None:
        """Waits until an expression of the page is true."""
        deadline = time.monotonic() + WAIT_S
        while not self.evaluate(expression):
            assert time.monotonic() < deadline, f"{expression}: {self.evaluate(BODY)}"
            time.sleep(0.1)

    def type(self, selector: str, text: str) -> None:
        """Types a text into an element; `\\ue007` is Enter."""
        found = self.command("WebDriver:FindElement", using="css selector", value=selector)
        [element] = found.values()
        self.command("WebDriver:ElementSendKeys", id=element, text=text)


BODY = "document.body.innerText.slice(0, 500)"


@contextmanager
def firefox() -> Iterator[Firefox]:
    """Starts Firefox without a window and with an empty profile; skips the test without one."""
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if not program:
        pytest.skip(MISSING)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with TemporaryDirectory() as profile:
        Path(profile, "user.js").write_text(f'user_pref("marionette.port", {port});\n')
        command = [program, "--headless", "--marionette", "--no-remote", "--profile", profile]
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            try:
                with _connect(port) as connection:
                    yield Firefox(connection)
            finally:
                process.kill()


def _connect(port: int) -> socket.socket:
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), WAIT_S)
        except OSError:
            assert time.monotonic() < deadline, "Firefox did not start"
            time.sleep(0.2)
