"""Architectures from `config.json` files give the same parameter counts as the catalogue.

`configs.json` holds the sizes in published configurations, by the model's id in the catalogue;
other settings are left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editions import edition_of
from scalesheet import cli
from scalesheet.book import Book
from scalesheet.diagnostics import errors
from scalesheet.evaluate import evaluate_catalogue
from scalesheet.examine import compile_book, examine
from scalesheet.new.config import Config
from scalesheet.new.families import FAMILIES, architecture
from scalesheet.new.model import lines
from scalesheet.values import Results
from shipped import part, shipped, shipped_book

CONFIGS: Mapping[str, Mapping[str, Any]] = json.loads(
    (Path(__file__).parent / "configs.json").read_text("utf-8")
)
#: Model types without a configuration here: types of a language model alone, and others that state
#: nothing beyond the ones here.
ELSEWHERE = {
    *("llama4_text", "olmo3", "gpt_neo", "cohere"),
    *("ministral3", "qwen3_5_text", "qwen3_5_moe_text"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Book, Results]:
    """The catalogue, with the models in `configs.json` rewritten from their configurations."""
    folder = tmp_path_factory.mktemp("made")
    data = part(folder, "formulas", "models")
    for id, config in CONFIGS.items():
        said = architecture(Config("config.json", json.dumps(config), config, []))
        assert said is not None, id
        text = "".join(lines(said, (), "litgpt-config", id))
        (data / "models" / f"{id}.yaml").write_text(text, "utf-8")
    book = compile_book(data)
    return book, evaluate_catalogue(book)


#: Models whose configuration has only the language model; the catalogue adds the vision tower.
OF_TEXT = {"qwen3-5-9b", "qwen3-5-35b-a3b"}


@pytest.mark.parametrize("column", ["parameters", "active_parameters"])
def test_a_configuration_gives_the_catalogues_count(
    made: tuple[Book, Results], column: str
) -> None:
    def counts(of: tuple[Book, Results]) -> dict[str, object]:
        tables = of[1].tables["models"]
        rows = of[0].tables["models"].rows
        alone = column == "parameters"
        return {
            row: tables["decoder_parameters" if alone and row in OF_TEXT else column][place].value
            for place, row in enumerate(rows)
            if row in CONFIGS
        }

    assert counts(made) == counts((shipped_book(), edition_of(shipped()).catalogue))
    assert len(counts(made)) > 100


def test_every_family_has_a_configuration() -> None:
    types = {config["model_type"] for config in CONFIGS.values()}
    assert set(FAMILIES) - types <= ELSEWHERE
    assert types <= set(FAMILIES)


# ------------------------------------------------------------------ the command


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A book in the working directory, with the formulas that count parameters."""
    monkeypatch.chdir(tmp_path)
    return part(tmp_path, "formulas", "models/gpt-2.yaml")


def begin(config: Mapping[str, Any] | str, *more: str) -> int:
    text = config if isinstance(config, str) else json.dumps(config, indent=2)
    Path("config.json").write_text(text, "utf-8")
    return cli.main(["new", "model", "anew", "--from", "config.json", *more])


