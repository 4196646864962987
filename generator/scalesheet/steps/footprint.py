"""Footprint: what a step of a job holds in the memory of one accelerator, counted and not fitted.

The peak is the largest of five moments: the loss is taken; it begins its way back; the last block
goes back, while all others still hold their activations; the first one does, when nearly all
gradients are there; the optimizer updates. At each the parts are formulas of the catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from scalesheet.book import Book
from scalesheet.predict.records import rows_of
from scalesheet.steps.blocks import (
    BLOCKS,
    architecture,
    bytes_of,
    kept,
    met,
    norm_bytes,
    products,
    unfused,
)
from scalesheet.steps.job import Job

#: Of gradients of the loss: one of the logarithm of the softmax, one of the logits, in 32 bits.
LOSS_BYTES = 8.0
LOGIT_BYTES = 4.0  # the logarithm of the softmax, which is held until then
ADAPTER_BYTES = 4.0  # PEFT keeps adapters in 32 bits
#: Bits of an NF4 weight with double quantisation are the defaults of its record.
BITS = {"fp32": 32.0, "fp16": 16.0, "bf16": 16.0}
GATHERED = 2.0  # layers that FSDP has whole at a time


def evaluated(book: Book, record: str, **given: float) -> float:
    """What a formula of the catalogue gives, in its declared unit."""
    arrays = {name: np.array([float(value)]) for name, value in given.items()}
    return float(rows_of(book, record, **arrays)[0])


@dataclass(frozen=True)
class Moment:
    """Bytes at a moment of a step beside weights and optimizer state."""

    name: str
    gradients: float
    activations: float
    working: float


class Footprint:
    """The memory of one accelerator in a step of a job, in bytes."""

    def __init__(self, book: Book, job: Job) -> None:
        self.book, self.job = book, job
        self.kind, self.remark = architecture(job.model)
        self.block, self.size = BLOCKS[self.kind], bytes_of(job)
        self.full = job.method == "full"
        self.products = products(self.kind, job.model)

    def _of(self, record: str, **given: float) -> float:
        return evaluated(self.book, record, **given)

    # -------------------------------------------------------------- parameters

    @cached_property
    def head(self) -> float:
        """Parameters of the output head, which may be the embedding's."""
        return float(self.job.model.vocab * self.job.model.hidden)

    @cached_property
    def outside(self) -> float:
        """Parameters outside of the blocks that are trained with them: tables."""
        model = self.job.model
        positions = float(model.more.get("positions") or 0)
        return self.head * (1 if model.tied else 2) + positions * model.hidden

    @cached_property
    def adapters(self) -> float:
        """Parameters of the adapters of one block."""
        if self.full:
            return 0.0
        return sum(
            self._of(
                "lora-matrix-parameters",
                rank=self.job.rank,
                width_in=wide_in,
                width_out=wide_out,
                matrices=1,
            )
            for wide_in, wide_out in self.products
        )

    @cached_property
    def per_block(self) -> float:
        """Trained parameters of a block."""
        if not self.full:
            return self.adapters
        return (self.job.model.parameters - self.outside) / self.job.model.layers

    @cached_property
    def trained(self) -> float:
        return self.job.model.parameters if self.full else self.adapters * self.job.model.layers

    def _trained_in(self, matrices: Sequence[tuple[int, int]]) -> float:
        """Trained parameters of some matrices of a block."""
        if self.full:
            return float(sum(a * b for a, b in matrices))
        return float(sum(self.job.rank * (a + b) for a, b in matrices))

    @cached_property
    def largest(self) -> float:
        """Parameters of the largest trained tensor."""
        if self.full:
            return max(self.head, *(float(a * b) for a, b in self.products))
        return float(self.job.rank * max(max(pair) for pair in self.products))

    # -------------------------------------------------------------- states

    @property
    def shards(self) -> float:
        return float(self.job.gpus) if self.job.strategy == "fsdp" else 1.0

    def _states(self, parameters: float, each: float) -> float:
        return self._of(
            "state-bytes",
            parameters=parameters,
            bytes_per_parameter=each,
            stage=3,
            sharded_from=1,
            shards=self.shards,
        )

    @cached_property
    def base(self) -> float:
        """Bytes of the model's own weights before they are divided."""
        model = self.job.model
        if self.job.weights == "nf4":
            packed = model.layers * sum(float(a * b) for a, b in self.products)
            bits = self._of("nf4-bits-per-parameter", bits=4)
            return self._of(
                "quantised-weight-bytes",
                quantised=packed,
                bits_per_parameter=bits,
                kept=model.parameters - packed,
                kept_bits=16,
            )
        bits = BITS[self.job.weights]
        return self._of("weight-bytes", parameters=model.parameters, bits_per_parameter=bits)

    @cached_property
    def weights(self) -> float:
        adapters = self._states(self.adapters * self.job.model.layers, ADAPTER_BYTES)
        return self.base / self.shards + adapters

    @property
    def gradient_bytes(self) -> float:
        """Of a trained parameter's gradient, and of each of its moments."""
        return float(self.size.weights) if self.full else ADAPTER_BYTES

    @cached_property
    def gradients(self) -> float:
        return self._states(self.trained, self.gradient_bytes)

    @cached_property
    def optimizer(self) -> float:
        each = self._of(
            "optimizer-bytes-per-parameter", moment_bytes=self.gradient_bytes, master_bytes=0
        )
        return self._states(self.trained, each)

    # -------------------------------------------------------------- activations

    @property
    def tokens(self) -> float:
        return float(self.job.batch * self.job.length)

    @cached_property
    def of_block(self) -> float:
        """What one block keeps where nothing is recomputed."""
        job, model, each = self.job, self.job.model, kept(self.kind, self.job)
        cast = 0.0
        if self.size.cast:
            own = sum(a * b for a, b in self.products) if self.size.weights == 4 else 0.0
            cast = self.size.products * (own + self.adapters)
        return self._of(
            "kept-block-bytes",
            batch=job.batch,
            length=job.length,
            hidden=model.hidden,
            query=model.heads * model.head_dim,
            key=model.kv_heads * model.head_dim,
            ffn=met(model),
            heads=model.heads,
            per_hidden=each.hidden,
            per_query=each.query,
            per_key=each.key,
            per_ffn=each.ffn,
            per_head=each.head,
            per_score=each.score,
            rank=job.rank,
            per_rank=each.rank,
            per_token=each.token,
            copies=cast,
        )

    @cached_property
    def boundary(self) -> float:
        """The input of a block."""
        return self.tokens * self.job.model.hidden * self.size.stream

    @cached_property
    def ends(self) -> float:
        """What is kept outside of the blocks. Nothing before the first adapter needs a gradient, so
        its norm keeps nothing, and what the last norm keeps stands in its place; with
        checkpointing PEFT asks for the gradient of the embeddings, which keeps them. Blocks that
        are recomputed hold the mask of attention that is not fused."""
        job, model, size = self.job, self.job.model, self.size
        rotary = 2 * size.stream * model.head_dim if not model.more.get("positions") else 0
        per_hidden = norm_bytes(self.kind, job)
        if self.full:
            per_hidden += size.products + (size.stream if self.kind == "bloom" else 0)
        elif not job.checkpointing:
            per_hidden = 0
        elif self.block.embedded:
            per_hidden += size.stream
        mask = size.stream * job.length if job.checkpointing and job.attention == "eager" else 0
        cast = size.cast and size.weights != size.products
        return self._of(
            "kept-ends-bytes",
            batch=job.batch,
            length=job.length,
            hidden=model.hidden,
            vocab=model.vocab,
            per_hidden=per_hidden,
            per_position=rotary,
            per_token=16 + mask,
            per_logit=LOGIT_BYTES + (size.products if self.block.cap else 0),
            copies=size.products * self.head if cast else 0,
        )

    @cached_property
    def activations(self) -> float:
        """What is held when the last forward pass of a step ends."""
        blocks = self._of(
            "held-activation-bytes",
            per_layer=self.of_block,
            boundary=self.boundary,
            layers=self.job.model.layers,
            recomputed=float(self.job.checkpointing),
        )
        return blocks + self.ends

    # -------------------------------------------------------------- moments

    def _at_work(self, **given: float) -> float:
        """Gradients of activations in a block that goes back, and what it recomputed for that."""
        job, model = self.job, self.job.model
        flowing = self._of(
            "block-gradient-bytes",
            batch=job.batch,
            length=job.length,
            hidden=model.hidden,
            ffn=met(model),
            heads=model.heads,
            stream=self.size.stream,
            **given,
        )
        return flowing + (self._recomputed if job.checkpointing else 0.0)

    @cached_property
    def _working(self) -> Mapping[str, tuple[float, float]]:
        """Parts of a block that go back: bytes at work, and parameters that have a gradient by
        then. Attention is told apart where it is not fused: its scores are the larger part."""
        size, each = self.size, kept(self.kind, self.job)
        gates = self.block.gates if self.full else max(2, self.block.gates)
        passed = norm_bytes(self.kind, self.job) if self.block.after else 0.0
        result = {
            "feed-forward layer": (
                self._at_work(per_ffn=gates * size.products, freed_hidden=passed),
                self._trained_in(self.products[-1:]),
            )
        }
        if unfused(self.job):
            copied = 2 if size.products == 2 and self.block.wide_softmax else 0
            query = self.job.model.heads * self.job.model.head_dim / self.job.model.hidden
            result["attention"] = (
                self._at_work(
                    per_ffn=0,
                    per_score=8 - copied,
                    freed_ffn=each.ffn,
                    freed_hidden=each.hidden / 2 + size.products * query,
                ),
                self._trained_in(self.products[-(4 if self.job.model.gated else 3) :]),
            )
        return result

    @cached_property
    def _recomputed(self) -> float:
        """What a block that is recomputed keeps, without its input where that is held anyway: a
        norm that reads it in 32 bits has a copy, unless it is in 32 bits itself."""
        own = self.block.norm == "layer" or self.size.stream == 4
        return self.of_block - (self.boundary if own else 0.0)

    @cached_property
    def _cast(self) -> float:
        """Weights in 16 bits that autocast has made and holds until the forward pass is over; where
        nothing is recomputed they are among the activations."""
        if not (self.job.checkpointing and self.size.cast):
            return 0.0
        own = self.adapters
        if self.full:
            own = float(sum(a * b for a, b in self.products))
        return self.size.products * own * self.job.model.layers

    @cached_property
    def _gathered(self) -> float:
        """Whole layers of FSDP with their gradients; buckets of DDP are the gradients."""
        if self.job.strategy != "fsdp":
            return 0.0
        return self._of(
            "exchange-buffer-bytes",
            trained=self.trained,
            gradient_bytes=self.gradient_bytes,
            own=self.base,
            layers=self.job.model.layers,
            at_once=GATHERED,
            stage=3,
            shards=self.job.gpus,
        )

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """With accumulation the gradients of passes before are there all the time, and a new one
        beside them until it is added; with DDP their buckets are. The gradient of a table that is
        both ends' waits for both."""
        job, each = self.job, self.gradient_bytes
        earlier = self.gradients if job.accumulation > 1 or job.strategy == "ddp" else 0.0
        tied = self.head * each if self.full and job.model.tied else 0.0
        head = self.head * each - tied if self.full else 0.0
        logits, loss = (
            self._of(
                "logit-bytes",
                batch=job.batch,
                length=job.length,
                vocab=job.model.vocab,
                bytes_per_logit=each_logit,
            )
            for each_logit in (LOGIT_BYTES, LOSS_BYTES)
        )
        narrow = self.size.products if self.size.products < LOGIT_BYTES else 0.0
        taken = logits * (1 + narrow / LOGIT_BYTES) + self._cast
        taken += self.boundary if self.size.cast else 0.0
        updated = self._of(
            "adamw-working-bytes",
            trained=self.trained / self.shards,
            largest=self.largest,
            bytes_per_parameter=each,
            together=0.0 if job.device == "cpu" else 1.0,
        )
        tables = self.outside * each if self.full else 0.0
        nearly = (self.trained - self.per_block) * each - tables + head
        first = self.boundary + (0.0 if job.checkpointing else self.of_block)
        largest = self._trained_in(self.products[-1:]) * each if earlier else 0.0
        listed = [
            Moment("end of the forward pass", earlier, self.activations, taken),
            Moment("loss", earlier, self.activations, loss),
            Moment("update", self.gradients, 0.0, updated),
        ]
        for part, (size, trained) in self._working.items():
            new, working = trained * each, size + tied + largest
            listed += [
                Moment(
                    f"last block's {part}",
                    earlier or (head + new) / self.shards,
                    self.activations - logits,
                    working,
                ),
                Moment(
                    f"first block's {part}", earlier or (nearly + new) / self.shards, first, working
                ),
            ]
        return tuple(replace(each, working=each.working + self._gathered) for each in listed)

    def at(self, moment: Moment) -> float:
        """All that there is at a moment."""
        return self._of(
            "memory-per-gpu",
            weights=self.weights,
            gradients=moment.gradients,
            optimizer=self.optimizer,
            activations=moment.activations,
            working=moment.working,
        )

    @cached_property
    def highest(self) -> Moment:
        """The moment of the peak."""
        return max(self.moments, key=self.at)

    @property
    def peak(self) -> float:
        return self.at(self.highest)

    @property
    def parts(self) -> Mapping[str, float]:
        """The figures of a record that are of memory, by their keys."""
        return {
            "peak_memory": self.peak,
            "weights_memory": self.weights,
            "gradients_memory": self.gradients,
            "optimizer_memory": self.optimizer,
            "activations_memory": self.activations,
            "working_memory": self.highest.working,
        }
