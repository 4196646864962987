"""How sure results are, in the words that all faces share."""

from __future__ import annotations

from scalesheet.sure.draws import Unknown

MEMBERS = 2  # of a group that are named


def called(unknown: Unknown) -> str:
    """What an unknown is called: its members, as many as are read."""
    titles = tuple(dict.fromkeys(unknown.titles))
    shown = ", ".join(titles[:MEMBERS])
    more = f" and {len(titles) - MEMBERS} more" if len(titles) > MEMBERS else ""
    return ("predicted: " if unknown.made else "") + shown + more


def chance(share: float) -> str:
    """Never certain where a draw says otherwise."""
    shown = f"{share:.1%}"
    if 0 < share < 1 and shown in ("100.0%", "0.0%"):
        return "more than 99.9%" if share > 0.5 else "less than 0.1%"
    return shown


def hundred(share: float) -> str:
    """How many of 100."""
    count = round(100 * share)
    if count in (0, 100) and 0 < share < 1:
        return "more than 99" if count else "less than 1"
    return str(count)
