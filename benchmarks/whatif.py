"""A change in a plan's page: recomputing what depends on it, compared with sorting in the same
engine.

It uses the largest plan of the book, and one with ten times its computed cells. Each numeric input
is changed in turn; the mean over all and the slowest count.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from benchmarks.measure import ROOT, Ratio, report, run, workspace
from benchmarks.synthetic import COLUMNS, lay
from scalesheet.book import Book
from scalesheet.examine import compile_book
from scalesheet.model import Plan
from scalesheet.render.script import program, runtime

TIMES = 10  # times as large as the book's largest plan
SORTED = 50_000  # numbers: sorting them takes about as long as a frame on screen
LIMIT, LIMIT_OF_TEN = 1.0, 5.0

#: The best seconds of processor time for sorting, and for each change.
SCRIPT = """
  const plan = Object.values(scalesheet.plans)[0];
  const spent = (call) => {
    const start = process.cpuUsage();
    call();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  };
  const best = (times, call) => Math.min(...Array.from({ length: times }, () => spent(call)));
  let seed = 1;
  const numbers = Array.from({ length: SORTED }, () => (seed = (seed * 48271) % 2147483647));
  const machine = scalesheet.runtime.machine(plan, plan.inputs);
  const { scalars } = plan.inputs;
  const names = Object.keys(scalars).filter((name) => typeof scalars[name] === "number");
  const change = (name) => {
    const other = { ...plan.inputs, scalars: { ...scalars, [name]: scalars[name] * 2 || 1 } };
    machine.set(other);
    machine.set(plan.inputs);
  };
  for (const name of names) change(name);
  const sorting = best(20, () => Float64Array.from(numbers).sort());
  const changes = names.map((name) => best(5, () => change(name)) / 2);
  const mean = changes.reduce((sum, each) => sum + each, 0) / changes.length;
  console.log(JSON.stringify({ sorting, mean, most: Math.max(...changes), inputs: names.length }));
"""


def measure() -> list[Ratio]:
    """Run both plans, each in a process of its own."""
    book = compile_book(ROOT / "data")
    plan = max(book.plans.values(), key=cells)
    found = changed(book, plan)
    rows = TIMES * cells(plan) // len(COLUMNS)
    with workspace() as folder:
        wide = compile_book(lay(folder, plans=1, rows=rows))
    ten = next(iter(wide.plans.values()))
    other = changed(wide, ten)
    return [
        _ratio(f"a change / sorting, {plan.id}", plan, found, LIMIT),
        _ratio(f"a change / sorting, {TIMES} times as large", ten, other, LIMIT_OF_TEN),
    ]


def cells(plan: Plan) -> int:
    """The number of computed cells of a plan."""
    columns = [(t, c) for t in plan.tables.values() for c in t.columns.values()]
    of_tables = sum(len(t.rows) - len(c.stated) for t, c in columns if c.formula or c.own)
    return of_tables + sum(scalar.formula is not None for scalar in plan.scalars.values())


def changed(book: Book, plan: Plan) -> dict[str, float]:
    """Node's measurements for a plan."""
    node = shutil.which("node")
    assert node, "node is needed"
    text = SCRIPT.replace("SORTED", str(SORTED))
    with workspace() as folder:
        script = Path(folder) / "whatif.js"
        script.write_text("\n".join([runtime(), program(plan, book), text]), "utf-8")
        found: dict[str, float] = json.loads(run([node, script]).said)
    return found


def _ratio(name: str, plan: Plan, found: dict[str, float], limit: float) -> Ratio:
    detail = (
        f"{cells(plan):,} computed cells: {found['mean'] * 1000:.2f} ms, at most "
        f"{found['most'] * 1000:.2f} ms, over {found['inputs']:.0f} inputs; "
        f"sorting {SORTED:,} numbers {found['sorting'] * 1000:.1f} ms"
    )
    return Ratio(name, found["mean"] / found["sorting"], limit, detail)


if __name__ == "__main__":
    raise SystemExit(report("whatif", measure()))
