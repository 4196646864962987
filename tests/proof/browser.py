"""Evaluate classic scripts in a real Chromium (through Playwright) and in Node.

A script's result is the value of its last expression, as JSON; NaN, infinities and -0 are
preserved. Several scripts share a global scope, like several <script> elements.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Page,
    Playwright,
    expect,
    sync_playwright,
)

# A last resort against a hang, not a measure of speed: even a busy machine is faster.
PATIENCE = 600.0
SCRIPT_SECONDS = PATIENCE
expect.set_options(timeout=PATIENCE * 1000)
#: The first is Chromium without windows, which starts and paints in half the time.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
# Numbers that JSON lacks become {"$number": text}; anything else that JSON would drop is refused.
REPLACER = """function (key, value) {
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) {
    return { $number: Object.is(value, -0) ? "-0" : String(value) };
  }
  if (typeof value === "function" || typeof value === "symbol") {
    throw new TypeError("the result holds a " + typeof value + " at '" + key + "'");
  }
  return value === undefined ? null : value;
}"""
NODE_HARNESS = f"""
const fs = require("fs"), vm = require("vm");
globalThis.console = new console.Console(process.stderr);
let value;
for (const script of JSON.parse(fs.readFileSync(0, "utf8"))) value = vm.runInThisContext(script);
Promise.resolve(value).then(
  (result) => fs.writeSync(1, JSON.stringify(result === undefined ? null : result, {REPLACER})));
"""


class JavaScriptError(Exception):
    """A script threw an exception, does not parse, or took too long."""


def find_chromium() -> str | None:
    """The path of the browser: SCALESHEET_CHROMIUM, or a common name on the search path."""
    named = os.environ.get("SCALESHEET_CHROMIUM")
    if named:
        return shutil.which(named)
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def find_node() -> str | None:
    """The path of Node: SCALESHEET_NODE, or from the search path."""
    return shutil.which(os.environ.get("SCALESHEET_NODE") or "node")


def missing_browser() -> str | None:
    """What is missing and how to get it, or None if Chromium can be used."""
    if find_chromium():
        return None
    return (
        "Chromium not found; get it with: apt-get install chromium-headless-shell, or chromium "
        "(or set SCALESHEET_CHROMIUM)"
    )


def missing_node() -> str | None:
    """What is missing and how to get it, or None if Node can be run."""
    if find_node():
        return None
    return "Node not found; get it with: apt-get install nodejs (or set SCALESHEET_NODE)"


def _decode(pairs: dict[str, Any]) -> Any:
    if pairs.keys() == {"$number"}:
        return float(pairs["$number"].replace("Infinity", "inf"))
    return pairs


def _whole(digits: str) -> int | float:
    """JavaScript shortens 2**70 to 1180591620717411300000, which is exact only as a double."""
    whole = int(digits)
    return whole if abs(whole) <= 2**53 else float(digits)


def parse_result(text: str) -> Any:
    """The result of a script from its JSON."""
    return json.loads(text, object_hook=_decode, parse_int=_whole)


Scheme = Literal["light", "dark"]
Motion = Literal["no-preference", "reduce"]


@dataclass(eq=False)
class Visit:
    """A page in the browser, with its requests and everything that went wrong."""

    page: Page
    scripts: bool
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", lambda said: self.complaints.append(said.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))


class Chromium:
    """A headless Chromium; a context manager."""

    def __init__(self) -> None:
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._open: list[Visit] = []
        self._left: list[Visit] = []

    def __enter__(self) -> Self:
        program = find_chromium()
        if program is None:
            raise JavaScriptError(missing_browser())
        self._playwright = sync_playwright().start()
        try:
            self._browser = _patient(
                self._playwright.chromium.launch(
                    executable_path=program, args=ARGUMENTS, timeout=PATIENCE * 1000
                )
            )
        except BaseException:
            self._playwright.stop()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if self._browser:
            self._browser.close()
        if self._playwright:
            self._playwright.stop()
        self._browser = self._playwright = None
        self._open, self._left = [], []

    @property
    def version(self) -> str:
        """The browser's version."""
        assert self._browser is not None
        return self._browser.version

    @property
    def browser(self) -> Browser:
        """The browser itself, for tests that create their own contexts."""
        assert self._browser is not None
        return self._browser

    def visit(
        self,
        address: str,
        *,
        scheme: Scheme = "light",
        motion: Motion = "no-preference",
        width: int = 1280,
        scripts: bool = True,
    ) -> Visit:
        """Open an address in a context that no other open page shares.

        Contexts that were left are reused, because a new one takes longer than opening most pages.
        """
        seen = next((each for each in self._left if each.scripts == scripts), None)
        if seen:
            self._left.remove(seen)
        else:
            seen = Visit(self.browser.new_context(java_script_enabled=scripts).new_page(), scripts)
        self._open.append(seen)
        seen.page.set_viewport_size({"width": width, "height": 800})
        seen.page.emulate_media(media="screen", color_scheme=scheme, reduced_motion=motion)
        seen.page.goto(address)
        return seen

    def leave(self, *visits: Visit) -> list[str]:
        """Leave these visits, or all, and clear their storage; return what went wrong in them."""
        visits = visits or tuple(self._open)
        self._open = [each for each in self._open if each not in visits]
        wrong = [each for seen in visits for each in seen.complaints]
        for seen in visits:
            seen.page.evaluate("localStorage.clear(), sessionStorage.clear()")
            seen.page.mouse.move(0, 0)
            seen.page.goto("about:blank")
            seen.complaints.clear()
            seen.requests.clear()
            self._left.append(seen)
        return wrong

    def new_page(self) -> Page:
        """An empty page in its own context; close it with page.context.close()."""
        assert self._browser is not None
        return self._browser.new_context().new_page()

    def run_javascript(self, *scripts: str, seconds: float = SCRIPT_SECONDS) -> Any:
        """Run classic scripts in turn on an empty page; return the last one's value from JSON."""
        page = self.new_page()
        try:
            return run_on_page(page, *scripts, seconds=seconds)
        finally:
            page.context.close()


