"""`scalesheet bench`: the only module that imports the benchmark package."""

from scalesheet_bench.cli import SUMMARY, arguments, run

__all__ = ["SUMMARY", "arguments", "run"]
