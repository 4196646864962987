"""The Book: what `resolve` gives and what the evaluator and every renderer take.

Everything a plan or the catalogue holds is lowered into two things: scalars, and tables of typed
columns. A value is stated (an input) or has a formula. Nothing here knows YAML or an output.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

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

#: Domain -> (least value or None, whether the least itself is allowed, greatest or None, whole).
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
    """Whether a domain holds a number."""
    least, closed, most, whole = DOMAINS[domain]
    return (
        (least is None or number > least or (closed and number == least))
        and (most is None or number <= most)
        and (not whole or float(number).is_integer())
    )


#: The same in words.
DOMAIN_WORDS: Mapping[str, str] = {
    "positive": "above 0",
    "non-negative": "0 or more",
    "fraction": "0 to 1",
    "positive-fraction": "above 0, to 1",
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


#: Stands for the key of a source in a file that `scalesheet new` began, until someone puts in one.
TO_BE_STATED = "to-be-stated"


@dataclass(frozen=True, slots=True)
class Citation:
    """A source's key, the place within it, and the few words that stand there."""

    key: str
    locator: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A text that figures rest on; `url` is http(s) or empty."""

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
    """What happens or does not, up to `times` times: each time it adds to a count."""

    chance: float
    times: int = 1
    adds: int = 1


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How likely the values of a stated range are. Without a `spread` its domain decides.

    `percentiles`, from 0 to 1: what low and high are. `moves_with`: the group that it is high and
    low with, against which it moves where a - stands before. `found_by`: how one can find out.
    """

    spread: str = ""
    percentiles: tuple[float, float] = (0.1, 0.9)
    moves_with: str = ""
    event: Event | None = None
    found_by: str = ""


@dataclass(frozen=True, slots=True)
class Stated:
    """One stated value, in the unit of its quantity.

    A number has `low <= value <= high`, equal where exact. A word, id, text or ISO date is text, a
    flag is a bool. `reason` stands where there is no value. `at_least` and `at_most` are open
    bounds: shown, never computed with.
    """

    value: float | str | bool | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    at_least: float | None = None
    at_most: float | None = None
    midpoint: bool = False  # the expected value was not stated: it is the middle of the range
    basis: Basis = "assumption"
    citation: Citation | None = None
    note: str = ""
    since: str = ""  # ISO date from which a dated value holds
    seen: str = ""  # ISO date on which a dated value was last read so
    confirmed: Citation | None = None  # a second source that says the same
    contested: tuple[Stated, ...] = ()  # what other sources say instead
    was: tuple[Earlier, ...] = ()  # what stood here before, the oldest first
    position: Position | None = field(default=None, compare=False)
    default: bool = False  # stands in no file: what holds where a file of the catalogue is silent
    rule: str = ""  # by which rule it was chosen and why, where no file names it
    unmeasured: str = ""  # what that rule would choose if no record were measured
    likelihood: Likelihood = Likelihood()

    @property
    def ranged(self) -> bool:
        return self.low is not None and (self.low != self.value or self.high != self.value)


@dataclass(frozen=True, slots=True)
class Earlier:
    """A value that stood before another: the ISO day from which it no longer held, and why."""

    stated: Stated
    until: str
    why: str