@pytest.mark.parametrize(
    ("id", "count"),
    [
        ("llama-3-1-8b", "8,030,261,248 parameters"),
        (
            "qwen3-235b-a22b",
            "235,093,634,560 parameters, 22,190,763,520 of them active for a text token",
        ),
        (
            "deepseek-v3",
            "671,026,419,200 parameters, 37,552,297,472 of them active for a text token",
        ),
        ("gemma-3-4b", "4,300,079,472 parameters, 3,880,263,168 of them active for a text token"),
        ("gpt-2", "124,439,808 parameters"),
    ],
)
def test_the_count_is_printed_and_the_file_is_valid(
    data: Path, id: str, count: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert begin(CONFIGS[id], "--source", "litgpt-config") == 0
    out = capsys.readouterr().out
    assert out.startswith("wrote data/models/anew.yaml\n")
    assert count in out.splitlines()
    assert "still missing" not in out
    assert examine(data).diagnostics == []


def test_unused_keys_are_printed_and_noted_in_the_file(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert begin({**CONFIGS["mistral-7b"], "attention_chunk_size": 8192}) == 0
    assert "not used: attention_chunk_size\n" in capsys.readouterr().out
    written = (data / "models" / "anew.yaml").read_text("utf-8")
    assert "# Not used: attention_chunk_size.\n" in written


FULL, NEAR = "full_attention", "sliding_attention"


@pytest.mark.parametrize(
    ("id", "more", "window"),
    [
        ("mistral-7b", {}, {"tokens": 4096, "layers": 32}),
        ("mistral-7b", {"sliding_window": None}, None),
        ("mistral-7b", {"sliding_window": 32768}, None),
        ("gemma-2-9b", {}, {"tokens": 4096, "layers": 21}),
        ("gemma-3-27b", {}, {"tokens": 1024, "layers": 52}),
        ("gemma-3-1b", {"sliding_window_pattern": 2}, {"tokens": 512, "layers": 13}),
        ("gemma-3-270m", {"layer_types": [NEAR] * 5 + [FULL] * 13}, {"tokens": 512, "layers": 5}),
        ("gemma-3-270m", {"layer_types": [FULL] * 18}, None),
        ("qwen2-7b", {}, None),
        (
            "qwen2-7b",
            {"use_sliding_window": True, "sliding_window": 4096, "max_window_layers": 21},
            {"tokens": 4096, "layers": 7},
        ),
    ],
)
def test_sliding_windows_are_read(
    id: str, more: Mapping[str, Any], window: Mapping[str, int] | None
) -> None:
    config = json.loads(json.dumps(CONFIGS[id]))
    config.get("text_config", config).update(more)
    read = Config("config.json", json.dumps(config), config, [])
    said = architecture(read)
    assert said is not None
    assert said.architecture.get("window") == window
    assert not {"sliding_window", "layer_types", "sliding_window_pattern"} & set(read.unused())


def test_the_list_of_layer_types_must_be_complete(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert begin({**CONFIGS["gemma-3-270m"], "layer_types": [NEAR] * 5}) == 1
    out = capsys.readouterr().out
    assert "layer_types: expected a list of 18 strings, one for each layer" in out


def test_the_windows_of_the_catalogue_match_the_configurations() -> None:
    shipped_models = edition_of(shipped()).catalogue.tables["models"]
    rows = shipped_book().tables["models"].rows
    checked = 0
    for id, config in CONFIGS.items():
        said = architecture(Config("config.json", json.dumps(config), config, []))
        assert said is not None
        place = rows.index(id)
        layers = shipped_models["window_layers"][place].value
        if layers:
            window = {"tokens": shipped_models["window"][place].value, "layers": layers}
            assert said.architecture["window"] == window, id
            checked += 1
    assert checked >= 9


def test_every_check_reports_a_blank_source(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert begin(CONFIGS["mistral-7b"]) == 0
    assert "the source is still missing" in capsys.readouterr().out
    found = examine(data).diagnostics
    assert [d.code for d in found] == ["N010"]
    assert errors(found) == []


def test_only_the_language_model_is_written_if_the_vision_tower_cannot_be(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert begin(CONFIGS["llama-4-scout"]) == 0
    assert "it is the language model alone, without the vision tower" in capsys.readouterr().out


def small(**other: Any) -> dict[str, Any]:
    """A Llama with a few layers; keys with the value None are left out."""
    said = {
        "model_type": "llama",
        "hidden_size": 64,
        "intermediate_size": 256,
        "num_attention_heads": 4,
        "num_hidden_layers": 2,
        "vocab_size": 1000,
        **other,
    }
    return {key: value for key, value in said.items() if value is not None}


MOE = {
    "model_type": "qwen3_moe",
    "head_dim": 16,
    "num_key_value_heads": 4,
    "num_experts": 8,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
}


@pytest.mark.parametrize(
    ("config", "place", "message"),
    [
        ("{", "1:2", "M001 not JSON: Expecting property name"),
        ("[1]", "1:1", "M001 expected the config.json of a model, as published, found a list"),
        (
            "[" * 100_000,
            "1:51",
            "M001 expected the config.json of a model, as published, found more",
        ),
        ('{"a": ' + "1" * 10_000 + "}", "1:7", "M001 the number 111"),
        ('{"a": NaN}', "1:7", "M001 the number NaN is not a number"),
        ("\0", "1:1", "M001 expected text in UTF-8, found a NUL byte"),
        ("{}", "1:1", "M003 the key 'model_type' is missing; expected a type such as 'llama'"),
        (
            '{"architectures": ["Qwen2MoeForCausalLM"]}',
            "1:1",
            "M003 the key 'model_type' is missing; expected 'qwen2_moe'",
        ),
        (
            small(model_type="lama"),
            "2:3",
            "M002 the model type 'lama' is not supported; did you mean 'llama'?",
        ),
        (
            small(model_type="bert"),
            "2:3",
            f"; supported are llama, qwen3 and {len(FAMILIES) - 2} more",
        ),
        (
            small(model_type="ours", architectures=["Qwen3ForCausalLM"]),
            "2:3",
            "did you mean 'qwen3', as its architecture is Qwen3ForCausalLM?",
        ),
        (
            small(hidden_size=None),
            "1:1",
            "M003 the key 'hidden_size' is missing; expected a whole "
            "number: use the checkpoint's file as published",
        ),
        (
            small(num_hidden_layers="2"),
            "6:3",
            "M004 num_hidden_layers: expected a whole number "
            "from 1 to 10,000, found the text '2'; compare it",
        ),
        (small(num_hidden_layers=-1), "6:3", "found the number -1"),
        (small(num_hidden_layers=2.5), "6:3", "found the number 2.5"),
        (small(num_hidden_layers=10**8), "6:3", "expected a whole number from 1 to 10,000, found"),
        (small(num_hidden_layers=True), "6:3", "found true"),
        (
            small(hidden_size=66),
            "5:3",
            "M004 num_attention_heads: expected a divisor of the hidden "
            "size 66, found the number 4",
        ),
        (
            small(num_key_value_heads=3),
            "8:3",
            "M004 num_key_value_heads: expected a divisor of the 4 heads, found the number 3",
        ),
        (
            small(tie_word_embeddings="no"),
            "8:3",
            "M004 tie_word_embeddings: expected true or false, found the text 'no'",
        ),
        (small(model_type="mistral"), "1:1", "M003 the key 'num_key_value_heads' is missing"),
        (small(model_type="phi", qk_layernorm=True), "8:3", "M005 qk_layernorm: LayerNorm on"),
        (
            small(**{**MOE, "num_experts_per_tok": 9}),
            "11:3",
            "M004 num_experts_per_tok: expected at most the 8 experts, found the number 9",
        ),
        (
            small(**MOE, mlp_only_layers="all"),
            "13:3",
            "M004 mlp_only_layers: expected a list of whole numbers, found the text 'all'",
        ),
        (
            small(model_type="llama4"),
            "1:1",
            "M003 the key 'text_config' is missing; expected a mapping",
        ),
        (small(model_type="gemma3", text_config=3), "8:3", "M004 text_config: expected a mapping"),
    ],
)
def test_a_bad_configuration_is_reported_with_its_place_and_writes_nothing(
    data: Path,
    config: Mapping[str, Any] | str,
    place: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = sorted(os.walk(data))
    assert begin(config) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(f"config.json:{place}: ")
    assert message in first
    assert sorted(os.walk(data)) == before


def test_all_errors_are_reported_at_once(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert begin(small(hidden_size="64", vocab_size=0, intermediate_size=None)) == 1
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == [
        "M003",
        "M004",
        "M004",
    ]


def test_dense_layers_are_counted_by_position(data: Path) -> None:
    config = small(**MOE, num_hidden_layers=6, decoder_sparse_step=2, mlp_only_layers=[1])
    said = architecture(Config("", "", config, []))
    assert said is not None
    assert said.architecture["experts"]["dense_layers"] == 4  # layers 0, 2 and 4; and 1


def test_a_part_that_cannot_be_written_is_reported(data: Path) -> None:
    config = small(
        model_type="opt", ffn_dim=256, max_position_embeddings=128, word_embed_proj_dim=32
    )
    found = Config("", "", config, [])
    architecture(found)
    assert [d.code for d in found.found] == ["M005"]


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.text(max_size=3),
    st.floats(),
    st.integers(),
    st.integers(-3, 70),
    st.lists(st.integers(), max_size=3),
    st.just({}),
)


@given(st.sampled_from(sorted(CONFIGS)), st.lists(st.tuples(st.integers(0, 60), JUNK), max_size=3))
def test_any_configuration_is_read_or_reported(id: str, edits: list[tuple[int, Any]]) -> None:
    """Whatever it contains, the result is an architecture or findings, never an exception."""
    config = json.loads(json.dumps(CONFIGS[id]))
    for number, value in edits:
        parts = [config, *(each for each in config.values() if isinstance(each, dict) and each)]
        places = [(part, key) for part in parts for key in sorted(part)]
        part, key = places[number % len(places)]
        part[key] = value
    described = Config("config.json", json.dumps(config), config, [])
    said = architecture(described)
    list(described.unused())
    if not described.found:
        assert said is not None
        assert all(said.architecture[key] >= 1 for key in ("layers", "hidden", "heads", "vocab"))
