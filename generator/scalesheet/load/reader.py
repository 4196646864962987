"""Strict YAML with positions: parses one file to plain data, whatever its bytes.

YAML is read from parser events, with our own rules for plain scalars:

- empty, `~` and `null` are None; `true` and `false` are bools;
- `24`, `-3`, `10_000` are ints; `0.5`, `1e9`, `1.5e-3` are floats;
- everything else is text: `yes`, `no`, `on`, `12:30`, `2026-11-20`, `0x10`, `007`, `.5`.

The parser is libyaml's if PyYAML has it. Its tree builder recurses in C and crashes on deep input.
Reading events is safe at any depth, and the limit on depth is checked on them here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import lru_cache
from typing import Any

import yaml
from yaml import events

from scalesheet.diagnostics import Diagnostic
from scalesheet.frozen import dataclass
from scalesheet.language.arithmetic import stated
from scalesheet.load.document import Mark, Steps, quotable

MAX_BYTES = 5_000_000
MAX_DEPTH = 30
TOO_DEEP = f"mappings and lists are nested deeper than {MAX_DEPTH} levels; flatten them"
MAX_FINDINGS = 100  # in one file; more of them help nobody

PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_DIGITS = r"[-+]?(?:0|[1-9][0-9]*(?:_[0-9]+)*)"
_INT = re.compile(_DIGITS)
_FLOAT = re.compile(_DIGITS + r"(?:\.[0-9]+(?:_[0-9]+)*)?(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.?(?:nan|inf|infinity)", re.IGNORECASE)
#: Characters that text must not contain: controls, line separators that only YAML counts as lines,
#: marks that change the text direction, a BOM inside the text, surrogates and noncharacters.
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)
_CONTROL_OR_RETURN = re.compile(_CONTROL.pattern + "|\r")

#: The marks that a merge leaves if both sides changed the same lines: at the beginning and end.
_CONFLICT = re.compile(r"^<{7} .*$", re.MULTILINE)
_CONFLICT_END = re.compile(r"^>{7} ", re.MULTILINE)

#: Text before a key that is the rest of a number: `{price: 0,9}`.
_DECIMAL_COMMA = re.compile(r"\d, ?$")
_MORE_COMMAS = re.compile(r"\d,\d{3},$")

_WORDS: Mapping[str, Any] = {
    "": None,
    "~": None,
    "null": None,
    "true": True,
    "false": False,
}

#: A line of two dashes, which is neither a list item nor the start of a document.
_TWO_DASHES = re.compile(r"^--[ \t]*\r?$", re.MULTILINE)
#: A key without a space after its colon, at the start of a line.
_NO_SPACE = re.compile(r"[ ]*(?:- +)?(?P<key>[A-Za-z_][\w-]*):[^\s:/]")
#: Text with brackets among the items of a mapping in braces: `runs['a'].cost`.
_BRACKETED = re.compile(r"[^:,{}\[\]]*(?:\[[^\]]*(?:\]|$)[^,}\[]*)+")

#: Messages of libyaml and PyYAML -> the same in our words, with the fix. Others are shown
#: unchanged.
_MISALIGNED = "this line is not aligned with the keys around it, or a quote above is not closed"
_UNEXPECTED, _NO_COLON = "unexpected ': '", "expected ':' after the key"
_REMEDIES = (
    ("tab character", "", "indent with spaces"),
    ("mapping values are not allowed", _UNEXPECTED, "put text that contains ': ' in quotes"),
    (
        "cannot start any token",
        "text may not begin with this character",
        "indent with spaces; put text that begins with @, ` or % in quotes",
    ),
    (
        "',' or",
        "expected ',' or a closing bracket",
        "close the bracket, and separate its items with commas",
    ),
    ("expected ':'", _NO_COLON, "write 'key: value', with a space after ':'"),
    ("expected key", _MISALIGNED, "align the keys of a mapping, and close quotes"),
    ("expected <block end>", _MISALIGNED, "align the keys of a mapping, and close quotes"),
    (
        "<document start>",
        "the data of the file ends above this line",
        "write its keys one per line, without brackets around them",
    ),
    ("'-' indicator", "this item is not aligned with the list's other items", "align them"),
    ("escape", "", "put the text in single quotes, where a backslash is only a backslash"),
)


@dataclass(frozen=True)
class Parsed:
    """The data of one file, the position of each value and key, and what is wrong with it.

    `data` is None if nothing could be read. `broken` are the values that were refused: they are
    None in the data and need no further diagnostics. `text` is what follows the data, and
    `text_line` is its first line.
    """

    data: Any
    places: Mapping[Steps, Mark]
    keys: Mapping[Steps, Mark]
    broken: frozenset[Steps]
    diagnostics: tuple[Diagnostic, ...]
    text: str = ""
    text_line: int = 1

    def at(self, path: str) -> Parsed:
        """The same for a file at another path."""
        if not self.diagnostics:
            return self
        return replace(self, diagnostics=tuple(replace(d, path=path) for d in self.diagnostics))


# ------------------------------------------------------------------ text


def decoded(content: bytes, path: str) -> tuple[str | None, list[Diagnostic]]:
    """The text without a byte order mark; refused characters are reported and replaced."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        message = "the file is in UTF-16; save it as UTF-8"
        return None, [Diagnostic(path, 1, 1, "Y004", message)]
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        line, column = _line_and_column(before, len(before))
        message = (
            f"byte {content[error.start]:#04x} at offset {error.start} is not UTF-8; "
            "save the file as UTF-8"
        )
        return None, [Diagnostic(path, line, column, "Y004", message)]
    text = text.removeprefix("\ufeff")
    conflict = _CONFLICT.search(text)
    if conflict and _CONFLICT_END.search(text, conflict.end()):
        line, column = _line_and_column(text, conflict.start())
        message = (
            "a merge left both sides of a conflict here; keep the right lines, and delete "
            "the lines '<<<<<<<', '=======' and '>>>>>>>'"
        )
        return None, [Diagnostic(path, line, column, "Y013", message)]
    diagnostics = []
    for match in _CONTROL.finditer(text):
        line, column = _line_and_column(text, match.start())
        diagnostics.append(Diagnostic(path, line, column, "Y001", _control(match[0])))
        if len(diagnostics) == MAX_FINDINGS:
            break
    return _CONTROL.sub("\ufffd", text), diagnostics


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _control(character: str) -> str:
    return f"the control character U+{ord(character):04X} is not allowed in text; delete it"


