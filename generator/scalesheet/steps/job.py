"""Job: the training step that is measured or simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from scalesheet.frozen import dataclass

Method = Literal["full", "LoRA", "QLoRA"]
Precision = Literal["fp32", "tf32", "fp16", "bf16"]
Attention = Literal["sdpa", "eager", "flash"]
Strategy = Literal["single", "ddp", "fsdp"]


@dataclass(frozen=True)
class Shape:
    """A model in numbers: a row of the catalogue, or from a `config.json`.

    `id` is empty if the catalogue lacks the model. `config` is the Hugging Face configuration that
    it came from, if any; the model is then built from that.
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
    #: The other cells of the model's row, as in `model.schema.json`: biases, norms, positions,
    #: experts, ...; only what is stated.
    more: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Job:
    """A step of AdamW and its hardware. A step is `accumulation` passes on each of `gpus`."""

    model: Shape
    accelerator: str  # its id in the catalogue
    device: str = "cpu"  # PyTorch's device type: cpu, cuda, xpu, mps
    gpus: int = 1
    strategy: Strategy = "single"
    method: Method = "full"
    precision: Precision = "bf16"  # format of matrix products
    weights: Literal["fp32", "fp16", "bf16", "nf4"] = "fp32"  # format in which weights are stored
    batch: int = 1  # sequences in a pass on one accelerator: the micro-batch
    accumulation: int = 1
    length: int = 1024  # tokens of a sequence
    checkpointing: bool = False
    attention: Attention = "sdpa"
    compiled: bool = False
    rank: int = 8  # of LoRA adapters, on all linear layers of the blocks
    hardware: str = ""  # the accelerator's title, if it is in the catalogue

    @property
    def sequences(self) -> int:
        """Sequences in a step, over all accelerators."""
        return self.batch * self.accumulation * self.gpus

    @property
    def tokens(self) -> int:
        """Tokens in a step, over all accelerators."""
        return self.sequences * self.length


@dataclass(frozen=True)
class Effort:
    """How long to measure: until the mean step time is known well enough, within these bounds."""

    precise: float = 0.02  # half-width of the mean's 95 % interval, relative to the mean
    warmup: int = 3  # steps not counted
    at_least: int = 8  # steps counted
    at_most: int = 200
    seconds: float = 300.0  # no further step begins after this
    workers: int = 0  # processes that make batches; 0: the training process itself
    memory: float | None = None  # limit in bytes, if less than available
    profile: bool = False  # write the profiler's results beside the report
    seed: int = 0
