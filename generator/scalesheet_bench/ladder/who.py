"""Identifies the device of this machine, in a process that asks PyTorch and prints a JSON line.

    python -m scalesheet_bench.ladder.who cuda

Without a kind, it is the accelerator that PyTorch sees, or else the processor.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict

from scalesheet.steps.faults import NoDevice


def main() -> None:
    text = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is not part of the answer
    kind = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        import torch
    except ImportError as fault:
        answer: dict[str, object] = {"no_torch": str(fault)}
    else:
        from scalesheet_bench.ladder.accelerator import here

        seen = torch.accelerator.is_available() and torch.accelerator.current_accelerator()
        try:
            answer = {"device": asdict(here(kind or (seen.type if seen else "cpu")).device)}
        except NoDevice as fault:
            answer = {"no_device": str(fault)}
    text.write(json.dumps(answer) + "\n")
    text.flush()


if __name__ == "__main__":
    main()
