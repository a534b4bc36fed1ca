# SPDX-License-Identifier: BSD-3-Clause
"""`.npz` files of SciPy in every layout: arrays of numbers in a ZIP archive."""

from __future__ import annotations

import random

from tests.fuzz.draw import Case, Draw, integer
from tests.fuzz.zip_file import ZIP_MUTATIONS, Archive, Member

__all__ = ["ARRAY_TYPES", "make"]

LAYOUTS = ("csc", "csr", "coo", "bsr", "dia")
ARRAY_TYPES = {"i": "<i4", "q": "<i8", "d": "<f8", "f": "<f4", "b": "|i1", "?": "|b1"}


def _numbers(
    key: str, numbers: list[float], code: str, shape: tuple[int, ...] | None = None
) -> Member:
    count = (len(numbers),) if shape is None else shape
    return Member(f"{key}.npy", list(numbers), ARRAY_TYPES[code], code, count)


def _archive(rng: random.Random) -> Archive:
    layout = rng.choice(LAYOUTS)
    m, n = rng.choice((0, 1, 2, 3, 4, 6)), rng.choice((0, 1, 2, 3, 4, 6))
    index, code = rng.choice("iq"), rng.choice("ddfb")
    size = 2 if layout == "bsr" and m % 2 == n % 2 == 0 else 1
    long, wide = (m, n) if layout == "csr" else (n, m)
    if layout == "bsr":
        long, wide = m // size, n // size
    columns = [
        sorted(rng.sample(range(wide), rng.randrange(min(wide, 3) + 1))) for _ in range(long)
    ]
    starts = [0]
    for column in columns:
        starts.append(starts[-1] + len(column))
    inner = [i for column in columns for i in column]
    outer = [j for j, column in enumerate(columns) for _ in column]
    values: list[float] = [rng.choice((0, 1, 2, 3)) for _ in range(len(inner) * size * size)]
    arrays: list[Member] = []
    if layout == "coo":
        arrays = [_numbers("row", [*inner], index), _numbers("col", [*outer], index)]
        data = _numbers("data", values, code)
    elif layout == "dia":
        count = rng.choice((0, 1, 2))
        offsets: list[float] = [*rng.sample(range(-3, 4), count)]
        width = rng.choice((0, 1, n, n + 2))
        arrays = [_numbers("offsets", offsets, index)]
        values = [rng.choice((0, 1, 2)) for _ in range(count * width)]
        data = _numbers("data", values, code, (count, width))
    else:
        arrays = [_numbers("indptr", [*starts], index), _numbers("indices", [*inner], index)]
        shape = (len(inner), size, size) if layout == "bsr" else None
        data = _numbers("data", values, code, shape)
    name = Member("format.npy", [layout.encode()], "|S3", "s", ())
    members = [*arrays, name, _numbers("shape", [m, n], "q"), data]
    if rng.random() < 0.4:
        for member in members:
            member.method = 8
    return Archive(members)


def _shape(archive: Archive, rng: random.Random) -> str:
    member = next(part for part in archive.members if part.key == "shape.npy")
    at = rng.randrange(2)
    member.numbers[at] = integer(rng, int(member.numbers[at]))
    return f"{member.numbers}"


def _layout(archive: Archive, rng: random.Random) -> str:
    member = next(part for part in archive.members if part.key == "format.npy")
    words = (
        b"csc",
        b"csr",
        b"coo",
        b"bsr",
        b"dia",
        b"lil",
        b"dok",
        b"\x1b[3",
        b"a\nb",
        b"\xff\xff\xff",
    )
    member.numbers = [rng.choice(words)]
    if rng.random() < 0.2:
        text = rng.choice(("csc", "dia", "x\x1b[31m")).encode("utf-32-le")
        member.numbers, member.descr = [text], f"<U{len(text) // 4}"
    return repr(member.numbers)


def _data_shape(archive: Archive, rng: random.Random) -> str:
    """Another shape of the values, with the same number of values or with none."""
    member = next(part for part in archive.members if part.key == "data.npy")
    count = len(member.numbers)
    shapes = ((count,), (count, 1), (1, count), (count, 1, 1), (1, 1, count), (0, 0, 0), (0, 0))
    more = ((0, 10**7), (10**7, 0), (0, 2**61), (count, 0, 0), (0, 2**31, 2**31), (), (0, 0, 2**62))
    member.shape = rng.choice(shapes + more)
    if 0 in member.shape:
        member.numbers.clear()
    return str(member.shape)


def _nothing_but_pointers(archive: Archive, rng: random.Random) -> str:
    """No entry, and pointers that increase and decrease again."""
    for member in archive.members:
        if member.key in ("indices.npy", "data.npy", "row.npy", "col.npy"):
            member.numbers.clear()
            member.shape = (0,) if len(member.shape) == 1 else (0, *member.shape[1:])
        elif member.key == "indptr.npy":
            member.numbers[1:] = [0] * (len(member.numbers) - 1)
            at = rng.randrange(1, max(2, len(member.numbers) - 1))
            member.numbers[at] = rng.choice((1, 10**7, -1, 2**30))
    return ""


_MUTATIONS = (*ZIP_MUTATIONS, _shape, _layout, _data_shape, _nothing_but_pointers)


def _large(rng: random.Random) -> tuple[bytes, str]:
    """Zeros that compress well, many members, or many pointers."""
    archive = _archive(rng)
    kind = rng.choice(("zeros", "members", "pointers", "head"))
    member = rng.choice(archive.members)
    if kind == "zeros":
        size = rng.choice((1, 16, 64)) << 20
        member.data, member.method = b"\0" * size, 8
        member.shape, member.descr = (size // 8,), "<f8"
        kind += f" in {member.key}: {size >> 20} MB"
    elif kind == "members":
        member.repeat = 20_000
    elif kind == "pointers":
        count = rng.choice((10_000, 100_000))
        for part in archive.members:
            if part.key in ("indptr.npy", "row.npy", "offsets.npy"):
                part.numbers, part.shape = [0] * count, (count,)
    else:
        member.head, member.version = "{" + " " * 500_000, b"\x02\x00"
    return archive.bytes(), f"large {kind}"


def make(draw: Draw) -> Case:
    rng = draw.random
    if draw.is_large:
        data, what = _large(rng)
        return Case("", data, "a.npz", rng.random() < 0.3, None, [what])
    archive = _archive(rng)
    draw.mutate(archive, _MUTATIONS)
    data = draw.bytes_mutated(archive.bytes(), 0.12, lambda: _archive(rng).bytes())
    return Case("", data, "a.npz", rng.random() < 0.3, None, draw.log)
