"""`scalesheet serve`: builds and serves the site, and rebuilds on each change."""

from __future__ import annotations

import argparse
import errno
import secrets
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scalesheet.codes import GOOD
from scalesheet.commands import UsageError, as_of, failed, folder, progress
from scalesheet.commands.build import refuse_overlap, source_date

if TYPE_CHECKING:
    from scalesheet.build import Built
    from scalesheet.serve.server import Problem, Server

SUMMARY = "build and serve the site, and rebuild on each change"

PAUSE = 0.3  # seconds between checks of the files


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("build"),
        metavar="DIR",
        help="output folder (default: build)",
    )
    parser.add_argument(
        "--port",
        type=_port,
        default=8000,
        metavar="N",
        help="local port (default: 8000; 0: any free port)",
    )
    as_of(parser)


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) < 65536:
        return int(text)
    raise argparse.ArgumentTypeError(f"'{text}' is not a port; write a number below 65536")


def run(options: argparse.Namespace) -> int:
    from scalesheet.build import GENERATED, build
    from scalesheet.fingerprint import sources
    from scalesheet.serve.watch import changes, look

    data = folder(options.data)
    refuse_overlap(options.out, data)
    created = source_date()

    def again() -> Built:
        return build(
            data,
            options.out,
            as_of=options.as_of,
            created=created,
            parser=options.parser,
            progress=progress,
        )

    def files() -> list[Path]:
        return list(sources(data, data.absolute().parent, GENERATED).values())

    with _listen(options.out.resolve() / "site", options.port) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            seen = look(files())
            _attempt(again, server)
            print(f"serving http://127.0.0.1:{server.server_port}/  (Ctrl-C to stop)", flush=True)
            for changed, _ in changes(files, seen, PAUSE):
                print(f"changed: {_named(changed, data)}", flush=True)
                _attempt(again, server)
        except KeyboardInterrupt:
            progress("")
            print("stopped", flush=True)
        finally:
            server.shutdown()
    return GOOD


def _listen(site: Path, port: int) -> Server:
    from scalesheet.serve.server import News, Server

    try:
        return Server(site, port, News(""))
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        taken = "in use" if error.errno == errno.EADDRINUSE else "not permitted for your user"
        remedy = "name another with --port, or use --port 0 to find a free one"
        raise UsageError(f"port {port} is {taken}; {remedy}") from None


def _attempt(build: Callable[[], Built], server: Server) -> None:
    """Build once. On failure the last good site stays, and its pages show why."""
    try:
        built = build()
    except Exception as error:
        server.news = replace(
            server.news, title=_title(error, server.site), problems=_problems(error)
        )
        progress("")
        failed(error)
        sys.stdout.flush()
        return
    # set before it is printed, so that the page has it by then
    server.news = replace(server.news, build=secrets.token_hex(4), title="", problems=())
    progress("")
    for finding in built.diagnostics:
        print(finding, file=sys.stderr)
    print(
        f"built {built.site} ({built.pages} pages), edition hash {built.edition_hash}", flush=True
    )


def _title(error: Exception, site: Path) -> str:
    from scalesheet.commands import tally
    from scalesheet.diagnostics import Refused, errors

    what = tally(errors(error.diagnostics)) if isinstance(error, Refused) else "The build failed"
    return f"{what}. This page is from the last successful build." if site.is_dir() else f"{what}."


def _problems(error: Exception) -> tuple[Problem, ...]:
    from scalesheet.codes import CODES
    from scalesheet.diagnostics import Refused, errors
    from scalesheet.disk import described
    from scalesheet.serve.server import Problem

    if isinstance(error, Refused):
        return tuple(
            Problem(f"{d.path}:{d.line}:{d.column}", d.code, d.message, CODES[d.code].remedy)
            for d in errors(error.diagnostics)
        )
    if (problem := described(error)) is not None:
        place, text, remedy = problem
        return (Problem(place, "", text, remedy),)
    text = f"{type(error).__name__}: {error}"
    return (Problem("", "I001", text, "See the terminal; this is a bug in scalesheet."),)


def _named(changed: list[Path], data: Path) -> str:
    """The first few changed files, by the paths that the user knows."""
    project = data.absolute().parent
    names = [
        path.absolute().relative_to(project).as_posix()
        if path.absolute().is_relative_to(project)
        else str(path)
        for path in changed
    ]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
