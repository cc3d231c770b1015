"""Drives Debian's Firefox, which Playwright cannot: its own builds are patched.

Firefox speaks Marionette, the protocol below geckodriver: WebDriver's commands as JSON over a local
socket. Only what the tests need is here. A touch is a real one, at a point of the window, so an
element that lies below another one cannot be tapped.
"""

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.support.debian_programs import FIREFOX
from tests.support.processes import PATIENCE, wait_for

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of elements in WebDriver
PREFERENCES: dict[str, object] = {
    "marionette.port": 0,  # a free one
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.shell.checkDefaultBrowser": False,
    # Nothing but the page: what the window shows beside it takes a fifth of a start.
    "browser.aboutwelcome.enabled": False,
    "browser.newtab.preload": False,
    "browser.newtabpage.activity-stream.enabled": False,
    "browser.newtabpage.enabled": False,
    "browser.startup.homepage": "about:blank",
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.page": 0,
    "browser.topsites.contile.enabled": False,
    "browser.uitour.enabled": False,
    "extensions.screenshots.disabled": True,
    "extensions.webextensions.remote": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "dom.ipc.processPrelaunch.enabled": False,
    "fission.autostart": False,
    "places.history.enabled": False,
    "browser.sessionstore.resume_from_crash": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.w3c_touch_events.enabled": 1,
    "intl.accept_languages": "en-GB,en",
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.dns.disablePrefetch": True,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "toolkit.telemetry.server": "",
    "ui.prefersReducedMotion": 1,
}
# The point of the window where a touch reaches the first such element that lies open.
POINT = """
const parts = [1 / 2, 1 / 4, 3 / 4, 1 / 8, 7 / 8]
for (const part of document.querySelectorAll(arguments[0])) {
  part.scrollIntoView({ block: "nearest" })
  const { left, top, width, height } = part.getBoundingClientRect()
  for (const down of parts)
    for (const right of parts) {
      const x = Math.round(left + width * right), y = Math.round(top + height * down)
      const hit = document.elementFromPoint(x, y)
      if (hit && part.contains(hit)) return [x, y]
    }
}
return null
"""


class FirefoxError(Exception):
    """Firefox refused a command."""


