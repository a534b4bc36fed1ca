# SPDX-License-Identifier: BSD-3-Clause
"""Permutation files in their three formats, written from the same fields."""

from __future__ import annotations

import json
import random
from typing import Any

from tests.fuzz.draw import Case, Draw, integer, token
from tests.fuzz.zip_file import ZIP_MUTATIONS, Archive, Member

__all__ = ["MUTATIONS", "Fields", "as_archive", "as_json", "as_text", "make"]

_RESULTS: tuple[dict[str, list[int]], ...] = (
    {  # a decomposition with a horizontal, a square and a vertical part
        "shape": [5, 4],
        "structural_rank": [3],
        "row_perm": [4, 2, 1, 0, 3],
        "col_perm": [3, 0, 1, 2],
        "row_blocks": [0, 1, 2, 5],
        "col_blocks": [0, 2, 3, 4],
        "coarse_rows": [0, 1, 2, 3, 5],
        "coarse_cols": [0, 1, 2, 3, 4],
        "row_match": [2, -1, 1, -1, 0],
        "col_match": [4, 2, 0, -1],
    },
    {
        "shape": [0, 0],
        "structural_rank": [0],
        "row_perm": [],
        "col_perm": [],
        "row_blocks": [0, 0, 0],
        "col_blocks": [0, 0, 0],
        "coarse_rows": [0, 0, 0, 0, 0],
        "coarse_cols": [0, 0, 0, 0, 0],
        "row_match": [],
        "col_match": [],
    },
    {  # a block triangular form
        "shape": [2, 2],
        "structural_rank": [2],
        "row_perm": [1, 0],
        "col_perm": [1, 0],
        "row_blocks": [0, 1, 2],
        "col_blocks": [0, 1, 2],
        "coarse_rows": [0, 0, 2, 2, 2],
        "coarse_cols": [0, 0, 0, 2, 2],
        "row_match": [0, 1],
        "col_match": [0, 1],
    },
)
_WRONG: tuple[Any, ...] = (
    *(None, True, "x", "", [], {}, [[]], [1, [2]], 1.5, [1.5, 2], ["1"], {"a": 1}, [None], [True]),
    *(2**62, 2**64, 10**30, [10**30], -1, float("nan"), float("inf"), [[1, 2], [3, 4]], "\x1b[31m"),
)
_SCALES = ("log_row_scale", "log_col_scale")
_REALS = (0.0, -0.0, 1.5, -2.25e-8, 3e300, 5e-324, -7.0, 0.1, 1)
_NO_REALS: tuple[Any, ...] = (float("nan"), float("inf"), 10**400, "1_0", "1e", ".", None, True)


class Fields:
    """Named lists of integers, named lists of real numbers, and the meta data."""

    def __init__(self, rng: random.Random) -> None:
        self.fields: dict[str, Any] = {
            name: list(numbers) for name, numbers in rng.choice(_RESULTS).items()
        }
        square = self.fields["coarse_rows"][2] == self.fields["shape"][0]
        kind = "block_triangular_form" if square else "dulmage_mendelsohn"
        self.meta: Any = {"format_version": 1, "kind": kind, "convention": "btfperm"}
        if rng.random() < 0.5:
            self.meta["matrix"] = {"nnz": 7, "file": "a.mtx"}
        self.convention = "btfperm"
        self.counts: dict[str, str] = {}
        self.reals: dict[str, Any] = {}
        if rng.random() < 0.4:
            for name, size in zip(_SCALES, self.fields["shape"], strict=True):
                self.reals[name] = [rng.choice(_REALS) for _ in range(size)]


def _number(model: Fields, rng: random.Random) -> str:
    name = rng.choice(sorted(model.fields))
    part = model.fields[name]
    at = rng.randrange(len(part))
    part[at] = integer(rng, part[at])
    return f"{name}[{at}] = {part[at]}"


def _shape(model: Fields, rng: random.Random) -> str:
    at = rng.randrange(2)
    model.fields["shape"][at] = integer(rng, model.fields["shape"][at])
    return str(model.fields["shape"])


