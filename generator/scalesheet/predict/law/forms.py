"""The forms that a loss law may have, each with its prior.

All are special cases of `joint-power-loss`: in Chinchilla's form the joint exponent is 1; Kaplan's
has no floor, and its joint exponent equals that of data. Coefficients are the loss that size or
data alone leaves at the reference point; all but the floor are fitted as logarithms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Array
from scalesheet.predict.fits import coefficients
from scalesheet.predict.loss import PARAMETERS, SHAPE, TOKENS
from scalesheet.predict.loss.fit import joint_power, joint_power_alone
from scalesheet.predict.records import assumed, defaults, rows_of

ALONE = ("size", "data", "alpha", "beta")
WITHOUT_END = 1e300  # parameters or tokens that make their term vanish
#: Published laws of Chinchilla's form, with the names of their exponents.
ADDED = {
    "chinchilla-loss": ("alpha", "beta"),
    "chinchilla-loss-refitted": ("alpha", "beta"),
    "data-constrained-loss": ("alpha", "alpha"),
}


@dataclass(frozen=True)
class Form:
    """A form and its prior: `free` names the fitted coefficients, with means and deviations."""

    name: str
    title: str
    free: tuple[str, ...]
    mean: Array
    unsure: Array
    noise: float  # nat, assumed scatter of a run around the law; weighs as much as `counts` runs
    counts: float

    def coefficients(self, found: Array) -> dict[str, float]:
        """The coefficients of `joint-power-loss`."""
        named = dict(zip(self.free, found.tolist(), strict=True))
        out = {name: float(np.exp(named[name])) for name in ALONE}
        joint = np.exp(named["joint"]) if "joint" in named else 1.0
        return {
            **out,
            "joint": float(joint) if "floor" in named else out["beta"],
            "floor": named.get("floor", 0.0),
        }

    def curve(self, found: Array, x: Array, y: Array) -> tuple[Array, Array]:
        """The loss at logarithms of size and data over the reference, and its slopes."""
        logs, floor = self._joint(found)
        law, slopes = joint_power(logs, x, y)
        if floor is None:  # the joint exponent is that of data
            slopes[:, 3] += slopes[:, 4]
            return law, slopes[:, :4]
        by_floor = np.ones(len(x))
        return law + floor, np.column_stack([slopes[:, : len(self.free) - 1], by_floor])

    def loss(self, found: Array, x: Array, y: Array) -> Array:
        """The same without the slopes, in half the time."""
        logs, floor = self._joint(found)
        law = joint_power_alone(logs, x, y)
        return law if floor is None else law + floor

    def _joint(self, found: Array) -> tuple[Array, float | None]:
        """The logarithms of the coefficients of the joint law, and its floor if it has one."""
        own = dict(zip(self.free, found, strict=True))
        joint = own.get("joint", 0.0 if "floor" in own else own["beta"])
        return np.array([*found[:4], joint]), own.get("floor")

    def shifted(self, x: Array, y: Array, loss: Array) -> Array:
        """The prior's means, with the floor fitted to the runs."""
        if "floor" not in self.free:
            return self.mean
        gap = float(np.median(loss - self.loss(self.mean, x, y)))
        return self.mean + gap * np.array([float(name == "floor") for name in self.free])


def forms(book: Book, shape: Mapping[str, float] | None = None) -> tuple[Form, ...]:
    """The forms that the book has formulas for. `shape` replaces stored general coefficients."""
    known = shape or coefficients(book, "loss")
    out = []

    def add(name: str, title: str, free: Sequence[str], mean: Sequence[float], of: str) -> None:
        usual = assumed(book)
        unsure = [usual[f"{'own' if each == 'floor' else of}-{each}-deviation"] for each in free]
        scatter = usual["own-scatter"], usual["own-scatter-runs"]
        out.append(Form(name, title, tuple(free), np.array(mean), np.array(unsure), *scatter))

    if all(name in known for name in SHAPE):
        mean = [np.log(known[name]) for name in SHAPE]
        floor = known.get("offset_elsewhere", coefficients(book, "loss").get("offset_elsewhere"))
        add("joint", "joint power law", (*SHAPE, "floor"), [*mean, floor or 0.0], "loss")
    if published := [_added(book, name, *of) for name, of in ADDED.items() if name in book.records]:
        mean = np.mean(published, axis=0).tolist()
        add("chinchilla", "Chinchilla's form", (*ALONE, "floor"), mean, "own")
    if "kaplan-loss" in book.records:
        stated = defaults(book, "kaplan-loss")
        alone = [*_alone(book, "kaplan-loss"), stated["alpha"], stated["beta"]]
        add("kaplan", "Kaplan's form", ALONE, np.log(alone).tolist(), "own")
    return tuple(out)


def _added(book: Book, record: str, alpha: str, beta: str) -> list[float]:
    """Log coefficients of a published law of Chinchilla's form, and its floor."""
    stated = defaults(book, record)
    alone = [*_alone(book, record, floor=0.0), stated[alpha], stated[beta]]
    return [*np.log(alone).tolist(), stated["floor"]]


def _alone(book: Book, record: str, **more: float) -> tuple[float, float]:
    """The loss that size alone and data alone leave at the reference point."""
    points = np.array([PARAMETERS, WITHOUT_END]), np.array([WITHOUT_END, TOKENS])
    size, data = rows_of(book, record, parameters=points[0], tokens=points[1], **more).tolist()
    return size, data
