"""The closed classes of words that data, search, pages and scripts share."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scalesheet.frozen import dataclass

#: The plan with the arithmetic of one configuration.
CALCULATOR = "calculator"


@dataclass(frozen=True, slots=True)
class Method:
    """A training method, by its name in each place."""

    plan: str  # in plans
    title: str  # on pages
    case: str  # in cases of predictions
    record: str = ""  # in measurements; empty if `bench` does not measure it
    trainer: str = "general"  # the default
    good_for: str = ""  # compared with others that do the same job


#: By their names on the command line and in published runs.
METHODS: Mapping[str, Method] = {
    "pretrain": Method("pretraining", "Pretraining", "pretrain", trainer="tuned"),
    "full": Method(
        "full fine-tuning",
        "Full fine-tuning",
        "finetune-full",
        "full",
        good_for="trains every weight: for much data or new skills; each result is a whole model",
    ),
    "lora": Method(
        "LoRA",
        "LoRA",
        "finetune-lora",
        "LoRA",
        good_for="trains small adapters: for one task or style; one model can swap adapters",
    ),
    "qlora": Method(
        "QLoRA",
        "QLoRA",
        "finetune-qlora",
        "QLoRA",
        good_for="LoRA on 4-bit weights: for when memory is short; each step is slower",
    ),
}
PRETRAINING = METHODS["pretrain"].plan
#: The methods of fine-tuning.
TUNING = tuple(name for name, method in METHODS.items() if method.record)
RECORDED = tuple(METHODS[name].record for name in TUNING)
TRAINERS = ("general", "tuned")
#: Terms of an offer, with their titles.
TERMS: Mapping[str, str] = {"on-demand": "on demand", "spot": "spot", "reserved": "reserved"}
#: Formats for arithmetic and for stored weights.
PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "fp8", "nf4")
WEIGHTS_PRECISIONS = ("fp32", "fp16", "bf16", "nf4")
#: Whether memory is enough: for the high end of the range, for the expected value, only for the low
#: end, or not even that.
VERDICTS = ("fits", "probably fits", "probably does not fit", "does not fit")
#: Former names of memory verdicts, which plans may still use.
OLD_VERDICTS = ("tight", "may not fit")
#: The roles by which the front page and `choose` find figures of a plan, with their meanings.
ROLES: Mapping[str, str] = {
    "verdict": "the word fits, probably fits, probably does not fit, does not fit or cannot run",
    "broken": "the number of conditions that the layout breaks",
    "hours": "the hours that the run takes",
    "calendar_time": "the days that the run takes",
    "elapsed_hours": "the hours of the run with start-up",
    "cost": "the cost of the run",
    "energy": "the energy of the run",
    "needed_memory": "the memory that an accelerator is expected to need",
    "most_memory": "the upper limit (99 %) of the memory that a run needs",
    "usable_memory": "the usable memory of an accelerator",
    "run_hours": "the expected GPU hours of the whole run, without range",
    "gross_gpu_hours": "the GPU hours of the whole run",
    "net_gpu_hours": "the GPU hours of the steps alone",
    "throughput": "the tokens per unit of time",
    "utilisation": "the utilization (MFU)",
    "step_time": "the time of a step",
    "micro_batches": "the number of micro-batches of a replica in a step",
    "trained_tokens": "the tokens of all epochs",
    "usual_batch": "the default batch for pretraining",
}
#: Formats of matrix products, in the words of plans.
PRODUCTS = ("16 bit", "FP8")
#: What may be offloaded to host memory, least first.
OFFLOADS = ("none", "states", "states and weights")
#: The layouts to try, simpler ones first; tensor parallelism stays within a node.
AXES: Mapping[str, tuple[int, ...] | tuple[str, ...]] = {
    "stage": (0, 1, 2, 3),
    "tensor": (1, 2, 4, 8),
    "pipeline": (1, 2, 4, 8, 16),
    "experts": (1, 8, 64),
    "micro_batch": (1, 2, 4, 8, 16, 32, 64),
    "checkpointing": ("none", "full"),
}
#: Context-parallel degrees that `choose` also tries, if each part has at least this many tokens.
CONTEXTS, LEAST_PART = (1, 2, 4, 8), 8192


_CHIP = re.compile(r"(?:[a-z]+-)*[a-z]*[0-9][a-z0-9]*")


def chip(accelerator: str) -> str:
    """An accelerator's chip by its id, whatever its memory or form: `a100` of `a100-sxm-80gb`."""
    found = _CHIP.match(accelerator)
    return (found[0] if found else accelerator).replace("-", "_")


def counted(number: int, thing: str, things: str | None = None) -> str:
    """`1 run`, `3 runs`, `2 addresses` if the plural is given."""
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def gpu_hours(hours: float) -> str:
    """`0.6 GPU hours`, `1 GPU hour`, `12,300 GPU hours`: below 10 with two digits."""
    shown = f"{hours:.2g}" if abs(hours) < 9.95 else f"{hours:,.0f}"
    return f"{shown} GPU hour{'' if shown == '1' else 's'}"


_CAPITALS = "cpu cuda flop fp8 gpu kl kv mfu nic oom pue ram rft rl sft usd"
#: Words of names that are not simply capitalized in titles.
_WRITTEN = {word: word.upper() for word in _CAPITALS.split()}
_WRITTEN |= {"cpus": "CPUs", "gpus": "GPUs", "lora": "LoRA", "qlora": "QLoRA"}


def title_of(name: str) -> str:
    """A title made from a name or an id: `GPU hours` for `gpu_hours`."""
    words = re.split(r"[-_. ]", name)
    first, *rest = (_WRITTEN.get(word, word) for word in words)
    return " ".join((first if words[0] in _WRITTEN else first.capitalize(), *rest))