def _list(model: Fields, rng: random.Random) -> str:
    name = rng.choice(sorted(model.fields))
    part = model.fields[name]
    kind = rng.choice(("drop", "add", "empty", "shuffle", "repeat", "missing", "more"))
    if kind == "drop":
        part.pop(rng.randrange(len(part)))
    elif kind == "add":
        part.insert(rng.randrange(len(part) + 1), integer(rng, 2))
    elif kind == "empty":
        part.clear()
    elif kind == "shuffle":
        rng.shuffle(part)
    elif kind == "repeat":
        part *= 2
    elif kind == "missing":
        del model.fields[name]
    else:
        model.fields[token(rng, name)] = part
    return f"{kind} {name}"


def _swap(model: Fields, rng: random.Random) -> str:
    a, b = rng.sample(sorted(model.fields), 2)
    model.fields[a], model.fields[b] = model.fields[b], model.fields[a]
    return f"{a} and {b}"


def _value(model: Fields, rng: random.Random) -> str:
    """A wrong value in place of a list of integers, mostly of a type that only JSON can hold."""
    name = rng.choice(sorted(model.fields))
    model.fields[name] = rng.choice(_WRONG)
    return f"{name} = {model.fields[name]!r}"


def _meta(model: Fields, rng: random.Random) -> str:
    if rng.random() < 0.15:
        model.meta = rng.choice(_WRONG)
        return repr(model.meta)
    key = rng.choice(("format_version", "kind", "convention", "matrix"))
    kinds = ("dulmage_mendelsohn", "block_triangular_form", "\x1b[31m", "x\ny", "x" * 3000)
    model.meta[key] = rng.choice((*_WRONG, *kinds, 0, 2, {"nnz": integer(rng)}, {"nnz": "x"}))
    return f"{key} = {model.meta[key]!r}"[:80]


def _count(model: Fields, rng: random.Random) -> str:
    """A length that is not the length of the list; only the text format has lengths."""
    name = rng.choice(("", *sorted(model.fields), *sorted(model.reals)))
    model.counts[name] = token(rng, str(len(model.fields.get(name, ()))))
    return f"{name} = {model.counts[name]!r}"


def _real(model: Fields, rng: random.Random) -> str:
    """Another number in a scaling, or a scaling that is missing, too long or no list."""
    if not model.reals:
        model.reals = {name: [0.5] * rng.randrange(7) for name in _SCALES}
    name = rng.choice(sorted(model.reals))
    part = model.reals[name]
    kind = rng.choice(("number", "number", "add", "drop", "missing", "value", "name"))
    if kind == "missing" or not isinstance(part, list):
        del model.reals[name]
    elif kind == "value":
        model.reals[name] = rng.choice(_WRONG)
    elif kind == "name":
        model.reals[token(rng, name)] = model.reals.pop(name)
    elif kind == "drop":
        del part[-1:]
    elif kind == "add" or not part:
        part.append(rng.choice((*_REALS, *_NO_REALS)))
    else:
        part[rng.randrange(len(part))] = rng.choice((*_REALS, *_NO_REALS))
    return f"{kind} {name}"


MUTATIONS = (_number, _number, _number, _shape, _list, _list, _swap, _value, _meta, _count, _real)


def as_json(model: Fields, rng: random.Random) -> bytes:
    fields = {**model.fields, **model.reals}
    text = json.dumps({**fields, "convention": model.convention, "meta": model.meta})
    chosen = rng.random()
    if chosen < 0.92:
        return text.encode("utf-8", "surrogateescape")
    if chosen < 0.96:
        return text.encode(rng.choice(("utf-16", "utf-32", "utf-8-sig", "utf-16-le")))
    numbers = (
        "NaN",
        "Infinity",
        "1e999",
        "1.0",
        "-0",
        "9" * 5000,
        "[" * 3000,
        '"\\ud800"',
        "1E400",
    )
    return text.replace("1", rng.choice(numbers), 1).encode()


