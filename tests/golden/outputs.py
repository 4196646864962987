"""Every output of the program as text, compared with the digests in golden.tsv.

    make golden                    # exit status 1 if an output differs, with a list
    make golden-update             # rewrites golden.tsv
    make golden-base BASE=main     # writes the texts of a commit, so that differences are shown

The outputs are the workbooks, the data API, the pages, answers of commands and messages, of the
shipped book and of a small one. golden.tsv holds their digests; their texts are written below
report/golden/, which git ignores.

A change of the data moves outputs, which `scalesheet diff` explains. Then only the small book is
judged, until a maintainer records the others; the weekly run fails until that is done.

Left out of a text is what nobody sees: the tags of a page, the compression of a workbook. Two
things are masked: the edition's hash, which depends on every number and is an output by itself,
and the temporary folder. Nothing else depends on the code, the day or the machine; the bytes of a
workbook depend on the version of XlsxWriter, so golden.tsv is made with requirements/site.txt.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import io
import os
import re
import shutil
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory

# All that is known of the program: its command line, and where its pages come from.
from scalesheet.build import documents
from scalesheet.cli import main
from scalesheet.commands.parser import parser
from scalesheet.examine import sound_edition
from scalesheet.render.api.write import write_api

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
GOLDEN = HERE / "golden.tsv"
INVALID = ROOT / "tests" / "invalid"
MASK = "EDITION-HASH"
DATA = "book/digests of the data"
TEXTS = ROOT / "report" / "golden"
SHOWN, LINES = 5, 40  # differences that are shown, and lines of each
#: Attributes that a reader, a link or a script sees.
ATTRIBUTES = re.compile(r"href|src|id|alt|value|data-.*")

CASES = """\
id,model,hardware,gpus,sequence,precision,layout,global_batch,method,tokens,eval_set,D_tokens
one,llama-3-1-8b,h100-sxm,8,4096,bf16,FSDP8,64,full,1e9,pile-test,1e9
two,llama-3-1-70b,h100-sxm,64,4096,bf16,TP8 FSDP8,128,pretraining,1e12,,1e12
three,llama-3-1-8b,a100-sxm-80gb,1,2048,bf16,,8,lora,50e6,c4,50e6
four,,h100-sxm,8,4096,,,,,-3,,
"""
#: Questions about the shipped book, beside those that every book can answer.
QUESTIONS = """\
show hardware
show llama-3-1-8b
show training-run
show vlm-finetune --set lora_rank=64 --set goodput=0.7..0.9
show pixelis --sure
show vlm-finetune --why cost
show multimodal-scaling --why total.gpu_hours --all
"""
SMALL = """\
show small --sure
show small --why cost
show offers --as-of 2025-12-31
"""
TASKS = ("runs", "throughput", "memory", "loss")
CHOICES = """\
choose llama-3-1-8b --tokens 1e9 --deadline 3days
choose qwen2-5-7b --method full --samples 50_000 --sequence 8192 --offers lambda,nebius
choose llama-3-1-70b --method qlora --tokens 100M --gpus-at-most 8 --term any
"""


def whole_book(work: Path) -> Iterator[tuple[str, str]]:
    """The outputs of the shipped book by name: about 45 seconds of processor time."""
    edited = shutil.copytree(ROOT / "data", work / "edited")
    _edit(edited / "rates" / "vast-rtx4090.yaml", "price: 0.38", "price: 0.42")
    _edit(edited / "plans" / "vlm-finetune" / "plan.yaml", "value: 16\n", "value: 32\n")
    (work / "cases.csv").write_text(CASES)
    questions = [line.split() for line in QUESTIONS.splitlines()]
    tasks = [f"predict {task} {work}/cases.csv" for task in TASKS]
    for line in (*CHOICES.splitlines(), *tasks):
        questions += [[*line.split(), "--format", form] for form in ("text", "json", "csv")]
    codes = re.findall(r"^ *([A-Z]\d{3})\b", _answer(["explain"]), re.MULTILINE)
    questions += [["explain"], *(["explain", code] for code in codes)]
    files = sorted(path for path in (ROOT / "data").rglob("*") if path.is_file())
    yield DATA.removeprefix("book/"), "\n".join(_digest(path.read_bytes()) for path in files)
    yield from _of_a_book(ROOT, work, questions)


def small_book(work: Path) -> Iterator[tuple[str, str]]:
    """The outputs of the small book, and the messages of bad files in it: about two seconds."""
    project = work / "small"
    shutil.copytree(INVALID / "minimal", project / "data")
    edited = shutil.copytree(INVALID / "minimal", work / "edited")
    _edit(edited / "plans" / "small" / "plan.yaml", "value: 2000", "value: 1900")
    yield from _of_a_book(project, work, [line.split() for line in SMALL.splitlines()])
    for file in sorted(INVALID.glob("*.yaml")):
        data = shutil.copytree(INVALID / "minimal", work / "bad" / file.stem / "data")
        text = file.read_text("utf-8")
        place = data / text.splitlines()[0].removeprefix("# place: ")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
        with chdir(data.parent):
            answer = _answer(["check"])
        yield f"bad/{file.stem}", answer


def _edit(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text, f"{file} has no '{old}'"
    file.write_text(text.replace(old, new, 1), "utf-8")


def _of_a_book(
    project: Path, work: Path, questions: Sequence[Sequence[str]]
) -> Iterator[tuple[str, str]]:
    """The outputs of the book in `project`/data: what a build writes, and answers to questions."""
    out, stage = work / "out", work / "stage"
    stage.mkdir()
    with chdir(project):
        edition, _ = sound_edition(Path("data"), None)
        asked = [["build", "--no-site", "--out", str(out)]]
        asked += _usual(edition.book.plans, work / "edited")
        outputs = {f"$ {' '.join(each)}": _answer(each) for each in [*asked, *questions]}
        outputs |= _texts(out, "workbooks/", "api/")
        write_api(edition, stage / "api", pages=True)
        docs = documents(edition, stage, project, parser())
    pages, plain = _texts(docs, "book/", "index.md"), _texts(stage / "plain", "")
    both = {name: f"{text}\n\n{plain.get(name, '')}" for name, text in pages.items()}
    linked = _texts(stage, "api/")
    outputs |= both | {f"{n} of a site": t for n, t in linked.items() if t != outputs[n]}
    yield "edition hash", edition.hash
    for name, text in outputs.items():
        text = text.replace(edition.hash, MASK).replace(str(work), "WORK")
        yield name.replace(str(work), "WORK"), text


def _usual(plans: Iterable[str], edited: Path) -> Iterator[list[str]]:
    """Questions that any book can answer."""
    for form in ("text", "json", "github", "markdown"):
        yield ["check", "--format", form]
    for form in ("text", "json"):
        yield ["audit", "--format", form]
    for form in ("text", "markdown", "json"):
        yield ["diff", str(edited), "--format", form]
    yield ["show"]
    for plan in plans:
        for way in ("", "--all", "--format json", "--format csv"):
            yield ["show", plan, *way.split()]


def _answer(arguments: Sequence[str]) -> str:
    """The exit status of a command, what it printed, and its messages."""
    printed, messages = io.StringIO(), io.StringIO()
    with redirect_stdout(printed), redirect_stderr(messages):
        try:
            status: object = main(arguments)
        except SystemExit as stopped:
            status = stopped.code
    return f"exit status {status}\n{printed.getvalue()}\n{messages.getvalue()}"


def _texts(folder: Path, *begin: str) -> dict[str, str]:
    """The text of each file below a folder whose path begins so."""
    paths = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*")}
    return {
        path: _text(file)
        for path, file in sorted(paths.items())
        if file.is_file() and path.startswith(begin)
    }


def _text(file: Path) -> str:
    if file.suffix == ".xlsx":
        with zipfile.ZipFile(file) as parts:
            every = {name: parts.read(name).replace(b"><", b">\n<") for name in parts.namelist()}
        return "".join(f"{name}\n{_readable(content)}\n" for name, content in every.items())
    text = _readable(file.read_bytes())
    return _Page.read(text) if file.suffix == ".md" else text


def _readable(content: bytes) -> str:
    """The text of bytes, or the digest of what is none, such as a picture."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return _digest(content)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


