"""The Book: the output of `resolve`, and the input of the evaluator and every renderer.

Everything in a plan or the catalogue is lowered to scalars, and tables of typed columns. A value is
stated (an input) or has a formula. Nothing here knows YAML or an output.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from scalesheet.frozen import dataclass
from scalesheet.language.syntax import Node
from scalesheet.pictures import Picture
from scalesheet.units import Unit

if TYPE_CHECKING:
    pass

Kind = Literal["number", "word", "flag", "reference", "text", "date"]
Basis = Literal[
    "measured", "simulated", "vendor", "spec", "published", "assumption", "decision", "derived"
]
Domain = Literal[
    "positive", "non-negative", "fraction", "positive-fraction", "signed", "whole", "count"
]
PhaseClass = Literal["one_time", "per_seed", "single_seed", "per_run", "per_cycle"]

#: Domain -> (lower bound or None, whether it is included, upper bound or None, integers only).
DOMAINS: Mapping[str, tuple[float | None, bool, float | None, bool]] = {
    "positive": (0.0, False, None, False),
    "non-negative": (0.0, True, None, False),
    "fraction": (0.0, True, 1.0, False),
    "positive-fraction": (0.0, False, 1.0, False),
    "signed": (None, True, None, False),
    "whole": (0.0, True, None, True),
    "count": (1.0, True, None, True),
}


def within(domain: str, number: float) -> bool:
    """Return whether a number is in a domain."""
    least, closed, most, whole = DOMAINS[domain]
    return (
        (least is None or number > least or (closed and number == least))
        and (most is None or number <= most)
        and (not whole or float(number).is_integer())
    )


#: The domains in words.
DOMAIN_WORDS: Mapping[str, str] = {
    "positive": "above 0",
    "non-negative": "0 or more",
    "fraction": "0 to 1",
    "positive-fraction": "above 0 and at most 1",
    "signed": "any number",
    "whole": "0, 1, 2, ...",
    "count": "1, 2, 3, ...",
}


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a data file; line and column count from 1."""

    path: str
    line: int
    column: int


#: The placeholder for a source's key in a file that `scalesheet new` created.
TO_BE_STATED = "to-be-stated"


@dataclass(frozen=True, slots=True)
class Citation:
    """A source's key, the place within it, and the quoted words."""

    key: str
    locator: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A text that figures cite; `url` is http(s) or empty."""

    key: str
    title: str
    publisher: str = ""
    url: str = ""
    date: str = ""
    accessed: str = ""
    note: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that may happen, up to `times` times: each time it adds `adds` to a count."""

    chance: float
    times: int = 1
    adds: int = 1


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The distribution of a stated range. Without a `spread`, its domain decides.

    `percentiles`, from 0 to 1, are those of low and high. `moves_with`: the group that it is fully
    correlated with, or, after a -, anticorrelated. `found_by`: how the value can be determined.
    """

    spread: str = ""
    percentiles: tuple[float, float] = (0.1, 0.9)
    moves_with: str = ""
    event: Event | None = None
    found_by: str = ""


@dataclass(frozen=True, slots=True)
class Stated:
    """One stated value, in the unit of its quantity.

    A number has `low <= value <= high`, equal if exact. A word, id, text or ISO date is text, a
    flag is a bool. `reason` explains a missing value. `at_least` and `at_most` are open bounds:
    shown, but never used in computations.
    """

    value: float | str | bool | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    at_least: float | None = None
    at_most: float | None = None
    midpoint: bool = False  # no expected value was stated: it is the middle of the range
    basis: Basis = "assumption"
    citation: Citation | None = None
    note: str = ""
    since: str = ""  # ISO date on which a dated value takes effect
    seen: str = ""  # ISO date on which a dated value was last read at its source
    confirmed: Citation | None = None  # a second source with the same value
    contested: tuple[Stated, ...] = ()  # what other sources state
    was: tuple[Earlier, ...] = ()  # earlier values, oldest first
    position: Position | None = field(default=None, compare=False)
    default: bool = False  # not in a file: the default for files of the catalogue
    rule: str = ""  # the rule that chose it and why, if no file states it
    unmeasured: str = ""  # what that rule would choose without any measured records
    likelihood: Likelihood = Likelihood()

    @property
    def ranged(self) -> bool:
        return self.low is not None and (self.low != self.value or self.high != self.value)


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier value: the ISO date on which it ended, and why."""

    stated: Stated
    until: str
    why: str


