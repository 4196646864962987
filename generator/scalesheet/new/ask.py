"""Asks for what a new file needs (title, source and blanks) and checks each answer.

Enter keeps the value in brackets. The functions that ask and print are parameters, so that tests
can answer as a person would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from scalesheet.check import check
from scalesheet.diagnostics import Refused, errors
from scalesheet.frozen import dataclass
from scalesheet.load.folder import is_id
from scalesheet.nearest import nearest
from scalesheet.new import entry
from scalesheet.new.blanks import ENDS, Blank, SettingError, blanks, read
from scalesheet.new.compose import Composed, composed
from scalesheet.new.sound import document
from scalesheet.new.template import NAMES, Given, draft, stated, template
from scalesheet.schemas import is_date
from scalesheet.source.places import title
from scalesheet.source.text import flow

Ask = Callable[[str], str]
Tell = Callable[[str], None]


def answers(data: Path, kind: str, id: str, ask: Ask, tell: Tell) -> Composed:
    """Ask until the answers fit the book."""
    return _Asking(data, kind, id, ask, tell).composed()


@dataclass(frozen=True)
class _Asking:
    """A conversation about one new file."""

    data: Path
    kind: str
    id: str
    ask: Ask
    tell: Tell

    def composed(self) -> Composed:
        self.tell(f"A new {self.kind}. Press Enter to keep the value in brackets.")
        given = self.source(Given(title=self.plain("title", title(self.id))))
        while True:
            for blank in blanks(self.kind, draft(self.kind, self.id, self.data, given)):
                given = self.blank(given, blank)
            try:
                return composed(self.data, self.kind, self.id, given)
            except Refused as error:
                self.tell("This is not valid in this book:")
                for each in error.diagnostics:
                    self.tell(f"  {each.message}")
                self.tell("Try again; your answers are in brackets.")

    # -------------------------------------------------------------- a blank

    def blank(self, given: Given, blank: Blank) -> Given:
        before = set(self.faults(given))
        unit = f" in {blank.unit}" if blank.unit else ""
        among = f" One of {', '.join(blank.choices)}." if blank.choices else ""
        self.tell(f"{blank.name}{unit}: {blank.says}{among}")
        while True:
            answer = self.ask(f"  [{flow(_shown(given, blank))}] ").strip()
            if not answer:
                return given
            try:
                after = replace(given, filled={**given.filled, blank.steps: read(answer)})
                wrong = [each for each in self.faults(after) if each not in before]
            except SettingError as error:
                wrong = [str(error)]
            wrong += _unknown_name(self.data, blank, answer)
            if not wrong:
                return after
            for each in wrong:
                self.tell(f"  {each}")

    def faults(self, given: Given) -> Iterator[str]:
        """Yield the errors that schema and limits find in the file so far."""
        text = template(self.kind, draft(self.kind, self.id, self.data, given), None, "")
        made, unread = document(self.kind, self.id, "", text)
        for each in errors([*unread, *check([made])]):
            yield each.message

    # -------------------------------------------------------------- the source

    def source(self, given: Given) -> Given:
        """Ask for a source: an existing one, a new one, or a blank."""
        known = entry.known(self.data)
        self.tell(
            "source: a key of sources.yaml, or a new one. Leave it empty to fill it in later."
        )
        while key := self.ask("  source: ").strip():
            if key in known:
                break
            if not is_id(key):
                self.tell(f"  '{key}' is not a key: use a-z, 0-9 and '-', at most 64")
                continue
            near = get_close_matches(key, known, n=1, cutoff=0.8)
            meant = f"; did you mean '{near[0]}'?" if near else "."
            self.tell(f"  '{key}' is not in sources.yaml yet{meant} To add it, describe it.")
            new = entry_of(self.ask, self.tell)
            if new:
                given = replace(given, entries={key: new})
                break
        if not key:
            return given
        return replace(given, source=key, locator=self.plain("the place in it", given.locator))

    def plain(self, what: str, default: str) -> str:
        return self.ask(f"{what} [{default}]: ").strip() or default


def _shown(given: Given, blank: Blank) -> Any:
    value = given.filled.get(blank.steps, blank.example)
    ends = isinstance(value, dict) and set(value) == ENDS
    return f"{value['low']:g}..{value['high']:g}" if ends else value


def _unknown_name(data: Path, blank: Blank, answer: str) -> Iterator[str]:
    """Yield an error if a blank names a row that the book lacks."""
    folder = NAMES.get(str(blank.steps[0])) if len(blank.steps) == 1 else None
    if folder is None:
        return
    files = sorted(data.joinpath(folder).glob("*.yaml"))
    by_title = folder == "providers"  # without such a table, any name will do
    known = [stated(file, "title") or "" if by_title else file.stem for file in files]
    if answer not in known and (known or not by_title):
        near = nearest(answer, known)
        remedy = f"{near} If not, create its file first" if near else "; create its file first"
        yield f"the book has no {blank.name} '{answer}'{remedy}"


def entry_of(ask: Ask, tell: Tell) -> dict[str, Any]:
    """Ask for a new entry; empty if it gets no title, so that another key can be given."""
    called = ask("  its title, as on its title page (empty: another key): ").strip()
    if not called:
        return {}
    made = {"title": called}
    for name, what in (
        ("publisher", "who published it"),
        ("url", "where it can be read, http..."),
        ("accessed", "when you read it, YYYY-MM-DD"),
    ):
        while answer := ask(f"  {what} (empty: not stated): ").strip():
            fits = {"url": answer.startswith(("https://", "http://")), "accessed": is_date(answer)}
            if fits.get(name, True):
                made[name] = answer
                break
            tell(f"  expected {what.partition(', ')[2]}, found '{answer}'")
    return made
