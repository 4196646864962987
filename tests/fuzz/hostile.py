"""Seeded hostile files, as they come from other tools, people and attackers: good ones of each
format with a few mutations that know the format, in junk, cut, packed or in another encoding.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import random
import struct
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from actuals.samples import AWS, SACCT, WANDB
from fuzz.mutations import NUMBERS, TEXTS

Random = random.Random
ROOT = Path(__file__).parents[1]

#: Times, durations and amounts at the edge of what calendars and numbers can hold.
CELLS = (
    *("0001-01-01T00:00+14:00", "0001-01-01", "0999-05-05", "1-01-01", "1899-12-31T23:59:59Z"),
    *("9999-12-31T23:59:59-14:00", "2300-01-01", "2200-12-31T23:59", "2026-02-30", "20260901"),
    *("2026-09-01T08:00:00.000Z", "2026-09-01 08:00:00 UTC", "2026-W01-1", "Unknown", "1970-01-01"),
    *("-5", "-0.01", "$-12.50", "($5.00)", "1e308", "1e99", "1e12", "1e-99", "1,200", "1.200,50"),
    *("9" * 5_000, "9" * 5_000 + ":00:00", "99999999-23:59:59", "00:00", "-1:00:00", "1:2:3:4"),
    *("\0", "a\0b", "\x1b[2J", "a\nb", "<<<<<<< a", ">>>>>>> b", "\ufeff", "\ud7ff", "=1+1"),
    *("done", "running", "failed", "OUT_OF_MEMORY", "sft", "sft-seed1", "rl", "1", "2", "8"),
)
#: What JSON can hold in place of any value, as text.
VALUES = (
    *("null", "true", '""', '"7200"', '"nan"', "NaN", "Infinity", "-Infinity", "-1", "0", "1.5"),
    *("1" + "0" * 400, "1e400", "-1e400", "1e308", "1e-400", "9" * 5_000, "[]", "{}", "[[]]"),
    *('{"train_runtime": null}', '["a"]', "12345678901234567890", '"\\ud800"', '"\\u0000"', "2.0"),
    *("[" * 100 + "]" * 100, '"' + "x" * 5_000 + '"'),
)
#: Config of a model, of which any key may change.
CONFIG = json.loads((ROOT / "new" / "configs.json").read_text("utf-8"))
STATE = {
    "global_step": 300,
    "max_steps": 300,
    "num_input_tokens_seen": 1_228_800,
    "log_history": [{"loss": 1.2, "step": 100}, {"train_runtime": 7200.0, "step": 300}],
}
LAW = """\
run,N,D_tokens,loss,gpu_hours
a,60e6,1.2e9,3.60,1.5
b,120e6,2.4e9,3.33,6
c,250e6,5e9,3.08,25
d,500e6,10e9,2.87,100
e,1e9,20e9,2.70,400
"""
CASES = """\
id,model,params_total,tokens,seq_len,hardware,n_gpus,precision,parallelism,global_batch_seqs
a,llama-3-1-8b,8e9,1e12,4096,h100-sxm,64,bf16,FSDP64,512
b,,70B,2T,8192,a100-80gb,"1,024",bf16,"TP8, PP4",1024
c,mistral-7b,,1e9,2048,NVIDIA H100,8,fp8,ZeRO-3,64
"""
OURS = """\
name,phase,seed,state,start,end,gpus,gpu_hours,cost,tokens,steps,share,note
sft-1,sft,1,done,2026-09-01T08:00,2026-09-02T08:00,8,192,600,1e9,4000,0.3,fine
sft-2,sft,2,done,2026-09-03,2026-09-04,8,,-25,,,,refund
rl-1,rl,1,running,2026-09-05T08:00,,8,,,,,,
"""


def word(rng: Random) -> str:
    return rng.choice((*CELLS, *CELLS, *NUMBERS, *TEXTS))


# ------------------------------------------------------------------ tables


def table(rng: Random, text: str, separator: str = ",") -> bytes:
    """A table with a few cells, rows or columns changed."""
    rows = [list(row) for row in csv.reader(io.StringIO(text), delimiter=separator)]
    for _ in range(rng.choice((0, 1, 1, 1, 2, 5))):
        row = rng.choice(rows[1:] or rows)
        match rng.randrange(10):
            case 0:
                rows.remove(row) if len(rows) > 1 else None
            case 1:
                rows += [list(row)] * rng.choice((1, 1, 50))
            case 2:
                row.append(word(rng))
            case 3:
                row[-1:] = []
            case 4:
                rng.shuffle(row)
            case 5:
                names = ("events", "id", "from", "name", "cost", "line", word(rng))
                rows[0][rng.randrange(len(rows[0]))] = rng.choice(names)
            case _:
                row[rng.randrange(len(row)) if row else 0 :][:1] = []
                if row:
                    row[rng.randrange(len(row))] = word(rng)
    out = io.StringIO()
    quoting = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    csv.writer(out, delimiter=separator, quoting=quoting, lineterminator="\n").writerows(rows)
    return encoded(rng, out.getvalue())


def encoded(rng: Random, text: str) -> bytes:
    """Mostly UTF-8, since the rest is about the encoding alone."""
    encoding = rng.choice((*("utf-8",) * 12, "utf-8-sig", "utf-16", "utf-16-le", "latin-1"))
    return text.encode(encoding, "replace")


# ------------------------------------------------------------------ JSON


def mapping(rng: Random, data: Mapping[str, Any]) -> bytes:
    """A JSON object with a few values replaced, or in another shape."""
    whole = json.loads(json.dumps(data))
    marks: dict[str, str] = {}
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        holder, key = rng.choice(list(_places(whole)) or [({}, "x")])
        mark = f"@{len(marks)}@"
        marks[json.dumps(mark)] = rng.choice(VALUES)
        holder[key] = mark
    text = json.dumps(whole, indent=rng.choice((None, 2)))
    for mark, value in marks.items():
        text = text.replace(mark, value)
    if rng.random() < 0.08:
        text = rng.choice(("[" * 100_000, '{"a":' * 50_000, "[]", "1", "", text + text, "null"))
    return encoded(rng, text)


def _places(found: Any) -> list[tuple[Any, Any]]:
    entries: list[tuple[Any, Any]] = []
    if isinstance(found, dict | list):
        for key in list(found) if isinstance(found, dict) else range(len(found)):
            entries.append((found, key))
            entries += _places(found[key])
    return entries


# ------------------------------------------------------------------ event files

_CRC = [0] * 256
for _byte in range(256):
    _value = _byte
    for _ in range(8):
        _value = _value >> 1 ^ (0x82F63B78 if _value & 1 else 0)
    _CRC[_byte] = _value


def masked(data: bytes) -> int:
    """The checksum of a record, as TensorFlow computes it: CRC-32C, rotated, plus a constant."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def framed(data: bytes) -> bytes:
    """A record of an event file."""
    length = struct.pack("<Q", len(data))
    return b"".join(
        (length, struct.pack("<I", masked(length)), data, struct.pack("<I", masked(data)))
    )