class _Page(HTMLParser):
    """Reduces a page to what it says, leads to and draws."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.hidden = hashlib.sha256()  # scripts, and shapes of drawings
        self.within: list[str] = []  # open elements of which only a digest is kept

    @classmethod
    def read(cls, text: str) -> str:
        page = cls()
        page.feed(text)
        page.close()
        return "\n".join([*page.lines, f"scripts and shapes: {page.hidden.hexdigest()[:16]}"])

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style", "svg"):
            self.within.append(tag)
        for name, value in attributes:
            if ATTRIBUTES.fullmatch(name):
                self.lines.append(f"{tag} {name}={value}")
            elif "svg" in self.within:
                self.hidden.update(f"{tag} {name}={value}\n".encode())

    def handle_endtag(self, tag: str) -> None:
        if self.within and self.within[-1] == tag:
            self.within.pop()

    def handle_data(self, data: str) -> None:
        if self.within and self.within[-1] != "svg":
            self.hidden.update(data.encode())
        else:
            self.lines += filter(None, map(str.strip, data.splitlines()))


# ------------------------------------------------------------------ the record


def record(
    book: str, outputs: Iterable[tuple[str, str]], texts: Path | None = None
) -> dict[str, str]:
    """The line of golden.tsv about each output of a book; the texts are written below `texts`."""
    lines = {}
    for path, text in outputs:
        name, content = f"{book}/{path}", text.encode()
        lines[name] = f"{name}\t{_digest(content)}\t{len(content)}\n"
        if texts is not None:
            place = texts / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    return lines


def recorded(begin: str) -> dict[str, str]:
    """The lines of golden.tsv whose output's name begins so."""
    every = {line.partition("\t")[0]: line for line in GOLDEN.read_text("utf-8").splitlines(True)}
    return {name: line for name, line in every.items() if name.startswith(begin)}


