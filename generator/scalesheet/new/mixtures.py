"""Mixtures of experts: which layers have them, how many there are, how wide they are."""

from __future__ import annotations

from typing import Any

from scalesheet.new.architecture import Architecture, biased, decoder, windowed, yes_or_no
from scalesheet.new.config import Config
from scalesheet.new.dense import qwen2, qwen3, qwen3_5_text


def mixtral(c: Config) -> Architecture:
    made = windowed(c, decoder(c, grouped=True))
    experts = {"routed": c.size("num_local_experts"), "active": c.size("num_experts_per_tok")}
    return {**made, "experts": checked(c, made, {**experts, "ffn": made["ffn"]})}


def phimoe(c: Config) -> Architecture:
    made = {**biased(c, mixtral(c)), "norm": "layernorm"}
    return {**made, "head_bias": yes_or_no(c.flag("lm_head_bias", default=False))}


def qwen2_moe(c: Config) -> Architecture:
    made = qwen2(c)
    width = c.size("moe_intermediate_size")
    together = c.size("shared_expert_intermediate_size", least=0)
    if together % width:
        c.unsupported(
            "shared_expert_intermediate_size",
            f"{together} is not a multiple of the width {width} of a routed expert",
        )
    experts = {
        **routed_experts(c, made["layers"], "num_experts", width),
        "shared": together // width,
        "shared_gate": "yes",
    }
    return {**made, "experts": checked(c, made, experts)}


def qwen3_moe(c: Config) -> Architecture:
    made = qwen3(c)
    experts = routed_experts(c, made["layers"], "num_experts", c.size("moe_intermediate_size"))
    return {**made, "experts": checked(c, made, experts)}


def qwen3_next(c: Config, ffn: str = "intermediate_size") -> Architecture:
    made = qwen3_5_text(c, ffn)
    width = c.size("moe_intermediate_size", default=512)
    together = c.size("shared_expert_intermediate_size", default=512, least=0)
    experts = {
        **routed_experts(c, made["layers"], "num_experts", width),
        "shared": together // width,
        "shared_gate": "yes",
    }
    return {**made, "experts": checked(c, made, experts)}


def qwen3_5_moe_text(c: Config) -> Architecture:
    """Every layer has experts, so there is no width of a plain feed-forward layer."""
    return qwen3_next(c, "moe_intermediate_size")


def gpt_oss(c: Config) -> Architecture:
    made = windowed(c, biased(c, decoder(c, grouped=True)), full=2, tokens=128)
    c.ignore("swiglu_limit")
    experts = {"routed": c.size("num_local_experts"), "active": c.size("num_experts_per_tok")}
    routed = {**experts, "ffn": made["ffn"], "router_bias": "yes"}
    remark = "without the biases of the experts"
    return {**made, "experts": checked(c, made, routed), "remarks": [remark]}


def routed_experts(c: Config, layers: int, count: str, width: int) -> dict[str, Any]:
    return {
        "routed": c.size(count),
        "active": c.size("num_experts_per_tok"),
        "ffn": width,
        "dense_layers": layers_apart(c, layers, "decoder_sparse_step", plain="mlp_only_layers"),
    }


def olmoe(c: Config) -> Architecture:
    made = {**biased(c, decoder(c)), "qk_norm": "width"}
    experts = {"routed": c.size("num_experts"), "active": c.size("num_experts_per_tok")}
    return {**made, "experts": checked(c, made, {**experts, "ffn": made["ffn"]})}


def deepseek(c: Config) -> Architecture:
    """DeepSeekMoE: experts without latent attention."""
    made = biased(c, decoder(c))
    return {**made, "experts": deepseek_experts(c, made)}


def deepseek_v2(c: Config) -> Architecture:
    made = decoder(c)
    made["head_dim"] = c.size("qk_nope_head_dim")
    if c.flag("attention_bias", default=False):
        c.unsupported("attention_bias", "latent attention with biases is not supported yet")
    latent = {
        "query_rank": c.size("q_lora_rank", default=0),
        "kv_rank": c.size("kv_lora_rank"),
        "rope_dim": c.size("qk_rope_head_dim"),
        "value_dim": c.size("v_head_dim"),
    }
    made["experts"] = deepseek_experts(c, made)
    return {**made, "latent": latent}


def deepseek_v3(c: Config) -> Architecture:
    made = deepseek_v2(c)
    made["experts"] = {**made["experts"], "router_bias": "yes"}
    if c.size("num_nextn_predict_layers", default=0, least=0):
        made["remarks"] = ["without the layers of num_nextn_predict_layers, which predict more"]
    return made


def deepseek_experts(c: Config, made: Architecture) -> dict[str, Any]:
    c.ignore("topk_method", "topk_group", "n_group", "routed_scaling_factor")
    dense = c.size("first_k_dense_replace", default=0, least=0)
    experts = {
        "routed": c.size("n_routed_experts"),
        "active": c.size("num_experts_per_tok"),
        "shared": c.size("n_shared_experts", default=0, least=0),
        "ffn": c.size("moe_intermediate_size"),
        "dense_layers": layers_apart(c, made["layers"], "moe_layer_freq", after=dense),
    }
    return checked(c, made, experts)


def llama4_text(c: Config) -> Architecture:
    width = c.size("intermediate_size")
    made = biased(c, decoder(c, ffn="intermediate_size_mlp"))
    step, layers = c.size("interleave_moe_layer_step", default=1), made["layers"]
    with_experts = c.sizes("moe_layers") or tuple(range(step - 1, layers, step))
    experts = {
        "routed": c.size("num_local_experts"),
        "active": c.size("num_experts_per_tok", default=1),
        "shared": 1,
        "ffn": width,
        "dense_layers": layers - len(set(with_experts)),
    }
    c.ignore("use_qk_norm")  # it has no weights
    return {**made, "experts": checked(c, made, experts)}


def checked(c: Config, made: Architecture, experts: dict[str, Any]) -> dict[str, Any]:
    if experts["active"] > experts["routed"]:
        c.wrong("num_experts_per_tok", f"at most the {experts['routed']} experts")
    if not 0 <= experts.get("dense_layers", 0) <= made["layers"]:
        c.wrong("num_hidden_layers", "at least as many as the layers without experts")
    return experts


def layers_apart(c: Config, layers: int, step: str, *, after: int = 0, plain: str = "") -> int:
    """The number of layers without experts.

    Every `step`-th layer from the layer `after` on has experts, except those in the list `plain`.
    """
    apart = c.size(step, default=1)
    without = set(c.sizes(plain)) if plain else set()
    experts = [
        layer
        for layer in range(after, layers)
        if (layer + (1 if plain else 0)) % apart == 0 and layer not in without
    ]
    return layers - len(experts)