def event(time: float, step: int | None) -> bytes:
    """An event: its time, and a step with a scalar, or the version of the file."""
    head = b"\x09" + struct.pack("<d", time)
    if step is None:
        return head + b"\x1a\x0dbrain.Event:2"
    number, out = step & (1 << 64) - 1, b""
    while number > 0x7F:
        out, number = out + bytes((number & 0x7F | 0x80,)), number >> 7
    summary = b"\x0a\x0b\x0a\x04loss\x15\x00\x00\x80\x3f"
    return head + b"\x10" + out + bytes((number,)) + b"\x2a" + bytes((len(summary),)) + summary


def events(rng: Random) -> bytes:
    """An event file, with odd times, steps, records and lengths."""
    times = [1_788_000_000.0 + 3600 * n for n in range(rng.choice((0, 1, 5, 20)))]
    for _ in range(rng.choice((0, 0, 1, 2))):
        odd = (0.0, -1.0, float("nan"), float("inf"), -float("inf"), 1e300, 5e-324, 2e9, 7e10)
        times.insert(rng.randrange(len(times) + 1), rng.choice(odd))
    records = [event(1_788_000_000.0, None)]
    steps = (-1, 2**63 - 1, -(2**63), 0)
    records += [
        event(time, rng.choice(steps) if rng.random() < 0.1 else 10 * n)
        for n, time in enumerate(times)
    ]
    if rng.random() < 0.2:
        records.insert(rng.randrange(len(records)), rng.randbytes(rng.randrange(40)))
    data = bytearray(b"".join(map(framed, records)))
    if rng.random() < 0.3 and data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    if rng.random() < 0.2:
        del data[rng.randrange(len(data)) :]
    if rng.random() < 0.1:
        data += struct.pack("<Q", rng.choice((0, 2**63, 2**64 - 1, 10**9))) + rng.randbytes(20)
    return bytes(data)


# ------------------------------------------------------------------ packed, cut, junk


