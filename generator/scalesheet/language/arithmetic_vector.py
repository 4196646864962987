"""The arithmetic of `arithmetic` on numpy arrays: elementwise, the same results to the last bit.

    from scalesheet.language import arithmetic_vector as vector

Arguments are float arrays (or floats, which broadcast); results are new arrays. Functions whose
last bits differ between numpy and `math` go through the scalar one, number by number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalesheet.language import arithmetic as scalar
from scalesheet.language.arithmetic import EQUAL_WITHIN, ROUNDING_SLACK

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


MANY = 1000  # elements above which equal ones are computed once


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _one_by_one(function: Callable[..., float], *arrays: ArrayLike) -> Floats:
    """The scalar function on each element; with many elements, once per distinct element."""
    given = [_floats(array) for array in arrays]
    if len(varying := [n for n, each in enumerate(given) if each.size > MANY]) == 1:
        (n,) = varying
        # by their bits, since -0.0 equals 0.0, and nan equals nothing
        bits, places = np.unique(given[n].ravel().view(np.int64), return_inverse=True)
        if 2 * bits.size < given[n].size and all(e.size == 1 for e in given if e is not given[n]):
            alone = [each.ravel() for each in given]
            alone[n] = bits.view(np.float64)
            return _one_by_one(function, *alone)[places].reshape(given[n].shape)
    together = np.broadcast_arrays(*given)
    numbers = (array.ravel().tolist() for array in together)
    flat = np.fromiter(map(function, *numbers), dtype=np.float64, count=together[0].size)
    return flat.reshape(together[0].shape)


def _of_math(
    plain: Callable[..., float], function: Callable[..., float], *arrays: ArrayLike
) -> Floats:
    """The scalar function on each element. The plain function from `math` is faster, but raises an
    error for some elements; then the scalar function is used.
    """
    try:
        return _one_by_one(plain, *arrays)
    except (ValueError, OverflowError):
        return _one_by_one(function, *arrays)


def totals(columns: Floats) -> Floats:
    """The sum of each column, rounded once; with many columns, rounded as numpy adds."""
    if columns.shape[1] > MANY:
        added: Floats = columns.sum(axis=0)
        return added
    return np.array([scalar.total(column.tolist()) for column in columns.T])


def _gap(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    """The difference, and the smallest difference that counts as one."""
    left, right = _floats(a), _floats(b)
    with np.errstate(all="ignore"):
        return left - right, EQUAL_WITHIN * (np.abs(left) + np.abs(right))


def equal(a: ArrayLike, b: ArrayLike) -> Flags:
    gap, least = _gap(a, b)
    return np.abs(gap) <= least


def differ(a: ArrayLike, b: ArrayLike) -> Flags:
    gap, least = _gap(a, b)
    return np.abs(gap) > least


def less(a: ArrayLike, b: ArrayLike) -> Flags:
    gap, least = _gap(a, b)
    return gap < -least


def at_most(a: ArrayLike, b: ArrayLike) -> Flags:
    gap, least = _gap(a, b)
    return gap <= least


def greater(a: ArrayLike, b: ArrayLike) -> Flags:
    gap, least = _gap(a, b)
    return gap > least


def at_least(a: ArrayLike, b: ArrayLike) -> Flags:
    gap, least = _gap(a, b)
    return gap >= -least


def floor(x: ArrayLike) -> Floats:
    """The largest whole number up to each, within the slack; nan where x is not finite."""
    with np.errstate(all="ignore"):
        values = np.where(np.isfinite(x), _floats(x), np.nan)
        least = np.floor(values + np.abs(values) * ROUNDING_SLACK)
        return _floats(np.minimum(np.ceil(values), least) + 0.0)


def ceil(x: ArrayLike) -> Floats:
    """The smallest whole number from each up, within the slack; nan where x is not finite."""
    with np.errstate(all="ignore"):
        values = np.where(np.isfinite(x), _floats(x), np.nan)
        most = -np.floor(-(values - np.abs(values) * ROUNDING_SLACK))
        return _floats(np.maximum(np.floor(values), most) + 0.0)


def round(x: ArrayLike, decimals: int = 0) -> Floats:
    return _one_by_one(lambda number: scalar.round(number, decimals), x)


def workday(day: ArrayLike, count: ArrayLike, *rest: ArrayLike | str) -> Floats:
    plain = [each if isinstance(each, str) else _floats(each).tolist() for each in rest]
    return _one_by_one(lambda one, many: scalar.workday(one, many, *plain), day, count)


def power(base: ArrayLike, exponent: ArrayLike) -> Floats:
    one, other = _floats(base), _floats(exponent)
    with np.errstate(all="ignore"):
        raised = np.float_power(one, other)  # C's function, as in `math`; `np.power` has its own
        return np.where((one == 0) & (other <= 0), np.nan, raised)


def divide(a: ArrayLike, b: ArrayLike) -> Floats:
    """a / b; nan where b is 0."""
    with np.errstate(all="ignore"):
        divisor = _floats(b)
        return _floats(np.where(divisor == 0, np.nan, _floats(a) / divisor))


def sqrt(x: ArrayLike) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.sqrt(_floats(x))


def exp(x: ArrayLike) -> Floats:
    return _of_math(math.exp, scalar.exp, x)


def ln(x: ArrayLike) -> Floats:
    return _of_math(math.log, scalar.ln, x)


def log10(x: ArrayLike) -> Floats:
    return _of_math(math.log10, scalar.log10, x)


def abs(x: ArrayLike) -> Floats:
    return np.abs(_floats(x))


def total(*arrays: ArrayLike) -> Floats:
    """Sums across arrays, element by element, each rounded once."""
    return _one_by_one(lambda *numbers: scalar.total(numbers), *arrays)


def mean(*arrays: ArrayLike) -> Floats:
    """Means across arrays, element by element."""
    return _one_by_one(lambda *numbers: scalar.mean(numbers), *arrays)


def min(*arrays: ArrayLike) -> Floats:
    """The smallest across arrays, element by element; nan where one is nan."""
    return _fold(np.minimum, arrays)


def max(*arrays: ArrayLike) -> Floats:
    """The largest across arrays, element by element; nan where one is nan."""
    return _fold(np.maximum, arrays)


def _fold(function: Callable[[Any, Any], Any], arrays: tuple[ArrayLike, ...]) -> Floats:
    result = _floats(arrays[0]).copy()
    for array in arrays[1:]:
        result = _floats(function(result, _floats(array)))
    return result