def parse_page(content: bytes, path: str) -> Parsed:
    """A page's text, with line ends as `\\n`."""
    text, diagnostics = decoded(content, path)
    if text is not None:
        text = newlines(text)
    return Parsed(text, {(): Mark(1, 1)}, {}, frozenset(), tuple(diagnostics))


def newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


_FRONT = re.compile(r"---[ \t]*\n(?P<data>.*?)^---[ \t]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)


def parse_subpage(content: bytes, path: str) -> Parsed:
    """Parse a page with data above its text, between two lines `---`."""
    if len(content) > MAX_BYTES:
        return parse(content, path)  # it reports the size
    text, diagnostics = decoded(content, path)
    if text is None:
        return _unread(diagnostics)
    text = newlines(text)
    front = _FRONT.match(text)
    if front is None:
        message = "the page has no front matter; begin it with '---', 'title: ...' and '---'"
        return _unread([*diagnostics, Diagnostic(path, 1, 1, "S002", message)])
    parsed = parse(f"\n{front['data']}".encode(), path)  # keep the line numbers
    return replace(
        parsed,
        diagnostics=(*diagnostics, *parsed.diagnostics),
        text=text[front.end() :],
        text_line=text.count("\n", 0, front.end()) + 1,
    )


# ------------------------------------------------------------------ YAML


class _GiveUpError(Exception):
    """Nothing more can be read from this file."""


def parse(content: bytes, path: str) -> Parsed:
    """Parse one YAML file. Returns diagnostics and never raises, for any bytes."""
    if len(content) > MAX_BYTES:
        return _unread([Diagnostic(path, 1, 1, "Y011", "the file is larger than 5 MB; split it")])
    text, diagnostics = decoded(content, path)
    if text is None:
        return _unread(diagnostics)
    reader = _Reader(path, text, diagnostics)
    try:
        data = reader.document()
    except _GiveUpError:
        return _unread(diagnostics)
    except yaml.YAMLError as error:
        if (found := _syntax(error, path, text, reader.quote)) not in diagnostics:
            diagnostics.append(found)
        return _unread(diagnostics)
    except (ValueError, OverflowError):  # from PyYAML's own parser, for an escape beyond Unicode
        diagnostics.append(
            Diagnostic(path, 1, 1, "Y001", "this escape is not a valid character; fix it")
        )
        return _unread(diagnostics)
    return Parsed(data, reader.places, reader.keys, frozenset(reader.broken), tuple(diagnostics))


def _unread(diagnostics: list[Diagnostic]) -> Parsed:
    return Parsed(None, {}, {}, frozenset(), tuple(diagnostics))


#: Messages that wrong indentation may cause.
_BY_DEPTH = (_MISALIGNED, _UNEXPECTED)


def _misaligned(lines: list[str]) -> str:
    """A message about the indentation of the last line if it fits no line above; else empty."""
    open_at = [0]
    above = ""
    for line in lines[:-1]:
        indent = len(line) - len(line.lstrip(" "))
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        while open_at and open_at[-1] > indent:
            open_at.pop()
        if not open_at or open_at[-1] < indent:
            open_at.append(indent)
        above = line.split(" #")[0].rstrip()
    found = len(lines[-1]) - len(lines[-1].lstrip(" "))
    fits = found in open_at or (above.endswith(":") and found > open_at[-1])
    if fits or not above:
        return ""
    expected = {open_at[-1], *(each for each in open_at if each < found)}
    places = " or ".join(str(each) for each in sorted(expected, reverse=True)[:2])
    return (
        f"this line is indented by {found} space{'s' * (found != 1)}; expected {places}; align it"
    )


def _syntax(error: yaml.YAMLError, path: str, text: str, quote: Mark | None) -> Diagnostic:
    """Convert the parser's error. An error at the end of the file is reported where it began; one
    after a quoted text of several lines, where that opens.
    """
    mark, began = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    if began and (mark is None or mark.index >= len(text.rstrip())):
        mark = began
    problem = getattr(error, "problem", None) or "this is not YAML"
    context = getattr(error, "context", None)
    if "exceeded max" in problem:  # the parser's own limit, hit before the first event
        return Diagnostic(path, mark.line + 1 if mark else 1, 1, "Y006", TOO_DEEP)
    quoted = quote is not None and "expected" in problem
    known = (words for words in _REMEDIES if words[0] in problem)
    _, ours, remedy = next(known, ("", "", "fix the syntax"))
    if ours:
        problem, context = ours, None
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    dashes = _TWO_DASHES.search(text)
    if dashes and mark and text.count("\n", 0, dashes.start()) + 1 in (mark.line, mark.line + 1):
        line, column = text.count("\n", 0, dashes.start()) + 1, 1
        problem, context, remedy = "the line '--' is not YAML", None, "delete it"
    if mark and text[mark.index : mark.index + 1] == "\t":
        problem, context, remedy = "the indentation has a tab", None, "indent with spaces"
    if "end of stream" in problem and began:
        opened = "quote" if text[began.index : began.index + 1] in "'\"" else "bracket"
        return Diagnostic(
            path, line, column, "Y001", f"the {opened} that opens here is never closed; close it"
        )
    if quote and quoted:
        message = f"a quote opens here and the text after its end, in line {line}, is not YAML"
        return Diagnostic(path, *quote, "Y001", f"{message}; close the quote")
    lines = text.splitlines()
    above = lines[line - 2].strip() if line > 1 else ""
    near = [number for number in range(min(line, len(lines)), 0, -1) if lines[number - 1].strip()]
    for number in near[:2] if ours in (_UNEXPECTED, _NO_COLON, _MISALIGNED) else ():
        if key := _NO_SPACE.match(lines[number - 1]):
            return Diagnostic(path, number, key.start("key") + 1, "Y001", _no_space(key["key"]))
    if ours in (_UNEXPECTED, _NO_COLON) and above and ":" not in above and above[0] not in "-#":
        message = f"expected 'key: value', found '{quotable(above)}'; put ':' after the key"
        return Diagnostic(path, line - 1, 1, "Y001", message)
    if depth := _misaligned(text.splitlines()[:line]) if ours in _BY_DEPTH else "":
        return Diagnostic(path, line, 1, "Y001", depth)
    before = text[text.rfind("\n", 0, mark.index) + 1 : mark.index].rstrip() if mark else ""
    if ours == _MISALIGNED and before[-1:] in ("'", '"'):
        within = "''" if before[-1] == "'" else '\\"'
        message = f"the quoted text ends at column {len(before)}, and more follows"
        return Diagnostic(
            path, line, column, "Y001", f"{message}; write {within} for a quote within it"
        )
    if began and mark and "',' or" in str(error):
        if text[mark.index : mark.index + 1] == ":" and began.line == mark.line:
            problem = "this item has two ': '"
            remedy = "put a comma between items, and text that contains ': ' in quotes"
        elif mark is not began and text[mark.index : mark.index + 1] == "[":
            problem, context = "a text with '[' needs quotes here", None
            spans = _BRACKETED.finditer(text.splitlines()[mark.line])
            written = next((span[0] for span in spans if span.end() > mark.column), "...")
            remedy = f'write "{quotable(written.strip())}"'
        elif began.line < mark.line and _depth(text, mark.line) <= _depth(text, began.line):
            problem = f"the bracket that opens here is not closed before line {line}"
            line, column, remedy = began.line + 1, began.column + 1, "close it"
    message = quotable(f"{context}, {problem}" if context else problem, clip=False)
    return Diagnostic(path, line, column, "Y001", f"{message}; {remedy}")


def _no_space(key: str) -> str:
    return f"expected a space after '{quotable(key)}:'; write it"


def _depth(text: str, line: int) -> int:
    """How far a line, counted from 0, is indented."""
    found = text.splitlines()[line]
    return len(found) - len(found.lstrip())


@lru_cache(maxsize=10_000)  # a book has the same keys and words in hundreds of places
def plain(text: str) -> Any:
    """Convert a plain (unquoted) scalar. Raises ValueError for a number that is not finite, or too
    large or too small to compute with.
    """
    if text in _WORDS:
        return _WORDS[text]
    if _FLOAT.fullmatch(text):
        number = stated(text)
        return int(text.replace("_", "")) if _INT.fullmatch(text) else number
    if _NOT_FINITE.fullmatch(text):
        raise ValueError("is not a number; write a number, or {reason: why there is none}")
    return text


#: Makes a mark in half the time; a book has hundreds of thousands.
_MARK = tuple.__new__


@dataclass
class _Reader:
    """Builds data from events. Recursion is bounded by MAX_DEPTH."""

    path: str
    text: str
    diagnostics: list[Diagnostic]
    places: dict[Steps, Mark] = field(default_factory=dict)
    keys: dict[Steps, Mark] = field(default_factory=dict)
    broken: set[Steps] = field(default_factory=set)
    quote: Mark | None = None  # start of the last text if it is quoted and has several lines

    def __post_init__(self) -> None:
        self.events: Iterator[Any] = iter(yaml.parse(self.text, Loader=PARSER))

    def mark(self, event: Any) -> Mark:
        start = event.start_mark
        return _MARK(Mark, (start.line + 1, start.column + 1))

    def report(self, mark: Mark, code: str, message: str) -> None:
        self.diagnostics.append(Diagnostic(self.path, *mark, code, message))
        if len(self.diagnostics) >= MAX_FINDINGS:
            raise _GiveUpError

    def document(self) -> Any:
        next(self.events)  # start of the stream
        start = next(self.events)
        if isinstance(start, events.StreamEndEvent):
            self.report(Mark(1, 1), "Y003", "the file is empty; write its content")
            return None
        data = self.node(next(self.events), ())
        next(self.events)  # end of the document
        if data is None and () not in self.broken:
            self.report(Mark(1, 1), "Y003", "the file is empty; write its content")
        more = next(self.events)
        if isinstance(more, events.DocumentStartEvent):
            message = "a second document begins; keep one document per file, without '---'"
            self.report(self.mark(more), "Y008", message)
            raise _GiveUpError  # keys missing here may be in the second document
        return data

    def node(self, event: Any, steps: Steps) -> Any:
        mark = self.places[steps] = self.mark(event)
        if isinstance(event, events.AliasEvent):
            message = f"*{quotable(str(event.anchor))} is an alias; write the value out"
            self.refuse(steps, mark, "Y005", message)
            return None
        if event.anchor is not None:
            message = f"&{quotable(event.anchor)} is an anchor; drop it and write values out"
            self.report(mark, "Y005", message)
        if event.tag is not None:
            message = f"the tag {quotable(event.tag)} is not plain data; drop it"
            self.refuse(steps, mark, "Y008", message)
        if isinstance(event, events.ScalarEvent):
            return self.scalar(event, steps, mark)
        if len(steps) >= MAX_DEPTH:
            self.report(mark, "Y006", TOO_DEEP)
            raise _GiveUpError
        if isinstance(event, events.MappingStartEvent):
            return self.mapping(steps)
        return self.sequence(steps)

    def refuse(self, steps: Steps, mark: Mark, code: str, message: str) -> None:
        self.broken.add(steps)
        self.report(mark, code, message)

    def scalar(self, event: Any, steps: Steps, mark: Mark) -> Any:
        text: str = event.value
        several = event.style in ("'", '"') and event.start_mark.line < event.end_mark.line
        self.quote = mark if several else None
        if not event.style:
            try:
                value = plain(text)
            except ValueError as error:
                self.refuse(steps, mark, "Y007", f"{quotable(text)} {error}")
                return None
            if not isinstance(value, str):
                return value
        if bad := _CONTROL_OR_RETURN.search(text):
            self.refuse(steps, mark, "Y001", _control(bad[0]))
            return None
        return text

    def sequence(self, steps: Steps) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self.events), events.SequenceEndEvent):
            items.append(self.node(event, (*steps, len(items))))
        return items

    def mapping(self, steps: Steps) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        while not isinstance(event := next(self.events), events.MappingEndEvent):
            key = self.key(event, steps)
            if key is None:
                if pairs and isinstance(event, events.ScalarEvent) and self._after_comma(event):
                    self.broken.add((*steps, next(reversed(pairs))))  # part of a number
                self.node(next(self.events), (*steps, ""))
                continue
            mark, below = self.mark(event), (*steps, key)
            if key in pairs:
                first = self.keys[below].line
                message = f"the key '{quotable(key)}' is already on line {first}; keep one"
                self.report(mark, "Y002", message)
                self.node(next(self.events), (*steps, ""))
                continue
            self.keys[below] = mark
            pairs[key] = self.node(next(self.events), below)
        return pairs

    def key(self, event: Any, steps: Steps) -> str | None:
        """The key's text, or None where it is refused."""
        bare = isinstance(event, events.ScalarEvent) and event.anchor is None and event.tag is None
        before = len(self.diagnostics)
        odd = (*steps, "")  # the places of a refused key's parts; never looked up
        value = self.scalar(event, odd, self.mark(event)) if bare else self.node(event, odd)
        if len(self.diagnostics) > before:
            return None
        if isinstance(value, str) and not event.style and re.match(r"[\w-]+:[{\[]", value):
            self.report(self.mark(event), "Y001", _no_space(value.partition(":")[0]))
            return None
        if isinstance(value, str) and not self._rest_of_a_number(event, value):
            return value
        if isinstance(event, events.ScalarEvent):
            what = f"the key {quotable(event.value)} is not text; put it in quotes"
            if self._after_comma(event):
                what = (
                    f"a comma in braces begins another key, here {quotable(event.value)}; write a "
                    "number with a decimal point and without commas: 0.9, 2000"
                )
                if self._after_more_commas(event):
                    return None  # told at the number's first comma
        else:
            what = "a key is text, not a list or mapping; write a plain key"
        self.report(self.mark(event), "Y008", what)
        return None

    def _after_comma(self, event: Any) -> bool:
        """Whether a key is where the decimals of a number would be: `9` in `{price: 0,9}`."""
        return bool(_DECIMAL_COMMA.search(self.text[: event.start_mark.index]))

    def _after_more_commas(self, event: Any) -> bool:
        return bool(_MORE_COMMAS.search(self.text[: event.start_mark.index]))

    def _rest_of_a_number(self, event: Any, key: str) -> bool:
        """Whether a key is what a comma cut off: `9 USD` in `{price: 0,9 USD}`, or `000`."""
        if not re.match(r"[0-9]+(?: |$)", key):
            return False
        index = event.start_mark.index
        return bool(re.search(r"[0-9],$", self.text[max(0, index - 2) : index]))