@dataclass(frozen=True, slots=True)
class Ends:
    """A quantity's bound expressions; `low` and `high` are None if it is exact."""

    value: Node
    low: Node | None = None
    high: Node | None = None

    @property
    def trees(self) -> tuple[Node, ...]:
        """The expressions that exist: low, value, high."""
        return tuple(tree for tree in (self.low, self.value, self.high) if tree is not None)


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as written and as bound.

    `outer`: the ends are safe outer bounds rather than exact (a ranged input affects it in both
    directions). `uses` are the ids of the catalogue formulas called.
    """

    text: str
    tree: Node
    ends: Ends
    outer: bool = False
    uses: tuple[str, ...] = ()
    citation: Citation | None = None
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Show:
    """How a quantity prints, in every output. None: by the rule in `numbers.py`."""

    decimals: int | None = None
    digits: int | None = None
    percent: bool = False
    approximate: bool = False
    code: bool = False  # a command or its output as text: line breaks are kept


@dataclass(frozen=True, slots=True)
class Quantity:
    """What scalars and columns share.

    `ranged`: has three values (static). `may_reason`: a cell may have a reason instead of a value.
    `refers_to`: the table whose row ids a reference has. `words`: the closed class of a word.
    `sides`: for a value that scenarios state differently, each scenario with the name of the hidden
    quantity that states it; `side_of`: the name of that value, in the hidden quantity.
    """

    name: str
    title: str
    kind: Kind = "number"
    unit: Unit | None = None
    domain: Domain = "non-negative"
    ranged: bool = False
    may_reason: bool = False
    refers_to: str | None = None
    words: tuple[str, ...] = ()
    show: Show = Show()
    note: str = ""
    choice: bool = False  # an integer in conditions: no 10 % steps of it
    hidden: bool = False  # internal (a scenario's two sides): in the workbook, not in prose
    sides: tuple[tuple[str, str], ...] = ()
    side_of: str = ""
    moves_with: str = ""  # the group of the ranges that its formula makes
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Scalar(Quantity):
    """A named value, stated (an input) or with a formula.

    `phase` is the phase whose namespace it is in, or None for the plan's own. `role`: its name for
    the front page and `choose` (vocabulary.ROLES), or empty. `contingency_on`: for a contingency
    stated as a share, the figure that it is added to.
    """

    stated: Stated | None = None
    formula: Formula | None = None
    phase: str | None = None
    role: str = ""
    contingency_on: str = ""

    @property
    def is_input(self) -> bool:
        """Return whether it is stated, in any scenario."""
        return self.stated is not None or bool(self.sides)


@dataclass(frozen=True, slots=True)
class Column(Quantity):
    """A column of a table: stated cells by row id, formulas of single cells, and a column formula.

    The column's formula applies to all other rows. A cell with none of these is empty text.
    """

    stated: Mapping[str, Stated] = field(default_factory=dict)
    formula: Formula | None = None
    own: Mapping[str, Formula] = field(default_factory=dict)


def formulas_of(quantity: Quantity) -> tuple[Formula, ...]:
    """Every formula of a scalar or column."""
    match quantity:
        case Scalar(formula=Formula() as formula):
            return (formula,)
        case Column(formula=formula, own=own):
            return (*((formula,) if formula else ()), *own.values())
    return ()


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with ids, and typed columns. `row_aliases` are other common names of a row.

    `each` names, for a cross table, the column of each axis and the table it covers. `totals` are
    columns with a total, which is the plan's scalar `<table>.total.<column>`. `show` draws a cross
    table: the columns for down, across, and the cell. `sections` are headings with their columns,
    for a table whose rows are cases of a component.
    """

    name: str
    title: str
    rows: tuple[str, ...]
    row_titles: tuple[str, ...]
    columns: Mapping[str, Column]
    each: tuple[tuple[str, str], ...] = ()
    totals: tuple[str, ...] = ()
    show: tuple[str, str, str] | None = None
    phase: str | None = None
    note: str = ""
    row_notes: Mapping[str, str] = field(default_factory=dict)
    row_aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    row_positions: tuple[Position, ...] = field(default=(), compare=False)
    sections: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def title_of(self, row: str) -> str:
        """The title of a row, or the id itself if there is no such row."""
        return self.row_titles[self.rows.index(row)] if row in self.rows else row


