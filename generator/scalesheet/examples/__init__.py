"""A bad and a good example for each diagnostic: one file for a code, `U002.yaml`.

    # bad: plans/example/plan.yaml
    # says: 7:30 U002 'cost' is declared in USD, but the formula gives ...
    title: A plan
    ...
    # good:
    title: A plan
    ...

`bad:` says where in a small sound book the file belongs, `good:` where its mended form does, if
elsewhere. Line and column are those of the example itself, without what stands above it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from scalesheet.codes import CODES
from scalesheet.diagnostics import Diagnostic

_FILE = re.compile(r"# bad: (.+)\n((?:# says: .+\n)+)((?s:.*))# good:(.*)\n((?s:.*))")
_SAYS = re.compile(r"# says: ([0-9]+):([0-9]+) ([A-Z][0-9]{3}) (.+)")


@dataclass(frozen=True, slots=True)
class Example:
    """A file that is refused, all that is reported about it, and the file fixed."""

    place: str
    bad: str
    says: tuple[Diagnostic, ...]
    good_place: str
    good: str


@dataclass(frozen=True, slots=True)
class InWords:
    """A bad and a good example of what no single text file can show."""

    bad: str
    good: str


#: Those that are not about what a file's text says. Plain text, with names in quotes.
IN_WORDS = {
    "Y004": InWords(
        "A file saved in Latin-1, where é is the byte e9, or in UTF-16.",
        "The same file saved as UTF-8, where é is the two bytes c3 a9.",
    ),
    "Y011": InWords("A plan.yaml of 6 MB.", "Two plans, each with half of its rows."),
    "Y012": InWords(
        "A data folder without sources.yaml, or a plan's folder with page.md and no plan.yaml.",
        "The same folder with sources.yaml in it, even if it only says 'sources: {}'.",
    ),
    "N009": InWords(
        "A plan 'pilot' with a page 'pilot/pages/costs.md', beside another plan 'pilot-costs'.",
        "The same page as 'pilot/pages/money.md'.",
    ),
    "V016": InWords(
        "A plan of sequences of 4,096 tokens that reads 'run.step_time' of a record, which ran "
        "with 2,048, and says no more of it than '{ref: measurements, rule: {model: model}}'.",
        "The same with 'runs: {sequence_length: max_length}' in it, and the table "
        "'run_differences' on its page.",
    ),
    "V017": InWords(
        "A plan whose rule asks for a record of 'model: llama-3-1-8b', in a book that has records "
        "of other models alone.",
        "The same plan with a record of that model, which 'scalesheet bench' makes.",
    ),
    "C002": InWords(
        "A claim of line 12 that quotes '1,024 tokens', in an audit of a document whose line 12 "
        "says '1024 tokens'.",
        "The same claim with the quote '1024 tokens'. Quotes are looked up with "
        "'scalesheet audit --documents DIR'.",
    ),
    "C010": InWords(
        "An input of 2.1 to 2.4 hours that cites line 51 of an audited document, where a claim "
        "says 8 to 10 hours, in a plan that was frozen with it.",
        "The same input with the source of its own value. Where it is changed after the plan was "
        "frozen, its source says 'changed from line 51, which says 8-10' by itself.",
    ),
    "V014": InWords(
        "A model whose architecture counts 494,032,768 parameters with 'published_parameters' of "
        "630,167,424, which is the count with the tied table taken twice.",
        "The same with the count of the files, which hold the table once.",
    ),
    "V015": InWords(
        "A plan whose check asks that spot costs less than on demand, built with --as-of of a day "
        "on which no price of spot was known.",
        "The same plan built without --as-of, or of a day on which both were.",
    ),
    "Y015": InWords(
        "A line 'sft,1,done,1,200' below the header 'phase,seed,state,gpu_hours'.",
        "The line 'sft,1,done,1200'. A cell with a comma in it stands in quotes.",
    ),
    "Y016": InWords(
        "A book.lock of scalesheet 0.1.0, in a book that is read by scalesheet 0.2.0, whose rates "
        "have other prices.",
        "The same book after 'scalesheet lock', or with scalesheet 0.1.0.",
    ),
    "A001": InWords(
        "A line of 'actuals/slurm.csv' with the phase 'stf', in a plan whose phase is 'sft'.",
        "The same line with the phase 'sft'.",
    ),
    "A002": InWords(
        "A line of 'actuals/slurm.csv' with the state 'done', a start and an end, and no GPUs.",
        "The same line with 'gpus' 8, or with 'gpu_hours' 96.",
    ),
    "A003": InWords(
        "Two files of actuals that both have the run of seed 1 that began on 2026-09-01.",
        "One of them without that line.",
    ),
    "A004": InWords(
        "Four lines with the state 'done' and the runs 'a' to 'd', in a phase that the plan has "
        "once.",
        "The same lines with a 'share' of 0.25 each.",
    ),
    "M001": InWords(
        "A config.json that was cut off in the middle, or a list of several configurations.",
        "The config.json of one model, as it was published.",
    ),
    "M002": InWords(
        "A config.json whose 'model_type' is 'bert', or the misspelt 'lama'.",
        "One whose 'model_type' is 'llama'.",
    ),
    "M003": InWords(
        "A config.json of the type 'llama' without 'hidden_size'.",
        "The same with the line that was left out.",
    ),
    "M004": InWords(
        "A config.json that says 'num_hidden_layers: -1', or 4 heads over a width of 66.",
        "The same with 32 layers, and a width that the heads divide.",
    ),
    "M005": InWords(
        "A config.json of the type 'phi' with 'qk_layernorm: true', a norm with biases over each "
        "head, which model files cannot describe.",
        "The same type without that norm.",
    ),
    "P001": InWords(
        "A score.yaml that expects a median error factor of 1.3 for GPU hours, where held-out "
        "families are predicted within 1.4.",
        "The same with a median of 1.4, once the cause is understood.",
    ),
    "P002": InWords(
        "A row of 'runs/model-card.yaml' with other GPU hours than those that 'fits/runs.yaml' "
        "was fitted on.",
        "The same after 'scalesheet fit', which writes 'fits/runs.yaml' anew.",
    ),
    "P003": InWords(
        "A table of runs given to 'scalesheet law' in which all have 70M parameters.",
        "The same table with a run of 25M parameters.",
    ),
    "B001": InWords(
        "'scalesheet bench run smollm2-135m' where 'import torch' fails.",
        "The same after \"pip install 'scalesheet[bench]'\".",
    ),
    "B002": InWords(
        "'scalesheet bench run smollm2-135m --device cuda' on a machine without a GPU.",
        "The same with '--device cpu'.",
    ),
    "B003": InWords(
        "'scalesheet bench run llama-3-1-8b --batch 64' on an accelerator of 24 GB.",
        "'scalesheet bench run llama-3-1-8b --method qlora --checkpointing' there.",
    ),
    "B004": InWords(
        "'scalesheet bench run smollm2-135m --batch 512' on a machine whose memory others use too.",
        "The same with the batch that the message names.",
    ),
    "B005": InWords(
        "A model of the catalogue with an image tower, which no tokens pass.",
        "The text model that it was made from, or its own config.json.",
    ),
    "B006": InWords(
        "'--method qlora' where bitsandbytes is not installed.",
        "The same after 'pip install bitsandbytes', or '--method lora'.",
    ),
    "B007": InWords(
        "'--compile' on a machine without a compiler of C.",
        "The same without '--compile'.",
    ),
    "B008": InWords(
        "'scalesheet bench ladder --rates --write h100-sxm' on a machine with another GPU.",
        "The same with the id of that GPU.",
    ),
    "L001": InWords(
        "A source whose 'url' is a page that was taken down: its server answers 404.",
        "The same source with the address of the page's new place, or of a copy in an archive.",
    ),
    "L002": InWords(
        "A source on a server that answers 403 to everything except browsers, or answers too late.",
        "The same; the address was opened in a browser.",
    ),
    "L003": InWords(
        "A source whose server answers 301 and names another address.",
        "The same source with that address, and the 'accessed' of the day on which it was read.",
    ),
    "W001": InWords(
        "A workbook that was cut off on its way, an .ods file without LibreOffice, or "
        "40 kB that unpack to 4 GB.",
        "The same workbook, saved as .xlsx.",
    ),
    "W002": InWords(
        "A workbook of somebody's own, or one of a plan 'pilot' that was renamed to 'first'.",
        "A workbook from 'build/workbooks' of these data, edited.",
    ),
    "W003": InWords(
        "A workbook that was saved as .xlsm with a macro in it, or reads '[prices.xlsx]Sheet1!A1'.",
        "The same workbook as .xlsx, with the price itself in the cell.",
    ),
    "W004": InWords(
        "A workbook in which the row of 'batch_size' on Inputs was deleted.",
        "The same workbook with the row in its place.",
    ),
    "W005": InWords(
        "The text '12 hours' in the cell of 'hours', or an empty cell.",
        "The number 12, as the unit stands beside it.",
    ),
    "W006": InWords(
        "A total for which somebody wrote '=VLOOKUP(gpu,A1:C9,3,FALSE)'.",
        "The total as it was, or '=steps*hours_per_step*1.1'.",
    ),
    "W007": InWords(
        "A workbook that was shipped with 16 for 'batch_size' and says 32, where the data say 24.",
        "The same workbook with 24 in the cell, or with 32 after the data were set back.",
    ),
    "W008": InWords(
        "A new row of 'runs' with neither an id nor a title, or with the id of the row above.",
        "The same row with the id 'small-2' beside its title.",
    ),
    "W009": InWords(
        "A workbook in which the heading of a table was reworded and a sheet of notes was added.",
        "The same workbook as it was, beside a page of the plan that says so.",
    ),
    "X001": InWords(
        "A note of more than 32,767 characters, which is more than a spreadsheet's cell takes.",
        "A note of a few sentences, and the rest in the prose of the plan's page.",
    ),
    "X002": InWords(
        "A page in docs/ that links to 'prices.md', which does not exist.",
        "The same page with a link to a page that exists.",
    ),
    "I001": InWords(
        "A message that begins with 'internal error', and Python's own account of it.",
        "The result, or a diagnostic with its place.",
    ),
}


@cache
def example(code: str) -> Example | InWords:
    """The example of a known code."""
    if code in IN_WORDS:
        return IN_WORDS[code]
    file = resources.files("scalesheet") / "examples" / f"{code}.yaml"
    return read(file.read_text("utf-8"))


def read(text: str) -> Example:
    """An example from the text of its file."""
    match = _FILE.fullmatch(text)
    assert match is not None, text
    place, says, bad, good_place, good = match.groups()
    told = [
        Diagnostic(f"data/{place}", int(line), int(column), code, message)
        for line, column, code, message in _SAYS.findall(says)
    ]
    assert all(each.code in CODES for each in told), says
    return Example(place, bad, tuple(told), good_place.strip() or place, good)
