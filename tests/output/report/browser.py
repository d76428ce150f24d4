"""A headless Chromium, driven through the pipe of its DevTools protocol: no driver and no package is needed."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--mute-audio",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0
"""Longest wait for an answer [s]."""


class BrowserError(Exception):
    """The browser did not do what it was told."""


def find_chromium() -> str | None:
    """The program, or None: `GROUSER_CHROMIUM`, or one of the usual names."""
    return os.environ.get("GROUSER_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of one browser.

    Attributes
    ----------
    requests : addresses that the page has asked for, but for those inside of it (data:, blob:)
    faults : errors and warnings of the console, and exceptions that nobody caught
    """

    def __init__(self, program: str, folder: Path):
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        # the protocol speaks on the descriptors 3 and 4
        wrapper = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        words = [program, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", wrapper, *words],
            pass_fds=(to_read, to_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._pending = b""
        self._number = 0
        self._session = ""
        self.requests: list[str] = []
        self.faults: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> Any:
        """Give an order and wait for what comes of it."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return answer["result"]

    def _receive(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._pending:
            if not select.select([self._read], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise BrowserError("the browser does not answer")
            chunk = os.read(self._read, 1 << 20)
            if not chunk:
                raise BrowserError("the browser has ended")
            self._pending += chunk
        text, _, self._pending = self._pending.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, content: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            url = content["request"]["url"]
            if not url.startswith(("data:", "blob:")):
                self.requests.append(url)
        elif method == "Runtime.exceptionThrown":
            self.faults.append(str(content["exceptionDetails"].get("exception", {}).get("description")))
        elif method == "Log.entryAdded" and content["entry"]["level"] in ("error", "warning"):
            self.faults.append(content["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and content["type"] in ("error", "warning", "assert"):
            self.faults.append(str([item.get("value") for item in content["args"]]))

    def resize(self, width: int, height: int, *, is_phone: bool = False, is_dark: bool = False) -> None:
        """Set the size of the page [px], whether it is touched, and the scheme of colours that is preferred."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone
        )
        self.send("Emulation.setTouchEmulationEnabled", enabled=is_phone)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, path: Path, ready: str = "document.documentElement?.dataset.ready === 'yes'") -> float:
        """Open a file and wait until it is ready; gives the time that it took [s]."""
        started = time.monotonic()
        self.send("Page.navigate", url=path.absolute().as_uri())
        self.wait(ready)
        return time.monotonic() - started

    def run(self, code: str) -> Any:
        """The value of an expression of the page."""
        answer = self.send("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(answer["exceptionDetails"].get("exception", {}).get("description", code))
        return answer["result"].get("value")

    def wait(self, code: str, patience: float = PATIENCE) -> None:
        """Wait until an expression is true."""
        deadline = time.monotonic() + patience
        while not self.run(code):
            if time.monotonic() > deadline:
                raise BrowserError(f"never true: {code}; {self.faults}")
            time.sleep(0.02)

    def press(self, key: str, **more: Any) -> None:
        """Press a key, by its name in JavaScript."""
        text = {"text": key} if len(key) == 1 else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **more)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, **more)

    def click(self, x: float, y: float) -> None:
        """Click at a place of the page [px]."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag from a place to another."""
        steps = [start, ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), end]
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=start[0], y=start[1])
        self.send("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], button="left", clickCount=1)
        for x, y in steps:
            self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
        self.send("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], button="left", clickCount=1)

    def find_box(self, selector: str) -> tuple[float, float, float, float]:
        """Left, top, width and height of an element [px]."""
        x, y, width, height = self.run(
            f"(({{x, y, width, height}}) => [x, y, width, height])"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        )
        return x, y, width, height

    def take_picture(self, selector: str = "") -> bytes:
        """A PNG of the page, or of the place of an element."""
        more: dict[str, Any] = {}
        if selector:
            x, y, width, height = self.find_box(selector)
            more["clip"] = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
        return base64.b64decode(self.send("Page.captureScreenshot", format="png", **more)["data"])

    def find_cpu_times(self) -> dict[int, float]:
        """Time of the processor that each of its processes has used [s]; empty where the system does not tell."""
        parents, times = {}, {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                fields = path.read_text().rpartition(")")[2].split()
                parents[int(path.parent.name)] = int(fields[1])
                times[int(path.parent.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        own = {self._process.pid}
        for _ in range(4):  # processes of processes
            own |= {pid for pid, parent in parents.items() if parent in own}
        return {pid: times[pid] for pid in own if pid in times}

    def close(self) -> None:
        """End the browser."""
        self._session = ""
        try:
            self.send("Browser.close")
        except (BrowserError, OSError):
            self._process.kill()
        self._process.wait(PATIENCE)
        os.close(self._write)
        os.close(self._read)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A browser with a folder of its own, which is gone afterwards."""
    program = find_chromium()
    if program is None:
        raise BrowserError("there is no Chromium")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(program, Path(folder))
        try:
            yield browser
        finally:
            browser.close()
