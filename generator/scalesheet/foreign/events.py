"""Reads event files of TensorBoard: the time and step of each event, with every checksum verified.

A file is a sequence of records: the length of the data (8 bytes), its checksum (4), the data, and
the checksum of the data (4), https://www.tensorflow.org/tutorials/load_data/tfrecord. The data are
a protocol buffer, of which fields 1 (time, in seconds) and 2 (step) are read here,
https://github.com/tensorflow/tensorboard/blob/master/tensorboard/compat/proto/event.proto.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median

from scalesheet.foreign import YEARS, File
from scalesheet.frozen import dataclass

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: No event is older than TensorFlow; a time of 0 was never set.
_SECONDS = [(datetime(y, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds() for y in (2010, YEARS[-1])]
#: A gap is longer than an hour, and than this many times the usual time between events.
UNUSUAL = 10


@dataclass(frozen=True)
class Events:
    """What an event file says."""

    count: int
    times: tuple[datetime, ...]  # in order, that of the file's creation included
    step: int  # the last
    damaged: int  # records that were skipped
    timeless: int  # records that were skipped because they have no possible time
    lost: int  # bytes at the end that are no whole record

    def gaps(self) -> Iterator[tuple[datetime, timedelta]]:
        """Where nothing was logged for much longer than usual: the time before, and how long."""
        apart = [(later - time).total_seconds() for time, later in pairwise(self.times)]
        least = max(3600.0, UNUSUAL * median(apart)) if apart else 0.0
        for time, seconds in zip(self.times, apart, strict=False):
            if seconds > least:
                yield time, timedelta(seconds=seconds)


def events(file: File) -> Events:
    """Read an event file. The record with its version has the time of its creation, but is no event
    by itself."""
    content, at = memoryview(file.content), 0
    begun: list[float] = []
    times: list[float] = []
    step = damaged = timeless = 0
    while len(content) - at >= 12:
        head = content[at : at + 8]
        (length,), (check,) = struct.unpack("<Q", head), struct.unpack_from("<I", content, at + 8)
        end = at + 12 + length + 4
        if check != masked_crc32c(head) or end > len(content):
            break  # where the next record begins is unknown
        data = content[at + 12 : end - 4]
        at = end
        if masked_crc32c(data) != struct.unpack_from("<I", content, end - 4)[0]:
            damaged += 1
            continue
        fields = _fields(bytes(data))
        if fields is None:
            damaged += 1
            continue
        (time,) = struct.unpack("<d", fields.get(1, bytes(8)))
        if not _SECONDS[0] <= time <= _SECONDS[1]:  # nor nan
            timeless += 1
        elif 3 in fields:  # the version of the file
            begun.append(time)
        else:
            times.append(time)
            step = max(step, int.from_bytes(fields.get(2, b"")[:8], "little", signed=True))
    every = sorted((*begun, *times)) if times else []
    moments = tuple(_EPOCH + timedelta(seconds=time) for time in every)
    return Events(len(times), moments, step, damaged, timeless, len(content) - at)


# ------------------------------------------------------------------ records

#: How many bytes a field of a wire type takes; a varint and a text say it themselves.
_WIDTHS = {0: 0, 1: 8, 2: 0, 5: 4}


def _fields(data: bytes) -> dict[int, bytes] | None:
    """The fields of a protocol buffer by number, of each the last; None if it is not one."""
    fields: dict[int, bytes] = {}
    at = 0
    try:
        while at < len(data):
            key, at = _varint(data, at)
            width = _WIDTHS[key & 7]
            value = b""
            if not width:
                whole, at = _varint(data, at)
                width = whole if key & 7 == 2 else 0
                value = whole.to_bytes(10, "little")
            if at + width > len(data):
                return None
            fields[key >> 3] = data[at : at + width] if width else value
            at += width
    except (IndexError, KeyError, OverflowError):  # it ends early, or has no such type
        return None
    return fields if len(fields.get(1, bytes(8))) == 8 else None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A whole number in groups of seven bits, and where it ends."""
    value = shift = 0
    while data[at] & 0x80:
        if shift > 63:
            raise OverflowError
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1


def _table() -> tuple[int, ...]:
    made = list(range(256))
    for _ in range(8):
        made = [value >> 1 ^ (0x82F63B78 if value & 1 else 0) for value in made]
    return tuple(made)


_CRC32C = _table()


def masked_crc32c(data: bytes | memoryview) -> int:
    """The checksum of a record: CRC-32C, rotated by 15 bits, plus a constant."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC32C[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
