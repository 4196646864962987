"""Silences known messages that libraries print on every run, and disables downloads."""

from __future__ import annotations

import os
import warnings

#: Beginnings of warnings that require nothing of us.
KNOWN = (
    "`is_gradient_checkpointing` is deprecated",  # PEFT still reads it
    "`gradient_checkpointing_enable` is deprecated",  # the former name
)


def quiet() -> None:
    """Silence them; call this before the libraries are imported."""
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    for offline in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        os.environ[offline] = "1"
    for known in KNOWN:
        warnings.filterwarnings("ignore", message=known)