def _patient(browser: Browser) -> Browser:
    """The browser, with the same long timeout for everything on its pages."""
    make = browser.new_context

    def new_context(**options: Any) -> BrowserContext:
        context = make(**options)
        context.set_default_timeout(PATIENCE * 1000)
        return context

    browser.new_context = new_context  # type: ignore[method-assign]
    return browser


def run_on_page(page: Page, *scripts: str, seconds: float = SCRIPT_SECONDS) -> Any:
    """Run classic scripts in a page's global scope; return the last one's value from JSON."""
    session = page.context.new_cdp_session(page)
    try:
        answer: dict[str, Any] = {"result": {"type": "undefined"}}
        for script in scripts:
            answer = session.send(
                "Runtime.evaluate",
                {"expression": script, "timeout": seconds * 1000, "awaitPromise": True},
            )
            _check(answer)
        argument = {
            key: answer["result"][key]
            for key in ("objectId", "value", "unserializableValue")
            if key in answer["result"]
        }
        scope = session.send("Runtime.evaluate", {"expression": "globalThis"})
        done = session.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": "function (value) { return JSON.stringify("
                f"value === undefined ? null : value, {REPLACER}); }}",
                "objectId": scope["result"]["objectId"],
                "arguments": [argument],
                "returnByValue": True,
            },
        )
        _check(done)
        return parse_result(done["result"]["value"])
    except Error as error:
        raise JavaScriptError(str(error)) from error
    finally:
        session.detach()


def _check(answer: dict[str, Any]) -> None:
    details = answer.get("exceptionDetails")
    if details:
        thrown = details.get("exception", {})
        text = thrown.get("description") or thrown.get("value") or details.get("text")
        raise JavaScriptError(str(text))


def run_node(*scripts: str, seconds: float = SCRIPT_SECONDS) -> Any:
    """Run classic scripts in turn in Node; return the last one's value from JSON."""
    program = find_node()
    if program is None:
        raise JavaScriptError(missing_node())
    try:
        done = subprocess.run(
            [program, "-e", NODE_HARNESS],
            input=json.dumps(scripts),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise JavaScriptError(f"Node gave no answer within {seconds:g} s") from error
    if done.returncode:
        raise JavaScriptError(done.stderr.strip()[-2000:])
    return parse_result(done.stdout)
