"""vocabulary: the closed classes of words that data, search, pages and scripts share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Method:
    """A way to train, as each place says it."""

    plan: str  # a plan's word for it
    title: str
    case: str  # in the cases of predictions
    record: str = ""  # in measurements, where it is measured
    trainer: str = "general"  # that it is usually done with


#: By what the command line and published runs call them.
METHODS: Mapping[str, Method] = {
    "pretrain": Method("pretraining", "Pretraining", "pretrain", trainer="tuned"),
    "full": Method("full fine-tuning", "Full fine-tuning", "finetune-full", "full"),
    "lora": Method("LoRA", "LoRA", "finetune-lora", "LoRA"),
    "qlora": Method("QLoRA", "QLoRA", "finetune-qlora", "QLoRA"),
}
PRETRAINING = METHODS["pretrain"].plan
#: What fine-tuning may be done by where the method is left open.
TUNING = tuple(name for name, method in METHODS.items() if method.record)
RECORDED = tuple(METHODS[name].record for name in TUNING)
TRAINERS = ("general", "tuned")
#: How accelerators are rented, with its title.
TERMS: Mapping[str, str] = {"on-demand": "on demand", "spot": "spot", "reserved": "reserved"}
#: What a step computes in, and what it keeps weights in.
PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "fp8", "nf4")
WEIGHTS_PRECISIONS = ("fp32", "fp16", "bf16", "nf4")
#: What is tried of a layout, the plainer first; tensor parallelism stays within a node.
AXES: Mapping[str, tuple[int, ...] | tuple[str, ...]] = {
    "stage": (0, 1, 2, 3),
    "tensor": (1, 2, 4, 8),
    "pipeline": (1, 2, 4, 8, 16),
    "micro_batch": (1, 2, 4, 8, 16, 32, 64),
    "checkpointing": ("none", "full"),
}


def method_of(plan: str) -> str:
    """The method that a plan's word stands for."""
    return next(name for name, method in METHODS.items() if method.plan == plan)