class Firefox:
    """One window, with one profile in a folder of the test run."""

    def __init__(self, folder: Path) -> None:
        program = FIREFOX.find()
        assert program, "tests of Firefox are left out where there is none"
        lines = (f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in PREFERENCES.items())
        (folder / "user.js").write_text("".join(lines))
        self.output = folder / "output"
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [
                    program,
                    "--headless",
                    "--marionette",
                    "--no-remote",
                    # The switch for scripts is a preference of the browser itself.
                    "--remote-allow-system-access",
                    "--profile",
                    str(folder),
                ],
                env={**os.environ, "HOME": str(folder), "MOZ_CRASHREPORTER_DISABLE": "1"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        active = folder / "MarionetteActivePort"

        def port() -> str:
            """Return "" before Firefox has written it: the file is empty at first."""
            return active.read_text() if active.exists() else ""

        wait_for(lambda: port() or self.process.poll() is not None, "a port of Firefox")
        assert self.process.poll() is None, self.output.read_text()[-2000:]
        self.socket = socket.create_connection(("127.0.0.1", int(port())), timeout=PATIENCE)
        self.incoming = self.socket.makefile("rb")
        self.commands = 0
        self._receive()  # the greeting
        self.send("WebDriver:NewSession", capabilities={})

    def send(self, command: str, **parameters: object) -> Any:
        """The answer of a command; FirefoxError where it is refused."""
        self.commands += 1
        message = json.dumps([0, self.commands, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _type, _number, error, answer = self._receive()
        if error:
            raise FirefoxError(f"{command}: {error['message']}")
        return answer

    def _receive(self) -> Any:
        length = b""
        while (byte := self.incoming.read(1)) != b":":
            assert byte, f"Firefox ended: {self.output.read_text()[-2000:]}"
            length += byte
        return json.loads(self.incoming.read(int(length)))

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.incoming.close()
        self.socket.close()

    # -- what tests do -------------------------------------------------------------------

    def scripts(self, *, enabled: bool) -> None:
        """Return whether pages may run scripts, from the next page on."""
        self.send("Marionette:SetContext", value="chrome")
        setting = f"Services.prefs.setBoolPref('javascript.enabled', {json.dumps(enabled)})"
        self.send("WebDriver:ExecuteScript", script=setting, args=[])
        self.send("Marionette:SetContext", value="content")

    def resize(self, width: int, height: int) -> None:
        self.send("WebDriver:SetWindowRect", width=width, height=height)

    def remember(self, name: str, value: str) -> None:
        """Keep a cookie of the page's site."""
        self.send("WebDriver:AddCookie", cookie={"name": name, "value": value, "path": "/"})

    def forget(self) -> None:
        """Delete the cookies of the page's site."""
        self.send("WebDriver:DeleteAllCookies")

    def go(self, url: str) -> None:
        self.send("WebDriver:Navigate", url=url)

    def evaluate(self, script: str, *arguments: object) -> Any:
        """Return the result of the script; None also between two pages."""
        return self.send("WebDriver:ExecuteScript", script=script, args=list(arguments))["value"]

    def text(self, selector: str = "main") -> str:
        """Return the text of the first such element, or ""."""
        script = "return document.querySelector(arguments[0])?.textContent ?? ''"
        return " ".join(str(self.evaluate(script, selector) or "").split())

    def count(self, selector: str) -> int:
        script = "return document.querySelectorAll(arguments[0]).length"
        return int(self.evaluate(script, selector) or 0)

    def see(self, text: str, selector: str = "main") -> None:
        """Wait until this text is in the element."""
        wait_for(lambda: text in self.text(selector), f"“{text}”", pause=0.1)

    def await_any(self, selector: str) -> None:
        wait_for(lambda: self.count(selector), f"an element {selector}", pause=0.1)

    def tap(self, selector: str) -> None:
        """Touch the first such element that lies open, once the page is loaded and two looks find
        it at the same place: until then, as when a page scrolls to what its address names, it may
        still move away from the finger."""
        points: list[tuple[float, float]] = []

        def found() -> bool:
            is_loaded = self.evaluate("return document.readyState") == "complete"
            before = points[:]
            points[:] = filter(None, [is_loaded and self.point(selector)])
            return bool(points) and points == before

        wait_for(found, f"an element {selector} in sight", pause=0.1)
        ((x, y),) = points
        origin = {"type": "pointerMove", "x": x, "y": y, "origin": "viewport"}
        finger = {
            "type": "pointer",
            "id": "finger",
            "parameters": {"pointerType": "touch"},
            "actions": [
                origin,
                {"type": "pointerDown", "button": 0},
                {"type": "pointerUp", "button": 0},
            ],
        }
        self.evaluate("document.body.dataset.tapped = ''")
        try:
            self.send("WebDriver:PerformActions", actions=[finger])
        except FirefoxError as error:
            if "message reply cannot be cloned" not in str(error):
                raise
            # Firefox cannot report from a page that the tap has left. Where the page is still
            # there, the finger has not reached it.
            with suppress(AssertionError):
                wait_for(lambda: not self.count("body[data-tapped]"), "another page", 3)
                return
            self.tap(selector)
            return
        self.send("WebDriver:ReleaseActions")

    def follow(self, selector: str) -> None:
        """Tap a link, once more where a busy Firefox has lost the tap, until its page is left."""
        for _try in range(3):
            self.tap(selector)
            with suppress(AssertionError):
                wait_for(lambda: not self.count("body[data-tapped]"), "another page", 10)
                return
        raise AssertionError(f"three taps on {selector} lead nowhere")

    def point(self, selector: str) -> Any:
        return self.evaluate(POINT, selector)

    def write(self, selector: str, text: str) -> None:
        """Type into a field."""
        found = self.send("WebDriver:FindElement", using="css selector", value=selector)
        self.send("WebDriver:ElementSendKeys", id=found["value"][ELEMENT], text=text)


def firefoxes(folder: Path) -> Iterator[Firefox]:
    """A Firefox that is closed at the end."""
    browser = Firefox(folder)
    yield browser
    browser.close()