#: Stands for a table that a book lacks.
NO_TABLE = Table("", "", (), (), {})


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of a plan; its figures are the row `id` of the table `phases`."""

    id: str
    title: str
    phase_class: PhaseClass
    after: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class PageRow:
    """The row that a page is about: `word` refers to it in the page's text."""

    word: str
    table: str
    row: str


@dataclass(frozen=True, slots=True)
class Page:
    """A further page of a plan, `<plan>-<name>`; title and text are Markdown with {{ name }}.

    `headline` has names of figures as in prose, with their places. `row` is set if each row of a
    table has such a page.
    """

    id: str
    title: str
    summary: str
    headline: tuple[tuple[str, Position], ...]
    text: str
    start: Position  # of the text
    row: PageRow | None = None
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Frozen:
    """A figure or an input as frozen in a version of a plan."""

    title: str
    unit: Unit | None
    stated: Stated


@dataclass(frozen=True, slots=True)
class Changed:
    """An input whose value changed since the version before.

    `because` is the origin of the new value; `without` has the headline figures without this
    change.
    """

    title: str
    unit: Unit | None
    was: Stated
    now: Stated
    because: str
    without: Mapping[str, Stated]


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a plan: released at its date, or pending or future.

    A frozen version has its headline figures and all inputs behind them, by name; what has
    `changed` since the version before, and which inputs were `added` or `removed`.
    """

    version: str
    text: str
    date: str = ""  # ISO; empty if none is set
    status: str = "released"
    headline: Mapping[str, Frozen] = field(default_factory=dict)
    inputs: Mapping[str, Frozen] = field(default_factory=dict)
    changed: Mapping[str, Changed] = field(default_factory=dict)
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    position: Position | None = field(default=None, compare=False)

    @property
    def number(self) -> tuple[int, ...]:
        """Its parts as numbers, so that 1.10.0 is above 1.9.0; empty if they are not numbers."""
        parts = self.version.split(".")
        return tuple(map(int, parts)) if all(p.isdecimal() for p in parts) else ()


@dataclass(frozen=True, slots=True)
class Key:
    """A node of the computation: a scalar (no table), a column, or one cell with its own formula.

    The evaluator's order is a sequence of keys.
    """

    name: str  # of the scalar or column
    table: str | None = None
    row: str | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """Given inputs (in the record's units) and the expected result."""

    given: Mapping[str, float]
    expect: float
    note: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Record:
    """A formula of the catalogue. `inputs` are quantities in the order written."""

    id: str
    title: str
    inputs: tuple[Scalar, ...]
    unit: Unit
    formula: Formula  # bound to Scalar nodes named like the inputs
    symbol: str
    valid: str
    convention: str
    examples: tuple[Example, ...]
    asserted: bool
    citation: Citation | None
    note: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class CaseExample:
    """Inputs of a component, and expected quantities; a text is a word or a reason."""

    given: Mapping[str, float | str | bool]
    expect: Mapping[str, float | str | bool]
    note: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """How a component's layout is chosen.

    `among`: the values to try for each input, simpler ones first; `within`: pairs whose first must
    be at most the second; `least`: the quantity to minimize.
    """

    among: Mapping[str, tuple[float | str, ...]]
    within: tuple[tuple[str, str], ...]
    least: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """A case of a plan whose layout is not stated, and the inputs that define it."""

    component: str
    inputs: tuple[str, ...]
    table: str | None = None
    row: str | None = None


@dataclass(frozen=True, slots=True)
class Component:
    """A reusable part of a plan, compiled as a plan of its own.

    `inputs` and `outputs` are names of its scalars; `required` are the inputs without a default;
    `evidence` are the prediction tasks whose published results it is compared with.
    """

    plan: Plan
    inputs: tuple[str, ...]
    required: tuple[str, ...]
    outputs: tuple[str, ...]
    evidence: tuple[str, ...]
    examples: tuple[CaseExample, ...]
    note: str = ""
    choice: Choice | None = None
    corrections: tuple[str, ...] = ()  # from own records, if any

    @property
    def searched(self) -> tuple[str, ...]:
        """The inputs of the layout, which is searched for where it is not stated."""
        return tuple(self.choice.among) if self.choice else ()


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One run of a publication: inputs known beforehand, and separately the result.

    `words` and `numbers` use the names of `predict.cases`; `result` the keys of its file, in the
    units of the format. `unscored` says why the row is shown but not scored.
    """

    id: str
    family: str
    words: Mapping[str, str]
    numbers: Mapping[str, float]
    result: Mapping[str, float | str]
    unscored: str = ""
    note: str = ""
    citation: Citation | None = None
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Publication:
    """The runs of one publication; predictions are scored against them."""

    id: str
    title: str
    rows: tuple[PublishedRow, ...]
    citation: Citation | None
    note: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Fit:
    """The origin of a fit's coefficients, which are a row of the table `fits`."""

    id: str
    title: str
    method: str
    date: str
    rows: int
    families: int
    digest: str
    notes: Mapping[str, str]
    accelerators: Mapping[str, int] = field(default_factory=dict)  # rows of each chip
    runs: str = ""  # own runs, as CSV
    planned: tuple[float, float] | None = None  # parameters and tokens
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class OldPrice:
    """The price of an offer that was last seen too long ago.

    It has the date, the days up to the date of the prices, the limit for its kind, and why it is
    used nevertheless.
    """

    seen: str  # ISO date
    days: int
    kind: str
    limit: int  # days
    why: str = ""


@dataclass(frozen=True, slots=True)
class Unseen:
    """The price of an offer that has not been seen for a while, which is noted where it is used.

    A `stale` price never counts as the lowest price of something.
    """

    seen: str  # ISO date
    days: int
    stale: bool

    @property
    def said(self) -> str:
        return f"last seen {self.seen}, {self.days} days ago"


@dataclass(frozen=True, slots=True)
class Expected:
    """The limits for the score of a task: largest errors, and the range of the coverage."""

    rows: int
    median: float
    p90: float
    coverage_least: float
    coverage_most: float
    note: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ExpectedOwn:
    """The largest errors allowed for some of our own measurements; others have no limit."""

    records: tuple[str, ...]
    median: float
    worst: float
    note: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Which published results an answer is compared with, besides method and model size.

    `far`: the factor outside the published range at which a utilization gets a warning;
    `same_tokens`: the factor within which a published run counts as having as many tokens as an
    answer; `near`: how many times cheaper an option without comparable published results must be to
    be preferred.
    """

    families: Mapping[str, tuple[str, ...]]  # of accelerators, by name
    far: float
    same_tokens: float
    near: float = 1.0

    def family(self, accelerator: str) -> str:
        """The family of an accelerator, or its own id."""
        many = (name for name, ids in self.families.items() if accelerator in ids)
        return next(many, accelerator)


@dataclass(frozen=True, slots=True)
class Peer:
    """The accuracy of another program, measured by us or as it reports."""

    name: str
    predicts: str
    says: str
    citation: Citation | None
    note: str = ""


#: The state of a run.
RunState = Literal["running", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The record of a run, one line of a file of actuals. A run that failed and restarted has
    several.

    `phase` is the id of a phase, or of a row of the plan's table; empty if the line names none.
    `share` is the run's part of that row; by default all runs of a row are equal. `gpu_hours` is
    None for a run that is still going on `gpus` since `start`. A `cost` below 0 is a refund, not a
    run.
    """

    phase: str
    run: str
    seed: str
    state: RunState
    gpu_hours: float | None
    share: float | None = None
    cost: float | None = None  # USD
    start: datetime | None = None  # UTC, as `end`
    end: datetime | None = None
    accelerator: str = ""
    gpus: float | None = None
    tokens: float | None = None
    steps: float | None = None
    origin: str = ""  # the file or tool that it came from
    note: str = ""
    position: Position | None = field(default=None, compare=False)

    @property
    def is_refund(self) -> bool:
        return self.cost is not None and self.cost < 0


@dataclass(frozen=True, slots=True)
class Actuals:
    """The recorded runs of a plan, and what they are compared with.

    That is the rows of `table`, with GPU hours in the column `gpu_hours`, each with as many runs as
    the column `runs` says (one if that is empty). `budget` and `cost` are scalars of the plan: the
    total GPU hours and money it may use; `forecast` is the table with the estimates at completion.
    `match` are patterns of run names by row.
    """

    attempts: tuple[Attempt, ...]
    table: str
    gpu_hours: str
    runs: str = ""
    budget: str = ""
    cost: str = ""
    forecast: str = ""
    match: tuple[tuple[str, str], ...] = ()


def otherwise(check: str, table: str | None) -> Key:
    """The key of a check's failure message, which is in a column if there is a table."""
    if table is None:
        return Key(f"{check}.otherwise")
    return Key(f"otherwise_{check.replace('.', '_')}", table)


#: Precedes the names that all rows of a table share: `runs.all.rank`.
ALL = "all"
#: The end of the name of a figure's limit.
LIMIT = ".limit"


def deadline_check(phase: str) -> str:
    """The name of the check that a phase ends by its deadline."""
    return f"check.{phase}.deadline"


@dataclass(frozen=True, slots=True)
class Plan:
    """One plan, ready to be evaluated and rendered.

    `order`: every computed key of the plan (not the catalogue), each after those it needs.
    `catalogue`: the names of the catalogue tables it reads. `headline`: the scalars that a reader
    sees first. `checks`: flag scalars that must be yes. `scenarios`: the words of the scalar
    `scenario`, the default first, or empty. `row_checks`: for a check of every row its table, in
    which a column of the check's name (`check_x`) says which rows pass.
    """

    id: str
    title: str
    summary: str
    scalars: Mapping[str, Scalar]
    tables: Mapping[str, Table]
    phases: tuple[Phase, ...]
    order: tuple[Key, ...]
    catalogue: tuple[str, ...]
    headline: tuple[str, ...]
    checks: tuple[str, ...]
    charts: tuple[Picture, ...]
    scenarios: tuple[str, ...]
    page: str  # Markdown with {{ name }} and {{ table name }}
    recommendations: tuple[str, ...] = ()
    citation: Citation | None = None
    position: Position | None = field(default=None, compare=False)
    page_path: str = ""
    components: tuple[str, ...] = ()  # components in use, by id
    chosen: tuple[Chosen, ...] = ()
    row_checks: Mapping[str, str] = field(default_factory=dict)
    pages: tuple[Page, ...] = ()
    status: str = ""
    carries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # ids, by table
    sheets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # `runs`, `phases.sft`
    history: tuple[Version, ...] = ()
    actuals: Actuals | None = None

    @property
    def roles(self) -> Mapping[str, Scalar]:
        """Its figures by declared role."""
        return {each.role: each for each in self.scalars.values() if each.role}

    @staticmethod
    def row_column(check: str) -> str:
        """The column that says which rows pass a row check."""
        return check.replace(".", "_")

    def otherwise(self, check: str) -> Key | None:
        """The key of a check's failure message; None if it has none."""
        key = otherwise(check, self.row_checks.get(check))
        own = self.tables[key.table].columns if key.table is not None else self.scalars
        return key if key.name in own else None

    @property
    def version(self) -> Version | None:
        """The newest released version; if dates are equal, the last one written."""
        released = [each for each in self.history if each.status == "released"]
        return max(reversed(released), key=lambda each: each.date, default=None)