def differences(found: Mapping[str, str], expected: Mapping[str, str]) -> list[str]:
    """One line for each output that is new, gone or different."""
    words = {(True, False): "new", (False, True): "gone", (True, True): "differs"}
    return [
        f"{words[name in found, name in expected]}: {name}"
        for name in sorted({*found, *expected})
        if found.get(name) != expected.get(name)
    ]


def shown(name: str, base: Path, new: Path, line: str) -> str:
    """The differences of an output from the text in `base`, if that is the text on record."""
    old = base / name
    if not old.is_file() or _digest(old.read_bytes()) != line.split("\t")[1]:
        return (
            f"report/golden/base has no text of '{name}' as on record: make golden-base BASE=COMMIT"
        )
    texts = [(folder / name).read_text("utf-8").splitlines() for folder in (base, new)]
    lines = list(difflib.unified_diff(*texts, f"base/{name}", f"new/{name}", lineterm="", n=1))
    more = [f"... {len(lines) - LINES:,} more lines"] if len(lines) > LINES else []
    return "\n".join(lines[:LINES] + more)


def run() -> int:
    """Record all outputs, and compare them unless golden.tsv is rewritten."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--update", action="store_true", help="rewrite golden.tsv")
    options.add_argument(
        "--strict", action="store_true", help="fail after a change of the data, too"
    )
    options.add_argument("--out", type=Path, default=TEXTS / "new", help="folder of the texts")
    given = options.parse_args()
    shutil.rmtree(given.out, ignore_errors=True)
    found = {}
    for prefix, outputs in (("book", whole_book), ("small", small_book)):
        with TemporaryDirectory() as work:
            os.environ["SCALESHEET_CACHE"] = work  # an empty one
            found |= record(prefix, outputs(Path(work)), given.out)
    if given.update:
        GOLDEN.write_text("".join(found[name] for name in sorted(found)), "utf-8")
        print(f"recorded {len(found):,} outputs")
        return 0
    expected = recorded("")
    moved = differences(found, expected)
    judged = moved
    if found[DATA] != expected.get(DATA) and not given.strict:
        judged = [each for each in moved if ": small/" in each]
        print("the data changed, so only the small book is judged; make golden-update records all")
    print("\n".join([*moved, f"{len(moved):,} of {len(found):,} outputs differ"]))
    for name in [each.removeprefix("differs: ") for each in moved if "differs" in each][:SHOWN]:
        print(shown(name, TEXTS / "base", given.out, expected[name]))
    return 1 if judged else 0


if __name__ == "__main__":
    sys.exit(run())
