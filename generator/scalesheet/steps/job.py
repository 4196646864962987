"""Job: the training step that is measured or simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Method = Literal["full", "LoRA", "QLoRA"]
Precision = Literal["fp32", "tf32", "fp16", "bf16"]
Attention = Literal["sdpa", "eager", "flash"]
Strategy = Literal["single", "ddp", "fsdp"]


@dataclass(frozen=True)
class Shape:
    """A model in numbers: a row of the catalogue, or what a `config.json` says.

    `id` is empty where the catalogue lacks the model. `config` is the Hugging Face configuration
    that it came from, if it did; the model is then built from that.
    """

    id: str
    title: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocab: int
    tied: bool
    gated: bool
    parameters: float
    active_parameters: float
    #: The other cells of the model's row: biases, norms, positions, experts, ..., as in
    #: `model.schema.json`; what is not stated is left out.
    more: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Job:
    """A step of AdamW and what it runs on. A step is `accumulation` passes on each of `gpus`."""

    model: Shape
    accelerator: str  # its id in the catalogue
    device: str = "cpu"  # PyTorch's name of its kind: cpu, cuda, xpu, mps
    gpus: int = 1
    strategy: Strategy = "single"
    method: Method = "full"
    precision: Precision = "bf16"  # what products are computed in
    weights: Literal["fp32", "fp16", "bf16", "nf4"] = "fp32"  # what weights are kept in
    batch: int = 1  # sequences in a pass on one accelerator: the micro-batch
    accumulation: int = 1
    length: int = 1024  # tokens of a sequence
    checkpointing: bool = False
    attention: Attention = "sdpa"
    compiled: bool = False
    rank: int = 8  # of adapters, on all linear layers of the blocks

    @property
    def sequences(self) -> int:
        """Sequences of a step, all accelerators together."""
        return self.batch * self.accumulation * self.gpus

    @property
    def tokens(self) -> int:
        """Tokens of a step, all accelerators together."""
        return self.sequences * self.length


@dataclass(frozen=True)
class Effort:
    """How long is measured: until the mean of the step time is known, within these bounds."""

    precise: float = 0.02  # half of the 95 % interval of the mean, over the mean
    warmup: int = 3  # steps that are not counted
    at_least: int = 8  # steps that are
    at_most: int = 200
    seconds: float = 300.0  # after which no further step begins
    workers: int = 0  # processes that make batches; 0: the training process itself
    memory: float | None = None  # bytes that the run may take, where less than there is
    profile: bool = False  # the profiler's view, written beside the report
    seed: int = 0
