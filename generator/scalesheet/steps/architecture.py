"""The traits of a model's architecture that its row states, and their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scalesheet.frozen import dataclass
from scalesheet.steps.job import Shape

#: Where a trait is in the row, as nested by the schema, and its column in the catalogue's table.
_PLACES: Mapping[str, tuple[str, str, str]] = {
    "routed": ("experts", "routed", "experts"),
    "active": ("experts", "active", "experts_active"),
    "shared": ("experts", "shared", "experts_shared"),
    "expert_ffn": ("experts", "ffn", "expert_ffn"),
    "dense_layers": ("experts", "dense_layers", "dense_layers"),
    "shared_gate": ("experts", "shared_gate", "shared_gate"),
    "router_bias": ("experts", "router_bias", "router_bias"),
    "query_rank": ("latent", "query_rank", "query_rank"),
    "kv_rank": ("latent", "kv_rank", "kv_rank"),
    "rope_dim": ("latent", "rope_dim", "rope_dim"),
    "value_dim": ("latent", "value_dim", "value_dim"),
    "vision_layers": ("vision", "layers", "vision_layers"),
}
_PLAIN = (
    "norm",
    "block_norms",
    "qk_norm",
    "qkv_bias",
    "output_bias",
    "ffn_bias",
    "head_bias",
    "embedding_norm",
    "positions",
    "max_sequence",
)


@dataclass(frozen=True)
class Traits:
    """The architecture of a model beyond its sizes; the names are those of `model.schema.json`."""

    norm: str = "rmsnorm"
    block_norms: int = 2
    qk_norm: str = "none"
    qkv_bias: bool = False
    output_bias: bool = False
    ffn_bias: bool = False
    head_bias: bool = False
    embedding_norm: bool = False
    positions: int = 0
    max_sequence: int = 0
    routed: int = 0
    active: int = 0
    shared: int = 0
    expert_ffn: int = 0
    dense_layers: int = 0
    shared_gate: bool = False
    router_bias: bool = False
    query_rank: int = 0
    kv_rank: int = 0
    rope_dim: int = 0
    value_dim: int = 0
    vision_layers: int = 0

    @property
    def attention_bias(self) -> bool:
        """Return whether all four attention projections have biases."""
        return self.qkv_bias and self.output_bias


def traits_of(shape: Shape) -> Traits:
    """The traits that a shape states."""
    stated: dict[str, Any] = {name: shape.more[name] for name in _PLAIN if name in shape.more}
    for name, (group, key, column) in _PLACES.items():
        nested = shape.more.get(group)
        if isinstance(nested, Mapping):
            if key in nested:
                stated[name] = nested[key]
        elif column in shape.more:
            stated[name] = shape.more[column]
    usual = Traits()
    known = {
        name: type(getattr(usual, name))(value)
        for name, value in stated.items()
        if value is not None
    }
    return Traits(**known)
