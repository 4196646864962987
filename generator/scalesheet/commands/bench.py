"""`scalesheet bench`: the only door to the package that measures."""

from scalesheet_bench.cli import SUMMARY, arguments, run

__all__ = ["SUMMARY", "arguments", "run"]