def as_text(model: Fields, rng: random.Random) -> bytes:
    counts = model.counts
    first = ["btfperm-permutation", "1", model.convention, counts.get("", str(len(model.fields)))]
    lines = [" ".join(first)]
    for name, value in model.fields.items():
        numbers = value if isinstance(value, list) else [value]
        lines.append(f"{name} {counts.get(name, len(numbers))}")
        if numbers:
            lines.append(" ".join(map(str, numbers)))
    lines.append("meta " + json.dumps(model.meta))
    if model.reals:
        lines.append("reals " + counts.get("", str(len(model.reals))))
    for name, value in model.reals.items():
        numbers = value if isinstance(value, list) else [value]
        lines += [f"{name} {counts.get(name, len(numbers))}", " ".join(map(str, numbers))]
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def as_archive(model: Fields, rng: random.Random) -> Archive:
    members = []
    for name, value in model.fields.items():
        numbers = value if isinstance(value, list) else []
        whole = [x if isinstance(x, int) else 0 for x in numbers]
        members.append(Member(f"{name}.npy", [*whole], "<i8", "q", (len(whole),)))
    for name, value in model.reals.items():
        numbers = value if isinstance(value, list) else []
        reals = [x if isinstance(x, float) else 0.0 for x in numbers]
        members.append(Member(f"{name}.npy", [*reals], "<f8", "d", (len(reals),)))
    for name, value in (("convention", model.convention), ("meta", json.dumps(model.meta))):
        text = value.encode("utf-32-le")
        members.append(Member(f"{name}.npy", [text], f"<U{len(value)}", "s", ()))
    if rng.random() < 0.3:
        for member in members:
            member.method = 8
    return Archive(members)


def _large(rng: random.Random) -> tuple[bytes, str]:
    """One long word, number or list, lists nested deeply, or many names."""
    model = Fields(rng)
    kind = rng.choice(("long word", "long number", "list", "nested", "lists", "names"))
    count = rng.choice((10_000, 90_000, 400_000))
    in_text = rng.random() < 0.5
    if kind == "long word" or kind == "long number":
        long = "9" * count
        if in_text:
            numbers = rng.choice((long, "1 " * 5000 + long, (long[:5000] + " ") * 50))
            text = f"btfperm-permutation 1 btfperm 10\nshape {len(numbers.split())}\n{numbers}\n"
            return text.encode(), f"large {kind} in txt: {count}"
        wrong: Any = {"long word": ["x" * count, *["1"] * 5000], "long number": 9}[kind]
        text = json.dumps({**model.fields, "row_perm": wrong, "meta": model.meta})
        if kind == "long number":
            text = text.replace("9", long, 1)
        return text.encode(), f"large {kind} in json: {count}"
    if kind == "list":
        model.fields["row_perm"] = [0] * count
        data = as_text(model, rng) if in_text else as_json(model, rng)
        return data, f"large {kind}: {count}"
    if kind == "lists":
        model.fields["row_perm"] = [[0] * 3] * (count // 10)
    text = json.dumps({**model.fields, "meta": model.meta})
    if kind == "nested":
        text = text.replace("[", "[" * count, 1)
    elif kind == "names":
        text = text[:-1] + "".join(f', "{k}": []' for k in range(count // 10)) + "}"
    return text.encode(), f"large {kind}: {count}"


def make(draw: Draw) -> Case:
    rng = draw.random
    if draw.is_large:
        data, what = _large(rng)
        return Case("", data, "perm", rng.random() < 0.3, None, [what])
    model = Fields(rng)
    form = rng.choice(("npz", "json", "txt"))
    draw.mutate(model, MUTATIONS)
    if form == "npz":
        archive = as_archive(model, rng)
        if rng.random() < 0.5:
            draw.mutate(archive, ZIP_MUTATIONS, max_mutations=2)
        data = archive.bytes()
    else:
        data = (as_json if form == "json" else as_text)(model, rng)
    data = draw.bytes_mutated(data, 0.15, lambda: as_text(Fields(rng), rng))
    block = rng.choice((None, 0))
    return Case("", data, f"perm.{form}", rng.random() < 0.3, block, draw.log)
