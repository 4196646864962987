"""Batches of random tokens from a seeded generator, as from a data loader."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import DataLoader

from scalesheet.steps.job import Effort, Job


class Sequences:
    """Sequences of random tokens, each made when it is requested."""

    def __init__(self, vocab: int, length: int, count: int, first: int) -> None:
        self.vocab = vocab
        self.length = length
        self.count = count
        self.first = first  # the seed of the first

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, place: int) -> Any:
        if place >= self.count:
            raise IndexError(place)
        generator = torch.Generator().manual_seed(self.first + place)
        return torch.randint(self.vocab, (self.length,), generator=generator)


def loader(job: Job, effort: Effort, rank: int) -> Iterator[Any]:
    """Yield batches without end, made by `effort.workers` processes, no two alike."""
    count = job.batch * job.accumulation * (effort.at_most + effort.warmup + 8)
    first = (effort.seed * job.gpus + rank) * count
    while True:
        data = Sequences(job.model.vocab, job.length, count, first)
        yield from DataLoader(
            data,
            batch_size=job.batch,
            num_workers=effort.workers,
            pin_memory=job.device == "cuda",
            drop_last=True,
        )
        first += job.gpus * count


def making_time(job: Job, effort: Effort, tries: int = 5) -> float:
    """Seconds to make the batches of a step, in one process without other load: the median of a few
    tries."""
    count = job.batch * job.accumulation
    taken = []
    for start in range(tries):
        data = Sequences(job.model.vocab, job.length, count, effort.seed + start * count)
        began = time.perf_counter()
        for _ in DataLoader(data, batch_size=job.batch):
            pass
        taken.append(time.perf_counter() - began)
    return sorted(taken)[tries // 2]
