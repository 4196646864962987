"""A record of a measured run, and the units that it needs beyond those of the minimal book."""

from small import MINIMAL

RUN = """\
title: A run
how: measured
date: 2026-11-20
source: {key: a-paper, locator: table 2}
accelerator: card
accelerators: {value: 1, unit: GPU}
model: tiny
batch_size: {value: 8, unit: sequence / step}
sequence_length: {value: 128, unit: token / sequence}
step_time: {value: 0.5, unit: second / step}
samples_per_second: {value: 16, unit: sequence / second}
peak_memory: {value: 6, unit: GB}
"""
PLACE = "measurements/a-run.yaml"
UNITS = (MINIMAL / "units.yaml").read_text("utf-8") + (
    "  sequence: {dimension: sequence, symbol: seq, title: sequence, counted: yes}\n"
    "  GFLOP: {is: 1e9 * FLOP, symbol: GFLOP, title: gigaFLOP}\n"
)
