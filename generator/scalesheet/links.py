"""Checks whether the links of the data still work: the only module that uses the network.

It is polite to servers: it requests each address once, with a pause between requests to the same
server, and tries HEAD before GET. Different servers are requested in parallel.
"""

from __future__ import annotations

import http.client
import ssl
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from scalesheet import __version__
from scalesheet.diagnostics import Diagnostic, at
from scalesheet.frozen import dataclass
from scalesheet.load import Document, Steps, quotable
from scalesheet.model import Position

#: Servers that are queried at the same time.
SIDE_BY_SIDE = 8
#: Redirects to follow before they count as a loop.
MOST_HOPS = 8
_GONE = (404, 410)
_FOR_GOOD = (301, 308)
_PASSED_ON = (301, 302, 303, 307, 308)
#: Statuses with which servers may answer HEAD even though GET would work.
_HEAD_REFUSED = (400, 403, 404, 405, 406, 410, 429, 500, 501, 503)


@dataclass(frozen=True)
class Answer:
    """The result for an address: a status, or why there is none; and where it has moved."""

    status: int | None
    why: str = ""
    moved: str = ""


#: Requests an address, within a number of seconds.
Ask = Callable[[str, float], Answer]


def addresses(documents: Sequence[Document]) -> dict[str, list[Position]]:
    """Every address under `url` in the data, with its places, in the order of the files."""
    result: dict[str, list[Position]] = defaultdict(list)
    for document in documents:
        for steps, url in _urls(document.data):
            result[url.partition("#")[0]].append(document.at(*steps))
    return dict(result)


def _urls(data: Any, steps: Steps = ()) -> Iterator[tuple[Steps, str]]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key == "url" and isinstance(value, str) and value.startswith(("http:", "https:")):
                yield (*steps, key), value
            else:
                yield from _urls(value, (*steps, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _urls(value, (*steps, index))


def look(
    places: Mapping[str, Sequence[Position]],
    *,
    patience: float,
    pause: float,
    progress: Callable[[str], None] = lambda message: None,
    ask: Ask | None = None,
) -> list[Diagnostic]:
    """Request every address, and report those that fail, at each place that names them.

    `patience` and `pause` are in seconds: for an answer, and between two requests to one server.
    """
    servers: dict[str, list[str]] = defaultdict(list)
    for url in places:
        servers[urlsplit(url).netloc.lower()].append(url)
    asked: dict[str, Answer] = {}
    stop = Event()

    def one_server(urls: Sequence[str]) -> None:
        for index, url in enumerate(urls):
            if stop.is_set() or (index and stop.wait(pause)):
                return
            asked[url] = (ask or asked_for)(url, patience)
            progress(f"{len(asked)} of {len(places)} addresses")

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:  # the longest lists first
        try:
            list(pool.map(one_server, sorted(servers.values(), key=len, reverse=True)))
        finally:
            stop.set()  # an interrupt does not wait for the rest
    progress("")
    words = (
        at(position, *answer)
        for url, positions in places.items()
        if (answer := _problem(url, asked[url]))
        for position in positions
    )
    return sorted(words)


def _problem(url: str, answer: Answer) -> tuple[str, str] | None:
    """Code and message, if there is anything to report."""
    if answer.status in _GONE:
        what = f"the server answers {answer.status}, {_phrase(answer.status)}"
        return "L001", f"{url}: {what}; find where the text is now, or name an archived copy"
    if answer.status is None or answer.status >= 400:
        what = answer.why or f"the server answers {answer.status}, {_phrase(answer.status or 0)}"
        return "L002", f"{url}: {what}; open it in a browser to see whether it works"
    if answer.moved:
        message = f"{url}: has moved to {answer.moved}; use that address if the text is the same"
        return "L003", message
    return None


def _phrase(status: int) -> str:
    return http.client.responses.get(status, "unknown").lower()


# ------------------------------------------------------------------ requests


class _NotFollowed(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NotFollowed)


def asked_for(url: str, patience: float) -> Answer:
    """Request an address, HEAD first, and follow redirects."""
    place, for_good = url, True
    for _ in range(MOST_HOPS):
        status, onward, why = _once(place, "HEAD", patience)
        if status in _HEAD_REFUSED or (status is None and not why):
            status, onward, why = _once(place, "GET", patience)
        if status not in _PASSED_ON or not onward:
            moved = place if for_good and place != url else ""
            return Answer(status, why, quotable(moved, clip=False))
        for_good = for_good and status in _FOR_GOOD
        place = urljoin(place, onward).partition("#")[0]
        if not place.startswith(("http://", "https://")):
            return Answer(None, "it redirects to something that is not a page")
    return Answer(None, f"it redirects more than {MOST_HOPS} times")


def _once(url: str, method: str, patience: float) -> tuple[int | None, str, str]:
    """Return status, redirect target, and why there is no status. The body is not read."""
    try:
        # Addresses in the data may have characters that must be escaped.
        spelt = quote(url, safe="%/:=&?~#+!$,;'@()*[]")
        agent = f"scalesheet-links/{__version__}"
        request = urllib.request.Request(spelt, method=method, headers={"User-Agent": agent})
        with _OPENER.open(request, timeout=patience) as answer:
            return answer.status, "", ""
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers.get("Location", ""), ""
    except TimeoutError:
        return None, "", f"no answer within {patience:g} seconds"
    except (OSError, http.client.HTTPException, ValueError) as error:
        return None, "", _reason(getattr(error, "reason", error))


def _reason(reason: object) -> str:
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    if isinstance(reason, ssl.SSLError):
        return f"no secure connection ({quotable(str(reason.reason or reason))})"
    if isinstance(reason, OSError) and reason.strerror:
        return f"no connection ({quotable(reason.strerror)})"
    return f"no answer that can be read ({quotable(str(reason)) or type(reason).__name__})"