def _zipped(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("runs.csv", data)
    return out.getvalue()


def _tarred(data: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo("runs.csv")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


PACKED: Mapping[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zip": _zipped,
    "tar": _tarred,
    "zst": lambda data: b"\x28\xb5\x2f\xfd" + data,
}


def broken(rng: Random, name: str, data: bytes) -> tuple[str, bytes]:
    """Sometimes cut, with other bytes, of one byte over and over, or packed under such a name."""
    match rng.randrange(20):
        case 0:
            data = data[: rng.randrange(len(data) + 1)]
        case 1 | 2:
            for _ in range(rng.choice((1, 3))):
                at = rng.randrange(len(data) + 1)
                junk = rng.choice((b"\xff", b"\0", b'"', b"\r", b"\n", b"\xe2\x80\xa8", b",", b"|"))
                data = data[:at] + junk + data[at + rng.randrange(2) :]
        case 3:
            data = rng.choice((b"", b"\n", b"\0" * 200, b"," * 70_000, rng.randbytes(300), b'"'))
        case 4 | 5:
            ending = rng.choice(tuple(PACKED))
            name, data = f"{name}.{ending}", PACKED[ending](data) if rng.random() < 0.5 else data
            if rng.random() < 0.5:
                data = data[: rng.randrange(len(data) + 1)]
    return name, data


# ------------------------------------------------------------------ what each door takes

#: Name of a file and how to make it, by what it pretends to be.
LOGS: Mapping[str, tuple[str, Callable[[Random], bytes]]] = {
    "slurm": ("sacct.txt", partial(table, text=SACCT, separator="|")),
    "wandb": ("wandb.csv", partial(table, text=WANDB)),
    "invoice": ("invoice.csv", partial(table, text=AWS)),
    "csv": ("runs.csv", partial(table, text=OURS)),
    "trainer": ("trainer_state.json", partial(mapping, data=STATE)),
    "tensorboard": ("events.out.tfevents.1788000000.host.1.0", events),
}


def log(rng: Random) -> tuple[str, bytes]:
    name, make = LOGS[rng.choice(tuple(LOGS))]
    return broken(rng, name, make(rng))


def law(rng: Random) -> tuple[str, bytes]:
    return broken(rng, "law.csv", table(rng, LAW))


def cases(rng: Random) -> tuple[str, bytes]:
    return broken(rng, "cases.csv", table(rng, CASES))


def config(rng: Random) -> tuple[str, bytes]:
    return broken(rng, "config.json", mapping(rng, CONFIG[rng.choice(sorted(CONFIG))]))


#: Declarations that expat, zip and XML know, and spreadsheets never write.
XML = (
    *(b'<?xml version="1.0" encoding="e"?>', b'<?xml version="1.0" encoding="utf-32"?>'),
    *(b'<?xml version="1.0" encoding="shift-jis"?>', b'<?xml version="9"?>', b"\xff\xfe<\0a\0"),
    *(b'<?xml version="1.0" encoding="rot13"?>', b'<?xml version="1.0" encoding="undefined"?>'),
    *(b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"<a xmlns:b='' b:c='1'>", b"<a", b"\0", b"<" * 5_000),
)


def workbook(rng: Random, shipped: bytes) -> bytes:
    """A workbook with a part that begins otherwise, is another part, or is a huge number."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(shipped)) as old, zipfile.ZipFile(out, "w") as new:
        names = old.namelist()
        changed = rng.choice([each for each in names if each.endswith((".xml", ".rels"))])
        for name in names:
            content = old.read(name)
            if name == changed:
                match rng.randrange(5):
                    case 0 | 1:
                        _, _, rest = content.partition(b"?>")
                        content = rng.choice(XML) + rest
                    case 2:
                        content = old.read(rng.choice(names))
                    case 3:
                        at = rng.randrange(len(content))
                        content = content[:at] + rng.choice(XML) + content[at:]
                    case _:
                        content = content.replace(
                            b'"1"', rng.choice((b'"-1"', b'"' + b"9" * 5_000 + b'"'))
                        )
            new.writestr(name, content)
    data = bytearray(out.getvalue())
    if rng.random() < 0.2:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    if rng.random() < 0.1:  # of the list of contents
        at = data.rfind(b"PK\x01\x02") + rng.randrange(46)
        data[at] = rng.randrange(256)
    return bytes(data)


#: Names of books to extend, few of which exist.
EXTENDS = (
    *("scalesheet", "evil.x", "evil", "os", "os.path", "..", ".", "/", "../..", "~", "", "a b"),
    *("json", "antigravity", "this", "./data", "../data", "data", "\0", "http://x.example/", "é"),
    *("scalesheet.new", "a" * 5_000, "../" * 50, "CON", "-", "scalesheet/../..", "__main__", "1"),
)
