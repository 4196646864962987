"""The command line: reads arguments, runs a command and reports errors.

Exit status 0 is good, 1 findings, 2 wrong usage, 130 interrupted by Ctrl-C. Only this module and
`commands` print.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from scalesheet.codes import GOOD, INTERRUPTED, USAGE
from scalesheet.commands import UsageError, failed
from scalesheet.commands.parser import parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    _print_anywhere()
    # threads of linear algebra would wait for work, which no command has for them
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(1_000_000, 50, 100)  # a command makes many objects and little garbage
    atexit.register(gc.freeze)  # skip the collection of objects left at exit
    whole = parser()
    options, unknown = whole.parse_known_args(arguments)
    unknown = options.command.late(options, unknown)
    if unknown:
        options.command.misplaced(unknown[0])
    try:
        return int(options.run(options))
    except UsageError as error:
        print(f"scalesheet: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output is gone, which is not an error
        return GOOD
    except KeyboardInterrupt:
        kept = "; the output is unchanged" if hasattr(options, "out") else ""
        print(f"scalesheet: interrupted{kept}", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        return failed(error)


def _print_anywhere() -> None:
    """Write UTF-8 whatever the locale, except on a terminal that cannot show it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")
