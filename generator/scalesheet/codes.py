"""The diagnostic codes: name, meaning and remedy of each.

Every code has a bad and a good example in `examples/`.
"""

from __future__ import annotations

from typing import Literal, get_args

from scalesheet.frozen import dataclass

#: An error stops a build. A breach never does: it is published, on every page and sheet that shows
#: the plan. A warning is for the maintainer of the data.
Severity = Literal["error", "breach", "warning"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of diagnostic: its title, meaning and remedy."""

    code: str
    title: str
    meaning: str
    remedy: str
    severity: Severity = "error"


CODES: dict[str, Code] = {}

#: The subject of the codes with each letter.
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
_code("Y001", "not YAML", "The file cannot be read as YAML.", "Fix the YAML at the line named.")
_code(
    "Y002",
    "repeated key",
    "A mapping holds the same key twice; one of them would be lost.",
    "Keep one of the two.",
)
_code("Y003", "empty file", "The file is empty.", "Write its content or delete it.")
_code("Y004", "not UTF-8", "The file is not text in UTF-8.", "Save it as UTF-8.")
_code(
    "Y005",
    "alias",
    "Anchors and aliases are not part of the format: a few lines of them can expand to gigabytes.",
    "Write the value out wherever it is used.",
)
_code(
    "Y006",
    "nested too deep",
    "Mappings and lists are nested deeper than 30 levels.",
    "Flatten the data: nothing in the format needs that depth.",
)
_code(
    "Y007",
    "not a finite number",
    "NaN and infinity are not accepted as quantities.",
    "Write a number, or a reason why there is none.",
)
_code(
    "Y008",
    "not plain data",
    "YAML tags, several documents in a file, and keys that are not text are not supported.",
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
    "The layout of the data folder has no place for this file.",
    "Move it to the folder of its kind, or delete it.",
)
_code("Y011", "file too large", "The file is larger than 5 MB.", "Split it.")
_code("Y012", "missing file", "The book needs this file, and it does not exist.", "Write the file.")
_code(
    "Y013",
    "conflict",
    "A merge left a conflict in the file: both sides changed the same lines.",
    "Keep the correct version and delete the three marker lines.",
)
_code(
    "Y014",
    "file is never read",
    "The file is in a folder of the book, but nothing reads it. A README is fine, and so are "
    "names that begin with a dot. A folder of your own may hold anything but YAML.",
    "Move it to a folder of your own, or give it the extension of a book file.",
    "warning",
)
_code(
    "Y015",
    "not CSV",
    "The file cannot be read as CSV: a line has more or fewer cells than the header, or a quote "
    "is never closed.",
    "Fix the line named. Put quotes around a cell that contains a comma.",
)
_code(
    "Y016",
    "does not match book.lock",
    "The book that this one extends does not match book.lock, so plans may give different numbers.",
    "Install the version named, or run 'scalesheet lock' and check with 'scalesheet diff' which "
    "numbers change.",
)
# S: the format
_code(
    "S001",
    "unknown key",
    "The format has no such key here.",
    "Use the nearest name, or delete the key.",
)
_code("S002", "missing key", "A required key is missing.", "Add it.")
_code(
    "S003",
    "wrong kind of value",
    "The value does not have the type that the format requires.",
    "Write a value of the expected type.",
)
_code(
    "S004",
    "not an allowed value",
    "The value is not one of those allowed, or exceeds a limit.",
    "Use one of the allowed values.",
)
_code("S005", "bad id", "An id uses a-z, 0-9 and '-'; a name uses a-z, 0-9 and '_'.", "Rename it.")
_code(
    "S006",
    "not a date",
    "A date is written YYYY-MM-DD and must exist in the calendar.",
    "Write the date in that form.",
)
_code("S007", "no rows", "A table needs at least one row.", "Add a row, or delete the table.")
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
    "Two names are the same, or become the same in a spreadsheet, which ignores case and "
    "punctuation; or two figures of a plan have the same role.",
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
    "Break the circle: state the value of one of them.",
)
_code(
    "N006",
    "unknown source",
    "sources.yaml has no source with this key.",
    "Use the nearest key, or add the source.",
)
_code(
    "N007",
    "column outside its row",
    "A column has many values. Outside its table, aggregate it or name a row.",
    "Write sum(t.c) or t['row'].c.",
)
_code(
    "N008",
    "not a value",
    "The name refers to a table, a phase or an open bound, which has no single value.",
    "Name a quantity.",
)
_code(
    "N009",
    "addresses collide",
    "Two pages of the site would have the same address. A plan's page is `<plan>-<page>`, or "
    "`<plan>-<row>` if each row of a table has a page; a small table has its own folder.",
    "Rename one of the files or rows.",
)
_code(
    "N010",
    "missing source",
    "A figure has no source: `scalesheet new` left a blank, or the file of an accelerator or an "
    "offer says neither `source` nor `kind`.",
    "Look up each figure, add the source you read to sources.yaml, and put its key and the page "
    "here.",
    "warning",
)
_code(
    "N011",
    "no record on file",
    "The plan uses a rule to choose a record of a run, and the book has no records.",
    "Make a record with the command shown.",
)
# F: formulas
_code(
    "F001",
    "formula not understood",
    "The formula is not valid in the formula language.",
    "See the formula language reference.",
)
_code(
    "F002",
    "formula too long",
    "The formula is longer or more deeply nested than spreadsheets allow.",
    "Give parts of it names of their own.",
)
_code(
    "F003",
    "wrong number of arguments",
    "The function does not take this number of arguments.",
    "See the function's entry in the reference.",
)
_code(
    "F004",
    "wrong kind of operand",
    "Numbers, words and yes/no cannot be mixed.",
    "Use operands of the same kind.",
)
_code(
    "F005",
    "example does not hold",
    "The formula's result differs from the one its example expects.",
    "Fix the formula or the example.",
)
_code(
    "F006",
    "word not in the list",
    "A word is compared with, or set to, a word that its list does not contain.",
    "Use a word from the list.",
)
_code(
    "F007",
    "number without decimals",
    "A text prints a number that may not be whole, without saying how many decimals.",
    "Give the decimals: {x:.1 GB}, {x:.1} or {x:.0 %}.",
)
_code(
    "F008",
    "outdated verdict",
    "A memory verdict uses a word that does not say whether the expected value fits. The words "
    "are: fits (the high end fits), probably fits (the expected value fits), probably does not "
    "fit (only the low end fits), does not fit.",
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
    "The formula's result does not match its unit, or two operands measure different things.",
    "Fix the formula or the unit.",
)
_code("U003", "missing unit", "A number has no unit.", "Add one; use 1 for a pure number.")
_code(
    "U004",
    "rounding in a unit that is not stated",
    "A number would be rounded in whatever unit its inputs are written in. Only a ratio, a count, "
    "a date or the whole result of a quantity is rounded in a known unit.",
    "Make the rounded value a quantity with its own unit, or round a ratio: "
    "ceil(time / slot) * slot.",
)
_code(
    "U005",
    "bad unit declaration",
    "A unit in units.yaml is not declared correctly, or is built in with another meaning.",
    "Declare it by its dimension, or as a number times another unit. Delete one that is built in.",
)
_code(
    "U006",
    "millions of millions",
    "A number in the millions has no unit of its own, but its unit already counts millions: "
    "20_000_000 in "
    "Mtoken is 20 trillion tokens.",
    "Write the unit, as in 20_000_000 token.",
    "warning",
)
# R: ranges and signs
_code(
    "R001",
    "division by a range across zero",
    "The divisor's range includes zero, so the quotient has no limits.",
    "Give the divisor a domain or ends that exclude zero.",
)
_code(
    "R002",
    "unknown sign",
    "A range is multiplied by something whose sign is unknown, so the ends of the result are "
    "unknown.",
    "Declare a domain, or use max(0, ...).",
)
_code(
    "R003",
    "number chosen by a range",
    "A condition that chooses a number may hold at one end of a range and not at the other.",
    "Use min or max, or decide on low(x) or high(x).",
)
_code(
    "R004",
    "differing ends",
    "A condition that chooses a word may hold at one end of a range and not at the other.",
    "Name the word to use in that case: differs: depends.",
)
_code(
    "R005",
    "outer bound",
    "A ranged input pulls the result both up and down: the ends are safe, but wider than "
    "necessary.",
    "Rewrite the formula so that the input appears once, or use paired(...).",
    "warning",
)
_code(
    "R006",
    "ranges compared for equality",
    "Ranges cannot be tested for equality.",
    "Compare low(x) or high(x), or use <= and >=.",
)
# V: values
_code("V001", "low above high", "The low end of the range is above its high end.", "Swap them.")
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
    "Fix the input, or add an `if` that excludes this case.",
)
_code(
    "V005",
    "check fails",
    "A check in the plan does not hold. The plan is still built, and shows the failed check.",
    "Look at the numbers shown; change the plan, or accept it for now.",
    "breach",
)
_code(
    "V006",
    "number too large",
    "The result, or an intermediate step, is above 1e300, which no program can compute with. If "
    "an edit causes this, the reason 'too large to be a number' is shown instead.",
    "Use a larger unit.",
)
_code(
    "V007",
    "dates out of order",
    "Dated entries (prices, earlier values) must be in date order.",
    "Sort them by `from` or `until`, oldest first.",
)
_code(
    "V008",
    "phases without goodput",
    "The plan has phases but no goodput (the share of useful time): gross hours equal net hours.",
    "Add a scalar `goodput` (domain: positive-fraction); if nothing is known, use 1 and say so in "
    "a note.",
    "warning",
)
_code(
    "V009",
    "implausible",
    "A figure is outside the usual range, or disagrees with another figure in the same file.",
    "Check the source again: sparsity, units, accumulation. If the accelerator really is like "
    "this, say why under `unusual`.",
    "warning",
)
_code(
    "V014",
    "parameter count does not match",
    "The parameter count from the model's architecture differs from the count its developer "
    "states, to the digits stated.",
    "Check both: widths, tied embeddings, biases, norms, experts. Or the stated count may be "
    "that of other files.",
)
_code(
    "V015",
    "different verdict on that day",
    "The verdict on a claim holds for the current edition, but not with the prices and values of "
    "the day that --as-of names.",
    "Nothing to fix. Without --as-of, this is an error.",
    "warning",
)
_code(
    "V016",
    "difference not stated",
    "The plan uses the record of a run but does not state its own sequence length, batch and "
    "precision, so a reader cannot see how far the record is from the plan.",
    "Add `runs:` beside the reference, with the plan's own figure for each setting that matters.",
    "warning",
)
_code(
    "V017",
    "no record matches",
    "The plan uses a rule to choose a record of a run, and no record matches. Whatever is "
    "computed from the record has no value and says why.",
    "Make a record with the command shown, or relax the rule.",
    "warning",
)
_code(
    "V018",
    "distribution does not suit the value",
    "The distribution does not suit the value: a lognormal range that reaches 0, percentiles 0 "
    "and 100 of a shape without ends, or an event on something that is not a count.",
    "Choose another shape or domain, or remove the key: the domain then decides.",
)
_code(
    "V019",
    "more GPUs than a fast link connects",
    "A run has more GPUs than its accelerator's fast link connects (`fast_domain`), on an offer of "
    "a single GPU. Nothing says that such GPUs have a network between them, which the predicted "
    "hours assume.",
    "Choose an offer of whole nodes, or fewer GPUs.",
    "warning",
)
_code(
    "V020",
    "a headline without a value",
    "A headline figure of the plan has no value, for the reason given.",
    "Change the row or input that the reason names, or take the figure out of `headline`.",
    "warning",
)
_code(
    "V021",
    "a phase on fewer GPUs than its run",
    "A phase takes its hours from a run on more GPUs than the phase has, so its GPU hours and cost "
    "are too low.",
    "Give the phase as many GPUs as the run, best by a formula such as `runs['large'].gpus`.",
    "warning",
)
_code(
    "V022",
    "time lost to failures counted twice",
    "A phase divides the hours of a run by goodput, although they already include the time lost to "
    "failures.",
    "Take the net hours, as in `runs['large'].net_gpu_hours / gpus`, or add `gross_hours: "
    "{formula: hours}` to the phase.",
    "warning",
)
# O: offers and their prices
_code(
    "O001",
    "old price",
    "The current price was last seen longer ago than price_limits in book.yaml allows for its "
    "kind.",
    "Set `seen` after reading it again, add the newer price, or say why under `unusual.age`.",
    "warning",
)
_code(
    "O002",
    "spot not below on-demand",
    "Spot capacity, which may be taken away at any time, costs as much as on-demand, or more.",
    "Check which of the two prices is wrong or old. If the provider really charges this, say why "
    "under `unusual.spot`.",
)
_code(
    "O003",
    "implausible price",
    "The price of an accelerator hour is outside 0.05 to 100 USD, or at least three times above "
    "or below the median of other offers of that accelerator.",
    "Check the number of accelerators, the unit, and what the price includes: it may be the price "
    "of a whole node. If the price is right, say why under `unusual.peers`.",
)
_code(
    "O004",
    "price change without a second source",
    "A price is much higher or lower than the one before it, and only one source confirms it.",
    "Name another source under `confirmed`, or leave the price out.",
    "warning",
)
_code(
    "O005",
    "count and price disagree",
    "The node price, the number of accelerators and the price of one accelerator disagree; or "
    "another file gives this instance a different number; or the offer is a slice of an "
    "accelerator.",
    "Check how many accelerators the instance has. Offers are for whole accelerators.",
)
_code(
    "O006",
    "date outside the history",
    "A price takes effect after the date of the edition; or it was last seen before it took "
    "effect, after the edition, or after the next price took effect; or an earlier value ends "
    "after the edition.",
    "Fix the date. Enter a price or a new value once it is in effect.",
    "warning",
)
_code(
    "O007",
    "duplicate offer",
    "Two files describe the same offer on the same terms.",
    "Keep one file, with all prices by date.",
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
    "The quote is not on the line of the document that the claim names.",
    "Quote the line exactly, or fix the line number in the id.",
)
_code(
    "C003",
    "claim without a basis",
    "The claim cannot be judged: it has no expression, no input cites its line, and it does not "
    "say what is missing.",
    "Write `from`, `against` or `lacks`, or cite the line as the source of an input.",
)
_code(
    "C004",
    "another verdict",
    "The computed verdict differs from the one on file.",
    "Look at the numbers, then fix the claim or the plan, or run `scalesheet audit --accept`.",
)
_code(
    "C005",
    "claim not understood",
    "The claim does not state a figure, or one of its keys does not suit the figure.",
    "Write it like 135 GPU * hour, 18 .. 22 USD, at most 24 GB, 35 %, yes, or a word.",
)
_code(
    "C006",
    "repeated claim",
    "Two claims have the same id.",
    "Give one of them the next number on its line.",
)
_code(
    "C007",
    "id of another line",
    "A claim's id must consist of its document, line and number.",
    "Write the id like 003-L035-01.",
)
_code(
    "C008",
    "not missing",
    "The claim says that a quantity is missing, but the plan has it.",
    "Compute the figure from it, or name what is really missing.",
)
_code(
    "C009",
    "nothing to compare with",
    "An expression of the claim has no value: it gives a reason or an empty cell.",
    "Compare the claim with something that has a value.",
)
_code(
    "C010",
    "cited line has another value",
    "An input cites a line of an audited document, but no figure there has the input's value.",
    "Cite the line that the value is from, or remove the source.",
    "warning",
)
_code(
    "C011",
    "quote with another figure",
    "The quote of a claim has figures, but none is the one that the claim says.",
    "Say the figure as the document writes it, or quote only its words.",
    "warning",
)
# P: predictions
_code(
    "P001",
    "the score fell",
    "Accuracy is below score.yaml: predictions are further from published results or own "
    "measurements, intervals hold too few or too many of them, or a run that ran out of memory is "
    "predicted to fit.",
    "See the score page. Fix what made it worse, or lower the expectation if it was wrong.",
)
_code(
    "P002",
    "fit out of date",
    "The published rows changed after this fit was computed.",
    "Run 'scalesheet fit' and review what it changes.",
    "warning",
)
_code(
    "P003",
    "runs unusable for a law",
    "A file of your own runs cannot be read, contains an impossible value, or has too few runs or "
    "only one size.",
    "Fix the line named. A law needs at least three runs of at least two sizes.",
)
_code(
    "P004",
    "not a table of cases",
    "A file given to `scalesheet predict` is not CSV with a line of column names, or has no column "
    "that describes a case.",
    "Save the table as CSV in UTF-8, with the column names that the message lists.",
)
# M: configurations of models
_code(
    "M001",
    "not a configuration",
    "The file given to `scalesheet new model --from` is not a JSON object.",
    "Use the config.json that the model was published with.",
)
_code(
    "M002",
    "unknown model type",
    "The configuration's `model_type` is not supported.",
    "Use one of those listed, or write the file by hand: `scalesheet new model ID`.",
)
_code(
    "M003",
    "missing size",
    "The configuration does not give a size that has no default.",
    "Use the complete config.json of the checkpoint.",
)
_code(
    "M004",
    "impossible value",
    "A value in the configuration is impossible for its key.",
    "Compare it with the config.json of the checkpoint.",
)
_code(
    "M005",
    "unsupported part of an architecture",
    "The configuration has a part that model files cannot describe.",
    "Leave the model out, or propose a key for this part.",
)
# B: measurements
_code(
    "B001",
    "PyTorch is not installed",
    "'scalesheet bench' runs real steps with PyTorch; no other command needs it.",
    "Install it: pip install 'scalesheet[bench]'. 'scalesheet bench simulate' works without it.",
)
_code(
    "B002",
    "no such device",
    "This machine does not have the accelerator that was requested, or not as many.",
    "Choose one that is listed, with --device and --accelerator; 'scalesheet bench ladder --rates "
    "--write ID' adds one that the catalogue lacks.",
)
_code(
    "B003",
    "does not fit",
    "By the formulas, the step needs more memory than is available. Nothing was loaded.",
    "Take a smaller batch, shorter sequences, activation checkpointing, lora or qlora, or "
    "'scalesheet bench simulate'.",
)
_code(
    "B004",
    "out of memory",
    "The step ran out of memory. The message says what does fit.",
    "Use that; 'scalesheet bench ladder' finds the largest that fits.",
)
_code(
    "B005",
    "model cannot be built",
    "A step needs every size of the model, and PyTorch must build it with the number of "
    "parameters that the catalogue counts.",
    "State the sizes named, or give the model's config.json.",
)
_code(
    "B006",
    "a library is missing",
    "A method or kernel needs a library that is not installed or does not work on this device.",
    "Install the library named, or choose another method.",
)
_code(
    "B007",
    "the run failed",
    "The process that runs the steps failed. Nothing was recorded.",
    "Its last output follows; fix the error it names.",
)
_code(
    "B008",
    "rates not stored",
    "The measured rates cannot be stored in the catalogue under this id.",
    "Choose the id named, or fix the file.",
)
# A: actuals
_code(
    "A001",
    "run outside the plan",
    "A line of the actuals names a phase or row that the plan does not have. Its hours and cost "
    "are counted separately.",
    "Write the phase that the run belongs to, or add the phase to the plan.",
    "warning",
)
_code(
    "A002",
    "run without hours",
    "A run needs its hours, or its start, end and number of GPUs.",
    "Write gpu_hours, or start, end and gpus.",
)
_code(
    "A003",
    "run entered twice",
    "Two lines have the same phase, run, seed and start. Both are counted.",
    "Delete one of them. If it was a second attempt, give it its own start.",
    "warning",
)
_code(
    "A004",
    "more runs than planned",
    "A phase has more runs, finished or running, than the plan has. The forecast treats the phase "
    "as complete.",
    "Raise the number of runs in the plan. If the runs are parts of a phase, fill in `share`.",
    "warning",
)
_code(
    "A005",
    "log not readable",
    "A file given to `scalesheet actuals` is not in the format that it appears to have, or a line "
    "of it is not a run that a plan can record.",
    "Fix the line named, or export the file again. The other lines are imported.",
)
_code(
    "A006",
    "hours in doubt",
    "A row took more than ten times its planned hours, or a log has a gap in which the run may "
    "have stood still.",
    "Compare the hours with those of the scheduler, and correct the line if they differ.",
    "warning",
)
# L: addresses
_code(
    "L001",
    "broken address",
    "The server says that this address does not exist.",
    "Find where the text is now, or name an archived copy; then check the figures again.",
)
_code(
    "L002",
    "address could not be read",
    "The server did not answer, or blocks programs. The address may still work.",
    "Open it in a browser. If it works there, nothing needs to be done.",
    "warning",
)
_code(
    "L003",
    "address has moved",
    "The server says that the page has moved permanently.",
    "Write the new address, after checking that the text is the same.",
    "warning",
)
# W: edited workbooks
_code(
    "W001",
    "unreadable workbook",
    "The file is not an .xlsx workbook, is damaged or protected, or would unpack to a huge size.",
    "Save it again as .xlsx, without a password.",
)
_code(
    "W002",
    "workbook of another book",
    "The workbook does not say which plan it belongs to, or the data has no such plan.",
    "Use a workbook that 'scalesheet build' made from this data.",
)
_code(
    "W003",
    "links outside the workbook",
    "The workbook contains macros, links to other files, connections or embedded files.",
    "Save it as a plain .xlsx without them.",
)
_code(
    "W004",
    "deleted from the workbook",
    "An input, table, column or formula was deleted, or shows #REF! because of a deletion.",
    "Put it back. Delete inputs in the data.",
)
_code(
    "W005",
    "no value for this cell",
    "A cell is empty, holds an error, or holds text where a number is expected.",
    "Write a number, or a reason where the cell may hold one.",
)
_code(
    "W006",
    "edit cannot be imported",
    "A formula cannot be written in the formula language or gives another result there, or the "
    "files have no place for an edit.",
    "Make the edit in the data, or restore the cell.",
)
_code(
    "W007",
    "changed on both sides",
    "An input was changed in the workbook, and differently in the data since the workbook was "
    "made.",
    "Put the correct value into the cell.",
)
_code(
    "W008",
    "row without its own id",
    "A new row of a table has no id, or an id that is already used.",
    "Write an id beside it: a-z, 0-9 and '-'.",
)
_code(
    "W009",
    "not imported",
    "The workbook differs from the data in something that is not an input: a title, a sheet, a "
    "constant, a row of the catalogue. All other edits are still imported.",
    "Make the change in the data if you want it.",
    "warning",
)
# X: the workbook and the site
_code(
    "X001",
    "limit of a spreadsheet",
    "A formula or text exceeds the limits of spreadsheets.",
    "Split it.",
)
_code(
    "X002",
    "the site does not build",
    "The site generator, or a check of its output, reported an error.",
    "Fix the page named.",
)
_code(
    "I001",
    "internal error",
    "scalesheet itself failed. Your data may be fine.",
    "Please report it with the text below.",
)

#: The exit status of every command.
GOOD, FINDINGS, USAGE = 0, 1, 2
INTERRUPTED = 130  # as shells report a program ended by Ctrl-C: 128 + SIGINT
STATUS = {
    GOOD: "success; there may be warnings",
    FINDINGS: "errors in the data, or a file that could not be read or written",
    USAGE: "wrong usage: nothing was read or written",
    INTERRUPTED: "interrupted by Ctrl-C; `build` leaves its output as it was",
}
