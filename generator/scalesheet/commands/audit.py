"""`scalesheet audit`: compares the figures of a document with the plan."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.codes import FINDINGS, GOOD
from scalesheet.commands import UsageError, as_of, folder, plan_of, tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scalesheet.audit.model import Audited
    from scalesheet.book import Book

SUMMARY = "compare the figures of a document with the plan: claims, findings, headlines"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "plans", nargs="*", metavar="PLAN", help="the plans' ids (default: all that have claims)"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--documents",
        type=Path,
        metavar="DIR",
        help="folder of the document texts, to check each quote on its line",
    )
    parser.add_argument(
        "--freeze",
        action="store_true",
        help="store the current plan in audited.yaml and compare its documents with that "
        "from now on",
    )
    parser.add_argument(
        "--accept",
        action="store_true",
        help="store the computed verdicts in the claims",
    )
    as_of(parser)


def run(options: argparse.Namespace) -> int:
    from scalesheet.audit.problems import JUDGED, quotes
    from scalesheet.diagnostics import Refused, as_text, errors
    from scalesheet.examine import examine
    from scalesheet.render.api.audit import audit_json
    from scalesheet.render.api.text import as_json
    from scalesheet.render.audit import audit_text

    data = folder(options.data)
    if options.freeze:
        _freeze(data, options.plans)
    examined = examine(data, options.as_of, asked=options.plans or None)
    edition = examined.edition
    others = [d for d in errors(examined.diagnostics) if d.code not in JUDGED]
    if edition is None or others:
        raise Refused(examined.diagnostics)
    book = edition.book
    wanted = _chosen(book, options.plans)
    chosen = [a for plan in wanted for a in edition.audits.values() if a.audit.plan == plan]
    if options.documents is not None and not options.documents.is_dir():
        raise UsageError(
            f"there is no folder '{options.documents}'; name the folder of the documents"
        )

    if options.accept:
        _accept(data, chosen)
        return GOOD
    # A verdict that differs from the one on file is reported, but the audit is still shown.
    shown = {audited.audit.path for audited in chosen}
    judged = [d for d in examined.diagnostics if d.code in JUDGED and d.path in shown]
    for audited in chosen if options.documents is not None else ():
        judged += quotes(audited.audit, options.documents)
    if options.format == "json":
        print(as_json(audit_json(book, chosen)), end="")
    else:
        print("\n".join(audit_text(book, audited) for audited in chosen), end="")
    if judged:
        print(as_text(sorted(judged)), file=sys.stderr)
        print(tally(judged), file=sys.stderr)
    return FINDINGS if errors(judged) else GOOD


def _freeze(data: Path, names: list[str]) -> None:
    """Write the audited plan of each named plan, or of every plan with claims."""
    from scalesheet.diagnostics import Refused, errors
    from scalesheet.examine import examine
    from scalesheet.load import audited, load
    from scalesheet.load.folder import shown
    from scalesheet.save import content, save
    from scalesheet.source.text import block

    documents, problems = load(data)
    if errors(problems):
        raise Refused(problems)
    days = [each.data.get("edition") for each in documents if each.kind == "book"]
    claimed = {each.id for each in documents if each.kind == "claims"}
    chosen = [
        each
        for each in documents
        if each.kind == "plan" and each.id in claimed and (not names or each.id in names)
    ]
    book = examine(data).book
    files = {}
    for each in chosen:
        plan = audited.frozen(each.data)
        if book is not None:
            plan = audited.with_records(plan, book.plans[each.id])
        text = audited.HEAD.format(plan=each.id) + block({audited.DAY: str(days[0]), **plan})
        files[data / "plans" / each.id / audited.NAME] = text
    changes = {path: (content(path), text.encode()) for path, text in files.items()}
    save(data, {path: each for path, each in changes.items() if each[0] != each[1]})
    for path in files:
        print(f"wrote {shown(path)}", file=sys.stderr)


def _accept(data: Path, chosen: Sequence[Audited]) -> None:
    """Write the verdicts of each document into its file of claims."""
    from scalesheet.audit.accept import accepted
    from scalesheet.load.folder import shown
    from scalesheet.save import content, save

    files = {
        data / audited.audit.path.removeprefix(f"{shown(data)}/"): audited for audited in chosen
    }
    changes = {}
    for path, audited in files.items():
        old = content(path) or b""
        new = accepted(old.decode(), audited).encode()
        if new != old:
            changes[path] = (old, new)
    save(data, changes)
    for path in changes:
        print(f"wrote {shown(path)}", file=sys.stderr)


def _chosen(book: Book, names: list[str]) -> list[str]:
    """The ids of the requested plans. Raises UsageError for one without claims."""
    audited = list(dict.fromkeys(audit.plan for audit in book.audits.values()))
    for name in names:
        if plan_of(book, name).id not in audited:
            known = ", ".join(audited) or "none"
            raise UsageError(f"the plan '{name}' has no claims.yaml (plans with one: {known})")
    return list(dict.fromkeys(names)) or audited
