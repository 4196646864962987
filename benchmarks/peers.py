"""Compare two other estimators of training speed with our throughput predictions, on the same rows.

Each program gets a row as our fit sees it: architecture, layout, micro-batch, recomputation, and
the accelerator's peak, memory and links from the catalogue. Our predictions leave out the row's
family. llm-analysis needs the utilization of matrix products; it gets the value with the smallest
median error over these rows, which favors it. Calculon has its own efficiencies and systems (A100
and H100), so it gets only rows on these accelerators. Rows that a program cannot express are left
out: mixtures, adapters and context parallelism, and for Calculon also FP8. Calculon lacks ZeRO-3:
it is scored without those rows, and again with ZeRO-1 in their place.

    pip install --no-deps llm-analysis==0.2.2 fire termcolor
    git clone https://github.com/calculon-ai/calculon
    PYTHONPATH=calculon python -m benchmarks.peers --systems calculon/systems
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import ROOT
from scalesheet.examine import compile_book
from scalesheet.predict.arrays import Array, Flags
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import known
from scalesheet.predict.score import TaskScore, score_of

SHARES = np.arange(0.2, 0.81, 0.02)
#: Calculon's system file for each accelerator.
SYSTEMS = {"a100-sxm-80gb": "a100_80g", "a100-sxm-40gb": "a100_80g", "h100-sxm": "h100_80g_nvl8"}
#: What a row must state, or our own prediction assumed.
NEEDED = ("layers", "hidden", "heads", "ffn", "vocab", "sequence", "micro_batch", "gpus", "peak")

Asked = Callable[[Cases, float], float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", type=Path, required=True, help="the systems of Calculon")
    systems = {
        row: json.loads((parser.parse_args().systems / f"{file}.json").read_text())
        for row, file in SYSTEMS.items()
    }
    book = compile_book(ROOT / "data")
    score = score_of(book, "throughput", known(book))
    assert score is not None
    dense = _dense(score)
    print("$ python -m benchmarks.peers")
    for name, asked, rows, shares in (
        ("llm-analysis 0.2.2", _llm_analysis, dense, SHARES),
        ("Calculon", _calculon(systems), dense & _its_own(score, systems, 2), np.ones(1)),
        (
            "Calculon, with ZeRO-3 as ZeRO-1",
            _calculon(systems),
            dense & _its_own(score, systems, 3),
            np.ones(1),
        ),
    ):
        answers = [_all(asked, score, rows, share) for share in shares]
        best = int(np.argmin([_median(score, answer) for answer in answers]))
        share = f", at a utilization of {shares[best]:.2f}" if len(shares) > 1 else ""
        _tell(f"{name}{share}", score, rows, answers[best])


def _dense(score: TaskScore) -> Flags:
    cases = score.published.cases
    stated = np.all([~np.isnan(getattr(cases, name)) for name in NEEDED], axis=0)
    plain = (cases.experts == 0) & (cases.kv_rank == 0) & (cases.context == 1)
    return score.counted & stated & plain & np.isin(cases.method.astype(str), ("pretrain", "full"))


def _its_own(score: TaskScore, systems: dict[str, Any], zero: int) -> Flags:
    """Rows that Calculon supports: its systems, 16-bit products, ZeRO up to a stage."""
    cases = score.published.cases
    on = np.isin(cases.accelerator.astype(str), list(systems))
    return on & (cases.peak == cases.sixteen) & ~(cases.zero > zero)


def _all(asked: Asked, score: TaskScore, rows: Flags, share: float) -> Array:
    """Its answers in tokens per second and GPU; nan where it refuses."""
    answer = np.full(len(rows), np.nan)
    for place in np.flatnonzero(rows):
        try:
            answer[place] = asked(score.published.cases.only(slice(place, place + 1)), share)
        except Exception as error:  # it refuses with assertions and exceptions of its own
            logging.debug("%s: %s", score.published.cases.ids[place], error)
    return answer


def _factors(score: TaskScore, answer: Array) -> Array:
    rows = ~np.isnan(answer)
    return np.exp(np.abs(np.log(answer[rows] / score.published.truth[rows])))


def _median(score: TaskScore, answer: Array) -> float:
    return float(np.median(_factors(score, answer)))


def _tell(name: str, score: TaskScore, rows: Flags, answer: Array) -> None:
    theirs, answered = _factors(score, answer), ~np.isnan(answer)
    ours = score.error[answered]
    families = len(set(score.published.family[answered].tolist()))
    print(f"  {name}: answers {answered.sum()} of {rows.sum()} rows, of {families} families")
    for who, factors in (("it", theirs), ("ours, families left out", ours)):
        median, most = np.median(factors), np.quantile(factors, 0.9)
        print(f"    {who}: half within {median:.3f}, nine of ten within {most:.3f}")


# ------------------------------------------------------------------ llm-analysis


def _llm_analysis(case: Cases, share: float) -> float:
    from llm_analysis import analysis, config

    logging.getLogger("llm_analysis").setLevel(logging.ERROR)
    analysis.logger.setLevel(logging.ERROR)
    one = _Row(case)
    model = config.ModelConfig(
        name="row",
        num_layers=one.whole("layers"),
        n_head=one.whole("heads"),
        hidden_dim=one.whole("hidden"),
        vocab_size=one.whole("vocab"),
        max_seq_len=one.whole("sequence"),
        num_key_value_heads=one.whole("kv_heads"),
        ffn_embed_dim=one.whole("ffn"),
        expansion_ratio=one.of("ffn") / one.of("hidden"),
    )
    gpu = config.GPUConfig(
        name="row",
        mem_per_GPU_in_GB=1e6,  # we do not ask whether it fits
        hbm_bandwidth_in_GB_per_sec=one.of("bandwidth") / 1e9,
        intra_node_bandwidth_in_GB_per_sec=one.of("link") / 1e9,
        intra_node_min_message_latency=8e-6,
        peak_fp16_TFLOPS=one.of("peak") / 1e12,
    )
    ways = one.whole("tensor") * one.whole("pipeline")
    replicas = max(1, one.whole("gpus") // ways)
    layout = config.ParallelismConfig(
        tp_size=one.whole("tensor"), pp_size=one.whole("pipeline"), dp_size=replicas
    )
    made = analysis.LLMAnalysis(model, gpu, parallelism_config=layout, flops_efficiency=share)
    passes = max(1, int(one.batch() // (replicas * one.of("micro_batch"))))
    recomputation = analysis.ActivationRecomputation(one.recomputed((0, 1, 2)))
    summary = made.training(
        batch_size_per_gpu=one.whole("micro_batch"),
        gradient_accumulation_steps=passes,
        seq_len=one.whole("sequence"),
        activation_recomputation=recomputation,
        ds_zero=analysis.DSZeRO(int(np.nan_to_num(one.of("zero")))),
        mlp_gated_linear_units=bool(case.gated[0]),
    )
    tokens = passes * one.of("micro_batch") * replicas * one.of("sequence")
    return float(tokens / summary["latency_per_iter"] / one.of("gpus"))


# ------------------------------------------------------------------ Calculon


def _calculon(systems: dict[str, Any]) -> Asked:
    from calculon.llm import Llm
    from calculon.system import System

    def asked(case: Cases, _: float) -> float:
        one = _Row(case)
        tensor, pipeline = one.whole("tensor"), one.whole("pipeline")
        replicas = max(1, one.whole("gpus") // (tensor * pipeline))
        micro = one.whole("micro_batch")
        batch = replicas * micro * max(1, int(one.batch() // (replicas * micro)))
        # a gated layer has three matrices where Calculon has two: the same work, at 1.5 times the
        # width
        ffn = one.whole("ffn") * 3 // 2 if case.gated[0] else one.whole("ffn")
        application = {
            "hidden": one.whole("hidden"),
            "feedforward": ffn // tensor * tensor,
            "seq_size": one.whole("sequence"),
            "attn_heads": one.whole("heads"),
            "attn_size": one.whole("head_dim"),
            "num_blocks": one.whole("layers"),
        }
        full = one.recomputed((False, False, True))
        execution = {
            "num_procs": replicas * tensor * pipeline,
            "tensor_par": tensor,
            "pipeline_par": pipeline,
            "data_par": replicas,
            "tensor_par_net": 0,
            "pipeline_par_net": 1 if replicas * tensor * pipeline > 8 else 0,
            "data_par_net": 1 if replicas * tensor * pipeline > 8 else 0,
            "batch_size": batch,
            "microbatch_size": micro,
            "datatype": "float16",
            "fused_activation": True,
            "attention_type": "multihead",
            "activation_recompute": one.recomputed(("none", "attn_only", "full")),
            "pipeline_interleaving": one.whole("virtual"),
            "optimizer_sharding": replicas > 1,
            "tensor_par_comm_type": "rs_ag",
            "tensor_par_overlap": "none",
            "seq_par_ag_redo": tensor > 1 and not full,
            "data_par_overlap": replicas > 1,
            "weight_offload": False,
            "activations_offload": False,
            "optimizer_offload": False,
            "training": True,
        }
        system = json.loads(json.dumps(systems[str(case.accelerator[0])]))
        system["mem1"]["GiB"] = 1e6  # we do not ask whether it fits
        made = Llm(Llm.Application(application), logging.getLogger("calculon"))
        made.compile(System(system), Llm.Execution.from_json(execution))
        made.run(System(system))
        tokens = batch * one.of("sequence")
        return float(tokens / made.get_total_time() / execution["num_procs"])

    return asked


class _Row:
    """One case, read by name."""

    def __init__(self, case: Cases) -> None:
        self.case = case

    def of(self, name: str) -> float:
        return float(getattr(self.case, name)[0])

    def whole(self, name: str) -> int:
        return round(self.of(name))

    def batch(self) -> float:
        """Sequences per step; by default one micro-batch for each replica."""
        ways = self.of("tensor") * self.of("pipeline")
        least = max(1.0, self.of("gpus") // ways) * self.of("micro_batch")
        stated = self.of("global_batch")
        return least if np.isnan(stated) else max(least, stated)

    def recomputed(self, choices: tuple[Any, Any, Any]) -> Any:
        """Choose by recomputation: none, attention only, everything."""
        said = str(self.case.checkpointing[0])
        return choices[{"full": 2, "selective": 1}.get(said, 0)]


if __name__ == "__main__":
    main()