@dataclass(frozen=True, slots=True)
class Ends:
    """A quantity's bound expressions; `low` and `high` are None where it is exact."""

    value: Node
    low: Node | None = None
    high: Node | None = None

    @property
    def trees(self) -> tuple[Node, ...]:
        """Those that there are: low, value, high."""
        return tuple(tree for tree in (self.low, self.value, self.high) if tree is not None)


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as written and as bound.

    `outer`: the ends are safe outer bounds rather than exact (a ranged input enters in mixed
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
    """How a quantity prints, on every face. None means: by the rule in `numbers.py`."""

    decimals: int | None = None
    digits: int | None = None
    percent: bool = False
    approximate: bool = False
    code: bool = False  # a text that is a command or its output: kept line by line


@dataclass(frozen=True, slots=True)
class Quantity:
    """What scalars and columns share.

    `ranged`: has three values (static). `may_reason`: a cell may hold a reason instead of a value.
    `refers_to`: the table whose row ids a reference holds. `words`: the closed class of a word.
    `sides`: of a value that scenarios state differently, each scenario with the name of the hidden
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
    choice: bool = False  # a whole number that conditions rest on: no tenth more of it
    hidden: bool = False  # machinery (the two sides of a scenario): in the workbook, not in prose
    sides: tuple[tuple[str, str], ...] = ()
    side_of: str = ""
    moves_with: str = ""  # the group of the ranges that its formula makes
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Scalar(Quantity):
    """One value with a name: stated (an input) or with a formula.

    `phase` is the phase in whose namespace it stands, or None for the plan's own. `role`: what the
    front page and `choose` know it as (vocabulary.ROLES), or empty. `contingency_on`: of a share
    that is a contingency, the figure that it is added to.
    """

    stated: Stated | None = None
    formula: Formula | None = None
    phase: str | None = None
    role: str = ""
    contingency_on: str = ""

    @property
    def is_input(self) -> bool:
        """Whether it is stated, in some scenario."""
        return self.stated is not None or bool(self.sides)


@dataclass(frozen=True, slots=True)
class Column(Quantity):
    """A column of a table: stated cells by row id, formulas for cells of their own, and the
    column's formula for every other row. A row with none of these is empty text.
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
    """Rows with ids, and typed columns. `row_aliases` are other names that people use for a row.

    `each` names, for a cross table, the column of each axis and the table it runs over. `totals`
    are columns with a total; the total itself is the plan's scalar `<table>.total.<column>`.
    `show` draws a cross table: the columns that run down, across, and in the cell. `sections` are
    headings with the columns below each, of a table whose rows are cases of a component.
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
    """The row that a page is about: `word` stands for it in the page's text."""

    word: str
    table: str
    row: str


@dataclass(frozen=True, slots=True)
class Page:
    """A further page of a plan, `<plan>-<name>`; title and text are Markdown with {{ name }}.

    `headline` are names of figures as prose writes them, with their places. `row` is set where
    there is one such page for each row of a table.
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
    """A figure or an input as a version of a plan has it, whatever becomes of both."""

    title: str
    unit: Unit | None
    stated: Stated


@dataclass(frozen=True, slots=True)
class Changed:
    """An input that a version has with another value than the version before: what it was and is,
    where the new value is from, and by name the headline figures as they would be without it."""

    title: str
    unit: Unit | None
    was: Stated
    now: Stated
    because: str
    without: Mapping[str, Stated]


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a plan: released at its date, or pending or future.

    One that was cut has its headline figures and all inputs behind them, by name; what is
    `changed` since the version before, and which inputs are `added` or `removed` since.
    """

    version: str
    text: str
    date: str = ""  # ISO; empty where none is set
    status: str = "released"
    headline: Mapping[str, Frozen] = field(default_factory=dict)
    inputs: Mapping[str, Frozen] = field(default_factory=dict)
    changed: Mapping[str, Changed] = field(default_factory=dict)
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    position: Position | None = field(default=None, compare=False)

    @property
    def number(self) -> tuple[int, ...]:
        """1.10.0 is above 1.9.0; empty where it is not made of numbers."""
        parts = self.version.split(".")
        return tuple(map(int, parts)) if all(p.isdecimal() for p in parts) else ()


@dataclass(frozen=True, slots=True)
class Key:
    """A node of the computation: a scalar (no table), a column, or one cell with its own formula.

    The evaluator's order is a sequence of keys.
    """

    name: str  # scalar's or column's name
    table: str | None = None
    row: str | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """Given inputs (in the record's units) and what must come out."""

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
    formula: Formula  # bound over Scalar nodes named like the inputs
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
    """Inputs of a component, and quantities that must come out; a text is a word or a reason."""

    given: Mapping[str, float | str | bool]
    expect: Mapping[str, float | str | bool]
    note: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """How a component's layout is chosen: the values that are tried, by input, the plainer first;
    pairs of what must be at most what; and the quantity that is to be least."""

    among: Mapping[str, tuple[float | str, ...]]
    within: tuple[tuple[str, str], ...]
    least: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """A case of a plan whose layout no file states, and the inputs that make it."""

    component: str
    inputs: tuple[str, ...]
    table: str | None = None
    row: str | None = None


@dataclass(frozen=True, slots=True)
class Component:
    """A piece of a plan that is written once, compiled as a plan of its own. `inputs`, `outputs`
    are names of its scalars; `required` are the inputs without a default; `evidence` are the tasks
    of predictions whose published results judge it."""

    plan: Plan
    inputs: tuple[str, ...]
    required: tuple[str, ...]
    outputs: tuple[str, ...]
    evidence: tuple[str, ...]
    examples: tuple[CaseExample, ...]
    note: str = ""
    choice: Choice | None = None
    corrections: tuple[str, ...] = ()  # by own records, where there are any


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One run of a publication: what was known before it, and apart from that what came out.

    `words` and `numbers` are by the names of `predict.cases`; a result by the key of its file, in
    the unit that the format names. `unscored` says why the row is shown and not scored.
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
    """What one publication states of runs; predictions are scored against it."""

    id: str
    title: str
    rows: tuple[PublishedRow, ...]
    citation: Citation | None
    note: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Fit:
    """Where the coefficients of a fit came from; they themselves are a row of the table `fits`."""

    id: str
    title: str
    method: str
    date: str
    rows: int
    families: int
    digest: str
    notes: Mapping[str, str]
    runs: str = ""  # own ones, as CSV
    planned: tuple[float, float] | None = None  # parameters and tokens
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class OldPrice:
    """The price of an offer that was seen too long ago: when, how many days before the date of the
    prices, how many its kind may have, and why it stands all the same."""

    seen: str  # ISO date
    days: int
    kind: str
    limit: int  # days
    why: str = ""


@dataclass(frozen=True, slots=True)
class Unseen:
    """The price of an offer that nobody has seen for long: its use says so. One that is `stale` is
    not offered as the least that something costs."""

    seen: str  # ISO date
    days: int
    stale: bool

    @property
    def said(self) -> str:
        return f"last seen {self.seen}, {self.days} days ago"


@dataclass(frozen=True, slots=True)
class Expected:
    """What the score of a task may not fall behind."""

    rows: int
    median: float
    p90: float
    coverage_least: float
    coverage_most: float
    note: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ExpectedOwn:
    """What the predictions of some own measurements may not fall behind; others are not held."""

    records: tuple[str, ...]
    median: float
    worst: float
    note: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Which published results an answer is compared with, beside method and size of the model.

    `far`: how many times below or above all that was published a utilization is separated;
    `same_tokens`: the factor within which a published run has as many tokens as an answer; `near`:
    how many times cheaper what has no published result like it must be to be preferred.
    """

    families: Mapping[str, tuple[str, ...]]  # of accelerators, by name
    far: float
    same_tokens: float
    near: float = 1.0

    def family(self, accelerator: str) -> str:
        """The family of an accelerator; of one that is in none its own id."""
        many = (name for name, ids in self.families.items() if accelerator in ids)
        return next(many, accelerator)


@dataclass(frozen=True, slots=True)
class Peer:
    """How accurate another program is, run by us or by its own account."""

    name: str
    predicts: str
    says: str
    citation: Citation | None
    note: str = ""


#: What became of a run.
RunState = Literal["running", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a run took, as one line of a file of actuals says. A run that failed and was begun again
    has several. `phase` is the id of a phase, or of a row of the plan's table; it is empty where
    the line names none. `share` is the part of that row's plan that the run is; by default all
    runs of a row are alike. `gpu_hours` is None of a run that goes on since `start`, on `gpus`."""

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
    origin: str = ""  # the file or tool that it is from
    note: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Actuals:
    """What the runs of a plan took, and what of the plan they are compared with: the rows of
    `table` with the GPU hours in the column `gpu_hours`, each made of as many runs as the column
    `runs` says (one where that is empty). `budget` and `cost` are scalars of the plan: the GPU
    hours and the money that it may take in all; `forecast` is the table that has the estimates at
    completion. `match` are patterns of names by row."""

    attempts: tuple[Attempt, ...]
    table: str
    gpu_hours: str
    runs: str = ""
    budget: str = ""
    cost: str = ""
    forecast: str = ""
    match: tuple[tuple[str, str], ...] = ()


def otherwise(check: str, table: str | None) -> Key:
    """Where the words of a check stand that say what is wrong: with a table in a column."""
    if table is None:
        return Key(f"{check}.otherwise")
    return Key(f"otherwise_{check.replace('.', '_')}", table)


@dataclass(frozen=True, slots=True)
class Plan:
    """One plan, ready to be evaluated and rendered.

    `order`: every computed key, each after what it needs; it covers the plan and not the
    catalogue. `catalogue`: the names of the catalogue tables it looks into. `headline`: the
    scalars that answer the reader first. `checks`: flag scalars that must be yes. `scenarios`: the
    words of the scalar `scenario`, the first the default, or empty. `row_checks`: for a check of
    every row its table, in which a column of the check's name (`check_x`) says which rows hold.
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
    components: tuple[str, ...] = ()  # that it uses, by id
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
        """Its figures by the roles that they declare."""
        return {each.role: each for each in self.scalars.values() if each.role}

    @staticmethod
    def row_column(check: str) -> str:
        """The column that says which rows a check of every row holds for."""
        return check.replace(".", "_")

    def otherwise(self, check: str) -> Key | None:
        """Where a check says what is wrong when it does not hold; None where it does not."""
        key = otherwise(check, self.row_checks.get(check))
        own = self.tables[key.table].columns if key.table is not None else self.scalars
        return key if key.name in own else None

    @property
    def version(self) -> Version | None:
        """The newest released version; of the same day, the last written."""
        released = [each for each in self.history if each.status == "released"]
        return max(reversed(released), key=lambda each: each.date, default=None)
