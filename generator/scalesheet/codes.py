"""The codes of diagnostics: what each is called, what it means, what to do about it.

Every code has a bad and a good example in `examples/`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

#: An error stops a build. A breach never does: it is published, on every page and sheet that shows
#: the plan. A warning is for whoever keeps the data.
Severity = Literal["error", "breach", "warning"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of diagnostic: what it is called, what it means, what to do."""

    code: str
    title: str
    meaning: str
    remedy: str
    severity: Severity = "error"


CODES: dict[str, Code] = {}

#: What the codes that begin with a letter are about.
FAMILIES = {
    "Y": "the file as YAML",
    "S": "the format",
    "N": "names",
    "F": "formulas",
    "U": "units",
    "R": "ranges and signs",
    "V": "values",
    "O": "offers and their prices",
    "C": "claims",
    "P": "predictions",
    "M": "configurations of models (scalesheet new)",
    "B": "measurements (scalesheet bench)",
    "A": "actuals",
    "L": "addresses (scalesheet links)",
    "W": "edited workbooks (scalesheet pull)",
    "X": "the workbook and the site",
    "I": "scalesheet itself",
}


def _code(code: str, title: str, meaning: str, remedy: str, severity: Severity = "error") -> None:
    assert code not in CODES, code
    CODES[code] = Code(code, title, meaning, remedy, severity)


