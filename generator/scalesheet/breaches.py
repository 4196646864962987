"""Breaches: checks of a plan that fail. They never stop a build, and every output shows them."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.evaluate.findings import broken_rows, wrongs
from scalesheet.frozen import dataclass
from scalesheet.model import Plan, Scalar
from scalesheet.values import Results

#: How the name of what is left below a limit ends, after the name of the limited figure.
MARGIN = ".margin"


@dataclass(frozen=True, slots=True)
class Breach:
    """A failed check; for a row check also the failing rows, by id and title.

    `wrong` has sentences on what is wrong, if the check provides them.
    """

    check: Scalar
    rows: tuple[str, ...]
    titles: tuple[str, ...]
    wrong: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """`Medium: 1500 h written, at least 4795 h at the peak`.

        Without such sentences it is the check's title, which states the opposite: `No run is
        quicker than the peak: Medium`.
        """
        if self.wrong:
            return "; ".join(self.wrong)
        return ": ".join(filter(None, (self.check.title, ", ".join(self.titles))))


def breaches(plan: Plan, results: Results) -> Iterator[Breach]:
    """Yield the failed checks, in order."""
    for name in plan.checks:
        if results.scalars[name].value is True:
            continue
        rows = broken_rows(plan, name, results)
        table = plan.tables[plan.row_checks[name]] if rows else None
        titles = dict(zip(table.rows, table.row_titles, strict=True)) if table else {}
        wrong = tuple(wrongs(plan, name, results))
        yield Breach(plan.scalars[name], tuple(rows), tuple(titles[row] for row in rows), wrong)
