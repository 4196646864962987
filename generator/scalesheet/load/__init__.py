"""The first stage: the files of a data folder as plain data with line and column."""

import sys

from scalesheet import CallablePackage
from scalesheet.load.document import Document, Known, Steps, flag, quotable
from scalesheet.load.folder import PLAN_KINDS, load
from scalesheet.load.reader import MAX_FINDINGS, Parsed, parse, plain

__all__ = [
    "MAX_FINDINGS",
    "PLAN_KINDS",
    "Document",
    "Known",
    "Parsed",
    "Steps",
    "flag",
    "load",
    "parse",
    "plain",
    "quotable",
]

sys.modules[__name__].__class__ = CallablePackage