# Y: the file as YAML
_code("Y001", "not YAML", "The file cannot be read as YAML.", "Fix the place that is named.")
_code(
    "Y002",
    "repeated key",
    "A mapping holds the same key twice; one of them would be lost.",
    "Keep one of the two.",
)
_code("Y003", "empty file", "The file holds nothing.", "Write its content or delete it.")
_code("Y004", "not UTF-8", "The file is not text in UTF-8.", "Save it as UTF-8.")
_code(
    "Y005",
    "alias",
    "Anchors and aliases are not part of the format: a few lines of them can stand for gigabytes.",
    "Write the value out where it is needed.",
)
_code(
    "Y006",
    "nested too deep",
    "Mappings and lists are nested deeper than 30 levels.",
    "Flatten the data; no part of the format needs such a depth.",
)
_code(
    "Y007",
    "not a finite number",
    "NaN and infinity are not quantities.",
    "Write a number, or a reason why there is none.",
)
_code(
    "Y008",
    "not plain data",
    "Tags, several documents, and keys that are not text are not part of the format.",
    "Write plain mappings, lists, text, numbers and yes/no.",
)
_code(
    "Y009",
    "outside the data folder",
    "A path or link leads out of the data folder.",
    "Keep every file of the book in its data folder.",
)
_code(
    "Y010",
    "unexpected file",
    "The file has no place in the data folder's layout.",
    "Move it to the folder of its kind, or delete it.",
)
_code("Y011", "file too large", "The file is larger than 5 MB.", "Split it.")
_code("Y012", "missing file", "The book lacks a file that it needs.", "Write the file.")
_code(
    "Y013",
    "conflict",
    "A merge found that both sides changed the same lines, and left both in the file.",
    "Keep what is right of the two, and delete the three lines that mark them.",
)
_code(
    "Y014",
    "file that is not read",
    "The file stands in a folder of the book, and nothing reads it. A README may stand there, and "
    "so may what begins with a dot; a folder of one's own may hold anything but YAML.",
    "Move it to a folder of its own, or give it the ending of a file of the book.",
    "warning",
)
_code(
    "Y015",
    "not CSV",
    "The file cannot be read as CSV: a line has more or fewer cells than the header, or a quote is "
    "never closed.",
    "Fix the line that is named. Put quotes around a cell with a comma in it.",
)
_code(
    "Y016",
    "not what was locked",
    "The book that this one extends is not what book.lock says, so that plans may give other "
    "numbers.",
    "Install the version that is named, or run 'scalesheet lock' and read what 'scalesheet diff' "
    "says of the numbers.",
)
# S: the format
_code(
    "S001", "unknown key", "The format has no such key here.", "Use the nearest name, or drop it."
)
_code("S002", "missing key", "A key that the format requires is absent.", "Add it.")
_code(
    "S003",
    "wrong kind of value",
    "The value is not of the kind that the format asks for.",
    "Write a value of the expected type.",
)
_code(
    "S004",
    "not an allowed value",
    "The value is not one of those allowed, or breaks a limit.",
    "Use one of the values named.",
)
_code(
    "S005", "bad id", "An id is made of a-z, 0-9 and '-', a name of a-z, 0-9 and '_'.", "Rename it."
)
_code(
    "S006",
    "not a date",
    "A date is written YYYY-MM-DD and exists in the calendar.",
    "Write the date in that form.",
)
_code("S007", "no rows", "A table needs at least one row.", "Add a row, or drop the table.")
# N: names
_code(
    "N001",
    "unknown name",
    "A formula or text names something that does not exist.",
    "Use the nearest name, or define it.",
)
_code(
    "N002",
    "unknown id",
    "A reference names a row that does not exist in its table.",
    "Use the nearest id, or add the entity.",
)
_code(
    "N003",
    "names collide",
    "Two names are the same, or become so in a spreadsheet, where case and punctuation are lost; "
    "or two figures of a plan have the same role.",
    "Rename one of them. If two figures have the same role, remove it from one.",
)
_code(
    "N004",
    "not a spreadsheet name",
    "The name means something else in a spreadsheet: a cell, a function or a constant.",
    "Choose a longer name.",
)
_code(
    "N005",
    "cycle",
    "Quantities depend on each other in a circle.",
    "Break the circle: one of them must be stated.",
)
_code(
    "N006",
    "unknown source",
    "The source's key is not in sources.yaml.",
    "Use the nearest key, or add the source.",
)
_code(
    "N007",
    "a column outside its row",
    "A column stands for many values; outside its table it must be drawn together or named by row.",
    "Write sum(t.c), or t['row'].c.",
)
_code(
    "N008",
    "not a value",
    "The name stands for a table, a phase or an open bound, which has no value to compute with.",
    "Name a quantity.",
)
_code(
    "N009",
    "addresses collide",
    "Two pages of the site would have the same address: a plan's page is `<plan>-<page>`, or "
    "`<plan>-<row>` where each row of a table has one, and a small table has a folder of its own.",
    "Rename one of the files or rows.",
)
_code(
    "N010",
    "source to be stated",
    "The file was begun by `scalesheet new`, and the source of its figures is still missing.",
    "Look each figure up, add what you read to sources.yaml, and put its key and the place here.",
    "warning",
)
_code(
    "N011",
    "no record on file",
    "A plan rests on a record of a run that a rule chooses, and the book has no records.",
    "Make one with the command that is named.",
)
# F: formulas
_code(
    "F001",
    "formula not understood",
    "The formula's text does not follow the language.",
    "See the reference of the formula language.",
)
_code(
    "F002",
    "formula too long",
    "A formula is longer or deeper than any spreadsheet takes.",
    "Give its parts names of their own.",
)
_code(
    "F003",
    "wrong number of arguments",
    "The function takes another number of arguments.",
    "See the function's entry in the reference.",
)
_code(
    "F004",
    "wrong kind of operand",
    "Numbers, words and yes/no do not mix.",
    "Use operands of one kind.",
)
_code(
    "F005",
    "example does not hold",
    "The formula gives another result than its example expects.",
    "Fix the formula or the example.",
)
_code(
    "F006",
    "not a word of the class",
    "A word of a closed class is compared with or set to another word.",
    "Use one of the class.",
)
_code(
    "F007",
    "number without decimals",
    "A text prints a number that need not be whole, and does not say how many decimals.",
    "Write them: {x:.1 GB}, {x:.1} or {x:.0 %}.",
)
_code(
    "F008",
    "old word of a verdict",
    "A verdict on memory has a word that does not say whether the expected value is inside. The "
    "words are fits (the high end of the need is inside the usable memory), probably fits (the "
    "expected value is), probably does not fit (the low end alone is), does not fit.",
    "'fits' if high(need) <= have else 'probably fits' if expected(need) <= have else 'probably "
    "does not fit' if low(need) <= have else 'does not fit'",
    "warning",
)
# U: units
_code(
    "U001",
    "unknown unit",
    "The unit is neither built in nor in units.yaml.",
    "Use the nearest, or declare it.",
)
_code(
    "U002",
    "wrong dimension",
    "What the formula gives is not what its unit says, or two operands measure different things.",
    "Fix the formula or the unit.",
)
_code("U003", "missing unit", "A number has no unit.", "Add one; a pure number has the unit 1.")
_code(
    "U004",
    "conversion after rounding",
    "A rounded number would be converted afterwards, which "
    "gives another number than rounding in the wanted unit.",
    "Give the rounded value a quantity and a unit of its own.",
)
_code(
    "U005",
    "bad unit declaration",
    "A unit in units.yaml is declared wrongly, or is built in and means something else.",
    "Declare it by its dimension, or as a number times another unit; drop one that is built in.",
)
# R: ranges and signs
_code(
    "R001",
    "division by a range across zero",
    "The divisor's range includes zero, so the quotient has no bounds.",
    "Give the divisor a domain or ends that exclude zero.",
)
_code(
    "R002",
    "unknown sign",
    "A range is multiplied by something whose sign is not known, so its bounds are unknown.",
    "Declare a domain, or use max(0, ...).",
)
_code(
    "R003",
    "a numeric choice on a range",
    "A number is chosen by a condition that may differ between the ends of a range.",
    "Use min or max, or decide on low(x) or high(x).",
)
_code(
    "R004",
    "no class for differing ends",
    "A word is chosen by a condition that may differ between the ends of a range.",
    "Say which word stands then: differs: depends.",
)
_code(
    "R005",
    "outer bound",
    "A ranged input enters in mixed directions: the ends are safe, and wider than need be.",
    "Rewrite so that it enters once, or use paired(...).",
    "warning",
)
_code(
    "R006",
    "comparison of ranges for equality",
    "Two ranges are neither equal nor unequal.",
    "Compare low(x) or high(x), or use <= and >=.",
)
# V: values
_code("V001", "low above high", "The ends of a range are out of order.", "Exchange them.")
_code(
    "V002",
    "outside the domain",
    "The value is outside what its domain allows.",
    "Fix the value, or declare another domain.",
)
_code(
    "V003",
    "division by zero",
    "A row or quantity divides by zero.",
    "Fix the input, or give a reason for the row.",
)
_code(
    "V004",
    "outside a function's domain",
    "A logarithm, root or power has no value here.",
    "Fix the input, or choose on it.",
)
_code(
    "V005",
    "check fails",
    "A check that the plan states does not hold. The plan is built all the same, and says so.",
    "Look at the numbers it names; change the plan, or live with it for now.",
    "breach",
)
_code(
    "V006",
    "more than a number can hold",
    "The result, or a step on the way to it, is more than 1e300: no program computes beyond. "
    "Wherever it comes about by an edit, the reason 'too large to be a number' takes its place.",
    "Use a larger unit.",
)
_code(
    "V007",
    "dates out of order",
    "Dated entries, prices and earlier values, must have rising dates.",
    "Sort them by `from` or `until`, the oldest first.",
)
_code(
    "V008",
    "phases without a goodput",
    "The plan has phases but does not say which share of the time makes progress, so that its "
    "gross hours are its net hours.",
    "Add a scalar `goodput` (domain: positive-fraction); where nothing is known 1, with a note.",
    "warning",
)
_code(
    "V009",
    "implausible",
    "A figure of the catalogue is outside of what is usual, or does not agree with another one of "
    "the same file.",
    "Look at the source again: sparsity, units, accumulation. An accelerator that is really so "
    "says why under `unusual`.",
    "warning",
)
_code(
    "V014",
    "a count that does not close",
    "The parameters that are counted from a model's architecture are not those that its developer "
    "states, in the digits in which they are stated.",
    "Look at both again: widths, tied embeddings, biases, norms, experts; or the count is of other "
    "files.",
)
_code(
    "V015",
    "not so on that day",
    "The verdict on a claim is of the edition, and does not hold with the prices and values of the "
    "day that --as-of names.",
    "Nothing need be done: a book of another day says so. Without --as-of the same is an error.",
    "warning",
)
_code(
    "V016",
    "difference not stated",
    "A plan rests on a record of a run, and does not say with which length, batch and precision it "
    "runs itself; a reader cannot see how far the record is from it.",
    "Add `runs:` beside the reference, with the plan's own figure for each setting that matters.",
    "warning",
)
_code(
    "V017",
    "no record matches",
    "A plan rests on a record of a run that a rule chooses, and none on file is what it asks for. "
    "What is computed from the record has no value and says so.",
    "Make one with the command that is named, or let the rule ask for what there is.",
    "warning",
)
_code(
    "V018",
    "cannot be drawn",
    "What a value says of how likely it is does not fit the value: a lognormal range that reaches "
    "0, ends of a shape that has none, or an event on what is no count.",
    "Choose another shape or another domain, or leave the key out: the domain decides then.",
)
# O: offers and their prices
_code(
    "O001",
    "old price",
    "The price in force was last seen longer ago than prices of its kind may be: price_limits of "
    "book.yaml.",
    "Read it again and set `seen`, or add the newer price. An old one that has to stand says why "
    "under `unusual.age`.",
    "warning",
)
_code(
    "O002",
    "spot not below on demand",
    "What may be taken away at any time costs as much as the same on demand, or more.",
    "Look which of the two prices is wrong or old. A provider that really sells so is stated under "
    "`unusual.spot`.",
)
_code(
    "O003",
    "price of something else",
    "The price of an accelerator's hour is outside of 0.05 to 100 USD, or three times above or "
    "below the median of the other offers of that accelerator.",
    "Look at the count of accelerators, at the unit, and at what the price includes: that of a "
    "machine may stand for that of an accelerator. An offer that really costs so says why under "
    "`unusual.peers`.",
)
_code(
    "O004",
    "change without a second source",
    "A price is much higher or lower than the one before it, and one source alone says so.",
    "Name another source under `confirmed`, or leave the price out.",
    "warning",
)
_code(
    "O005",
    "count and price disagree",
    "Price, count of accelerators and price of one do not agree, or an instance has another count "
    "elsewhere, or it is a slice of an accelerator.",
    "Look up how many accelerators the instance has; an offer is of whole ones.",
)
_code(
    "O006",
    "date outside of the history",
    "A price holds from a day after the edition, or was seen before it held, after the edition or "
    "after the next one held; or an earlier value holds until after the edition.",
    "Fix the date; a price or a new value is entered when it holds.",
    "warning",
)
_code(
    "O007",
    "offered twice",
    "Two files offer the same thing on the same terms.",
    "Keep one, with all prices by date.",
)
# C: claims
_code(
    "C001",
    "no such claim",
    "An expression names a claim that does not exist.",
    "Use the nearest id, or write the claim.",
)
_code(
    "C002",
    "quote not on its line",
    "The quote does not stand on the line of the document that the claim names.",
    "Quote the line as it stands, or fix the line in the id.",
)
_code(
    "C003",
    "claim without a basis",
    "Nothing can be said of the claim: no expression, no input of that line, nothing lacking.",
    "Write from, against, a plan input whose source is that line, or lacks.",
)
_code(
    "C004",
    "another verdict",
    "The computed verdict is not the one on file.",
    "Look at the numbers, then fix the claim or the plan, or run `scalesheet audit --accept`.",
)
_code(
    "C005",
    "claim not understood",
    "The claim does not state a figure, or one of its keys does not fit the figure.",
    "Write it like 135 GPU * hour, 18 .. 22 USD, at most 24 GB, 35 %, yes, or a word.",
)
_code(
    "C006",
    "repeated claim",
    "Two claims have the same id.",
    "Give one of them the next number of its line.",
)
_code(
    "C007",
    "id of another place",
    "A claim's id is not made of its document, its line and a number.",
    "Write the id as 003-L035-01.",
)
_code(
    "C008",
    "lacking and there",
    "A claim is underdetermined by a quantity that exists in the plan.",
    "Compute the figure from it, or name what is really missing.",
)
_code(
    "C009",
    "nothing to compare with",
    "An expression of a claim has no value: it gives a reason, or an empty cell.",
    "Compare the claim with something that has a value.",
)
_code(
    "C010",
    "cited line says another value",
    "An input cites a line of an audited document, and no figure there has its value.",
    "Cite where the value is from, or leave out the source.",
    "warning",
)
# P: predictions
_code(
    "P001",
    "the score fell",
    "Predictions are further from published results, or from own measurements that it lists, than "
    "score.yaml expects, their intervals hold too few or too many of them, or a run is said to fit "
    "that took more.",
    "Look at the page of the score. Fix what made it worse, or lower the expectation where it "
    "was wrong.",
)
_code(
    "P002",
    "fit out of date",
    "A fit on file rests on other published rows than those that are on file now.",
    "Run 'scalesheet fit', and look at what it changes.",
    "warning",
)
_code(
    "P003",
    "runs that no law can be learned from",
    "A file of own runs cannot be read, says something of a run that cannot be, or has too few "
    "runs or only one size.",
    "Fix the line that is named. A law needs three runs or more, of two sizes or more.",
)
# M: configurations of models
_code(
    "M001",
    "not a configuration",
    "The file that `scalesheet new model --from` was given is not a mapping of JSON.",
    "Give it the config.json of a model as it was published.",
)
_code(
    "M002",
    "unknown model type",
    "The configuration's `model_type` is not supported.",
    "Use one that is listed, or write the file by hand: `scalesheet new model ID`.",
)
_code(
    "M003",
    "missing key of a configuration",
    "The configuration lacks a size that has no default.",
    "Take the config.json of the checkpoint, not one that was cut.",
)
_code(
    "M004",
    "impossible value in a configuration",
    "A value of the configuration cannot be what its key says.",
    "Compare it with the config.json of the checkpoint.",
)
_code(
    "M005",
    "part of an architecture without words",
    "The configuration has a part that files of models have no words for, so that its parameters "
    "would not be counted.",
    "Leave the model out, or propose a key for it.",
)
# B: measurements
_code(
    "B001",
    "PyTorch is not installed",
    "Real steps are made with PyTorch and its neighbours, which only 'scalesheet bench' needs.",
    "Install the extra: pip install 'scalesheet[bench]'. 'scalesheet bench simulate' does without.",
)
_code(
    "B002",
    "no such device",
    "The accelerator that was asked for is not in this machine, or not as many of them.",
    "Name one that is listed, with --device and --accelerator; 'scalesheet bench ladder --rates "
    "--write ID' enters one that the catalogue lacks.",
)
_code(
    "B003",
    "does not fit",
    "By the formulas of the catalogue the step needs more memory than there is; nothing was "
    "loaded.",
    "Take a smaller batch, shorter sequences, activation checkpointing, lora or qlora, or "
    "'scalesheet bench simulate'.",
)
_code(
    "B004",
    "out of memory",
    "The step ran out of memory. What fits is said beside it.",
    "Take what fits; 'scalesheet bench ladder' finds the largest.",
)
_code(
    "B005",
    "a model that cannot be built",
    "A step needs all sizes of a model, and PyTorch must make one with as many parameters as the "
    "catalogue counts.",
    "State what is named, or give the model's config.json.",
)
_code(
    "B006",
    "a library is missing",
    "A method or a kernel needs a library that is not installed, or does not work on the device.",
    "Install what is named, or choose another method.",
)
_code(
    "B007",
    "the run failed",
    "The process that makes the steps ended by an error of its own. Nothing was recorded.",
    "Its last words follow; fix what they name.",
)
_code(
    "B008",
    "rates that are not entered",
    "The measured rates cannot be stored in the catalogue under this id.",
    "Choose the id that is named, or fix the file.",
)
# A: actuals
_code(
    "A001",
    "run outside of the plan",
    "A line of the actuals names no phase or row of the plan. Its hours and cost are spent, and "
    "are counted apart.",
    "Write the phase that the run belongs to, or add the phase to the plan.",
    "warning",
)
_code(
    "A002",
    "run without hours",
    "The hours of a run are stated, or follow from its start, its end and its GPUs.",
    "Write gpu_hours, or start, end and gpus.",
)
_code(
    "A003",
    "run entered twice",
    "Two lines have the same phase, run, seed and start. Both are counted.",
    "Delete one of the two lines. What was a second attempt has another start.",
    "warning",
)
_code(
    "A004",
    "more runs than planned",
    "A phase has more runs, finished or running, than the plan has of it. The forecast takes the "
    "phase for complete.",
    "Raise the number of runs in the plan. Of runs that are parts of a phase, write the share.",
    "warning",
)
# L: addresses
_code(
    "L001",
    "address that leads nowhere",
    "The server says that there is nothing at this address.",
    "Look for where the text is now, or name an archived copy; look at the figures once more.",
)
_code(
    "L002",
    "address that could not be read",
    "The server did not answer, or lets no program read the address, which may hold.",
    "Open it in a browser. If it holds there, nothing needs to be done.",
    "warning",
)
_code(
    "L003",
    "address that has moved",
    "The server says that the text has moved for good.",
    "Write the new address, after a look at whether it is the same text.",
    "warning",
)
# W: edited workbooks
_code(
    "W001",
    "not a workbook that can be read",
    "The file is no .xlsx workbook, is cut off or protected, or would unpack to far more than any "
    "workbook holds.",
    "Save it anew as .xlsx, without a password.",
)
_code(
    "W002",
    "not a workbook of this book",
    "The workbook does not say which plan it is of, or is of a plan that the data do not have.",
    "Give a workbook that 'scalesheet build' made from these data.",
)
_code(
    "W003",
    "reaches out of the workbook",
    "The workbook holds macros, links to other files, connections or embedded files.",
    "Save it as a plain .xlsx without them.",
)
_code(
    "W004",
    "gone from the workbook",
    "An input, a table, a column or a formula was deleted, or shows #REF! since something that it "
    "reads was.",
    "Put it back. Inputs are taken out in the data.",
)
_code(
    "W005",
    "no value for this cell",
    "A cell is empty, holds an error, or holds text where a number is expected.",
    "Write a number; or a reason why there is none, where there may be one.",
)
_code(
    "W006",
    "edit that cannot be taken over",
    "A formula has no form in the formula language or gives something else there, or an edit has "
    "no place in the files.",
    "Make the edit in the data, or put back what stood in the cell.",
)
_code(
    "W007",
    "changed on both sides",
    "An input was changed in the workbook, and otherwise in the data since the workbook was made.",
    "Put the value that is right into the cell.",
)
_code(
    "W008",
    "row without an id of its own",
    "A new row of a table has no id, or one that is taken.",
    "Write an id beside it: a-z, 0-9 and '-'.",
)
_code(
    "W009",
    "not taken over",
    "The workbook differs from the data in what is no input: a title, a sheet, a constant, a row "
    "of the catalogue. Everything else is taken over all the same.",
    "Make the change in the data, where it is wanted.",
    "warning",
)
# X: the workbook and the site
_code(
    "X001",
    "limit of a spreadsheet",
    "A formula or text is beyond what spreadsheets take.",
    "Split it.",
)
_code(
    "X002",
    "the site does not build",
    "The site generator or a check of its output refused.",
    "Fix the page that is named.",
)
_code(
    "I001",
    "internal error",
    "scalesheet itself failed; your data may be right.",
    "Please report it with the text below.",
)

#: The exit status of every command.
GOOD, FINDINGS, USAGE = 0, 1, 2
INTERRUPTED = 130  # as a shell reports a program that Ctrl-C ended: 128 + SIGINT
STATUS = {
    GOOD: "good; there may be warnings",
    FINDINGS: "findings: the data has errors, or a file could not be read or written",
    USAGE: "wrong usage: nothing was read or written",
    INTERRUPTED: "interrupted by Ctrl-C; `build` leaves its output as it was",
}
