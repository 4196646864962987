"""What lowering returns and binding takes: quantities whose formulas are still text and tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from scalesheet.diagnostics import Diagnostic
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import Node
from scalesheet.load import Document
from scalesheet.model import (
    Choice,
    Chosen,
    Citation,
    Domain,
    Example,
    Kind,
    Phase,
    Position,
    Show,
    Stated,
)
from scalesheet.pictures import Picture
from scalesheet.units import Unit, Units

#: The productive share of the time, by which the hours of phases are divided.
GOODPUT = "goodput"
ADD_GOODPUT = f"{GOODPUT}: {{value: 1, unit: 1, kind: assumption}}"


@dataclass(frozen=True, slots=True)
class Written:
    """A formula as written. `indent` is the offset of its first character from its place in the
    file: 1 in quotation marks; None in a block, where characters have no simple place.
    """

    text: str
    tree: Node
    position: Position
    citation: Citation | None = None
    indent: int | None = 0

    def at(self, offset: int) -> Position:
        """The position in the file of a character in the formula."""
        place = self.position
        if self.indent is None:
            return place
        return Position(place.path, place.line, place.column + self.indent + offset)


@dataclass(slots=True)
class Draft:
    """A scalar or column before binding. `stated` and `formulas` are keyed by row; None stands for
    a scalar's value, or for a column's formula in all rows without their own.
    """

    name: str
    title: str
    position: Position
    kind: Kind = "number"
    unit: Unit | None = None
    unstated: bool = False  # its unit, which formulas need
    domain: Domain | None = None
    refers_to: str | None = None
    words: tuple[str, ...] = ()
    show: Show = field(default_factory=Show)
    note: str = ""
    hidden: bool = False
    choice: bool = False
    sides: tuple[tuple[str, str], ...] = ()
    side_of: str = ""
    phase: str | None = None
    table: str | None = None
    differs: str | None = None
    role: str = ""
    moves_with: str = ""
    contingency_on: str = ""
    condition: bool = False  # a flag that counts as no if it has no value
    needed: bool = False  # in every row: a sum has no value if a row lacks it
    home: str = ""  # prefix of the scalars that its formulas may omit
    fault: Diagnostic | None = None  # why it has neither a value nor a formula
    stated: dict[str | None, Stated] = field(default_factory=dict)
    formulas: dict[str | None, Written] = field(default_factory=dict)

    @property
    def only_bound(self) -> bool:
        """Whether all that is known are open bounds, which formulas cannot use."""
        stated = self.stated.values()
        bounds = (each.at_least is not None or each.at_most is not None for each in stated)
        return bool(stated) and all(bounds) and not self.formulas


@dataclass(slots=True)
class DraftTable:
    """A table before binding."""

    name: str
    title: str
    rows: tuple[str, ...]
    row_titles: tuple[str, ...]
    columns: dict[str, Draft]
    position: Position
    each: tuple[tuple[str, str], ...] = ()
    totals: tuple[str, ...] = ()
    show: tuple[str, str, str] | None = None
    phase: str | None = None
    note: str = ""
    row_notes: dict[str, str] = field(default_factory=dict)
    row_aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    row_positions: tuple[Position, ...] = ()
    inputs: frozenset[str] = frozenset()  # of a component: their formulas use nothing `computed`
    computed: frozenset[str] = frozenset()  # of a component: columns of its quantities
    sections: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Parts:
    """Quantities that add up to another, shown as a table of a single case."""

    title: str
    column: str
    of: tuple[str, ...]


@dataclass(slots=True)
class DraftComponent:
    """A component before a plan uses it. `inputs` have `stated` if there is a default; `conditions`
    are titles by id; `sections` are headings by the first quantity below each.
    """

    id: str
    title: str
    summary: str
    document: Document
    inputs: dict[str, Draft] = field(default_factory=dict)
    quantities: dict[str, Draft] = field(default_factory=dict)
    conditions: dict[str, str] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    sections: dict[str, str] = field(default_factory=dict)
    parts: dict[str, Parts] = field(default_factory=dict)
    charts: tuple[tuple[Picture, Position], ...] = ()
    citation: Citation | None = None
    choice: Choice | None = None
    corrections: dict[str, Draft] = field(default_factory=dict)


@dataclass(slots=True)
class DraftRecord:
    """A catalogue formula before binding; `defaults` are by input."""

    id: str
    title: str
    inputs: dict[str, Draft]
    defaults: dict[str, float]
    unit: Unit
    formula: Written
    position: Position
    symbol: str = ""
    valid: str = ""
    convention: str = ""
    note: str = ""
    asserted: bool = False
    examples: tuple[Example, ...] = ()
    citation: Citation | None = None


@dataclass(slots=True)
class DraftPlan:
    """A plan before binding."""

    id: str
    title: str
    summary: str
    position: Position
    scalars: dict[str, Draft] = field(default_factory=dict)
    tables: dict[str, DraftTable] = field(default_factory=dict)
    phases: tuple[Phase, ...] = ()
    headline: tuple[tuple[str, Position], ...] = ()
    checks: tuple[str, ...] = ()
    row_checks: dict[str, str] = field(default_factory=dict)  # check -> table
    charts: tuple[tuple[Picture, Position], ...] = ()
    scenarios: tuple[str, ...] = ()
    recommendations: tuple[str, ...] = ()
    page: str = ""
    page_path: str = ""
    components: tuple[str, ...] = ()  # those it uses
    chosen: tuple[Chosen, ...] = ()
    status: str = ""
    carries: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sheets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    citation: Citation | None = None


@dataclass(frozen=True, slots=True)
class Space:
    """Where names are looked up: in a plan over the catalogue, or in the catalogue alone.

    `as_of` is the last ISO day whose data is used; empty means everything on file. `groups` and
    `bounds` are those of the catalogue.
    """

    units: Units
    records: Mapping[str, DraftRecord]  # by the name used in formulas
    catalogue: Mapping[str, DraftTable]
    scalars: Mapping[str, Draft] = field(default_factory=dict)
    tables: Mapping[str, DraftTable] = field(default_factory=dict)
    phases: tuple[str, ...] = ()
    as_of: str = ""
    components: Mapping[str, DraftComponent] = field(default_factory=dict)
    calibrated: bool = True  # whether own records correct what components predict
    groups: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)  # of ranges
    bounds: frozenset[tuple[str | None, str]] = frozenset()  # columns that are open bounds
    #: Sorted names for suggestions, by place; not copied by `replace`.
    suggested: dict[tuple[object, ...], tuple[str, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def table(self, name: str) -> DraftTable:
        return self.tables[name] if name in self.tables else self.catalogue[name]

    def column(self, table: str, column: str) -> Draft:
        return self.table(table).columns[column]
