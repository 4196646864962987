"""Quiet: silences, by name, what the libraries are known to say on every run, and downloads."""

from __future__ import annotations

import os
import warnings

#: Beginnings of warnings that ask nothing of us.
KNOWN = (
    "`is_gradient_checkpointing` is deprecated",  # which PEFT still reads
    "`gradient_checkpointing_enable` is deprecated",  # its name before
)


def quiet() -> None:
    """To be called before the libraries are imported."""
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    for offline in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        os.environ[offline] = "1"
    for known in KNOWN:
        warnings.filterwarnings("ignore", message=known)
