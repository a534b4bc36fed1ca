# SPDX-License-Identifier: BSD-3-Clause
"""Permutation files in any convention, as `btfperm check` reads them: with `.mat` and `.petsc`."""

from __future__ import annotations

import json
import random
import struct

from tests.fuzz import matlab, perm
from tests.fuzz.draw import Case, Draw, Mutation, integer
from tests.fuzz.zip_file import ZIP_MUTATIONS

__all__ = ["PETSC_IS", "make"]

PETSC_IS = 1211218  # the class of an index set in a file of PETSc
_CONVENTIONS: dict[str, dict[str, list[int]]] = {
    "matlab": {
        "p": [3, 1, 2],
        "q": [1, 2, 3],
        "r": [1, 2, 4],
        "s": [1, 2, 4],
        "cc": [1, 1, 1, 4, 4],
        "rr": [1, 1, 4, 4, 4],
    },
    "csparse": {
        "p": [2, 0, 1],
        "q": [0, 1, 2],
        "r": [0, 1, 3],
        "s": [0, 1, 3],
        "nb": [2],
        "rr": [0, 0, 3, 3, 3],
        "cc": [0, 0, 0, 3, 3],
    },
    "btf": {
        "P": [2, 0, 1],
        "Q": [0, -3, 2],
        "R": [0, 1, 3],
        "nblocks": [2],
        "nmatch": [2],
        "Match": [1, -3, 0],
    },
    "klu": {"P": [2, 0, 1], "Q": [0, 1, 2], "R": [0, 1, 3]},
    "superlu": {"perm_r": [2, 0, 1], "perm_c": [0, 1, 2]},
    "umfpack": {"P": [2, 0, 1], "Qinit": [0, 1, 2]},
    "petsc": {"rperm": [2, 0, 1], "cperm": [0, 1, 2]},
    "scipy": {"row": [1, -1, 0], "column": [2, 0, -1], "structural_rank": [2]},
}


class _Model(perm.Fields):
    """The fields of another tool, or those of btfperm."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        name = rng.choice(("btfperm", "btfperm", *_CONVENTIONS))
        if name != "btfperm":
            self.fields = {key: list(numbers) for key, numbers in _CONVENTIONS[name].items()}
            self.reals = {}
            self.meta["convention"] = self.convention = name
        if rng.random() < 0.2:
            self.meta["weights"] = {"objective": "product", "gap": rng.choice((0.0, 0.5, -1, "x"))}


def _convention(model: _Model, rng: random.Random) -> str:
    names = (*_CONVENTIONS, "casadi", "x\x1b[2J", "", "x" * 3000, None, 3)
    name = rng.choice(names)
    if rng.random() < 0.7:
        model.meta["convention"] = name
    model.convention = str(name)
    return repr(name)[:40]


_MUTATIONS: tuple[Mutation, ...] = (*perm.MUTATIONS, _convention)


def _as_mat(model: _Model, rng: random.Random) -> matlab.File:
    file = matlab.File(rng)
    lists = {**model.fields, **model.reals}
    file.variables = [
        matlab.list_of_doubles(name.encode("utf-8", "replace"), numbers)
        for name, numbers in lists.items()
        if isinstance(numbers, list) and all(isinstance(x, int | float) for x in numbers)
    ]
    texts = (("convention", model.convention), ("meta", json.dumps(model.meta)))
    for name, text in texts:
        kind = rng.choice((4, 16, 17))
        file.variables.append(matlab.characters(name.encode(), text, kind))
    return file


def _as_petsc(model: _Model, rng: random.Random) -> bytes:
    """Index sets with numbers of 32 or 64 bits; some words may be wrong."""
    code, size = rng.choice((("i", 32), ("q", 64)))
    lists = [numbers for numbers in model.fields.values() if isinstance(numbers, list)][:2]
    lists += [[0]] * (rng.random() < 0.05)
    words = [word for numbers in lists for word in (PETSC_IS, len(numbers), *numbers)]
    if words and rng.random() < 0.4:
        at = rng.randrange(len(words))
        words[at] = integer(rng, words[at] if isinstance(words[at], int) else 0)
    whole = [word & (1 << size) - 1 if isinstance(word, int) else 0 for word in words]
    return struct.pack(f">{len(whole)}{code.upper()}", *whole)


def make(draw: Draw) -> Case:
    rng = draw.random
    form = rng.choice(("npz", "json", "txt", "mat", "petsc"))
    if draw.is_large:
        if form == "petsc":
            count = rng.choice((10_000, 3_000_000))
            data = struct.pack(">ii", PETSC_IS, count) + bytes(4 * count)
            draw.log.append(f"large index set: {count}")
            return Case("", data * 2, "arrays.petsc", log=draw.log)
        case = (matlab if form == "mat" else perm).make(draw)
        case.name = f"arrays.{form}"
        return case
    model = _Model(rng)
    draw.mutate(model, _MUTATIONS)
    if form == "npz":
        archive = perm.as_archive(model, rng)
        if rng.random() < 0.5:
            draw.mutate(archive, ZIP_MUTATIONS, max_mutations=2)
        data = archive.bytes()
    elif form == "mat":
        file = _as_mat(model, rng)
        if rng.random() < 0.5:
            draw.mutate(file, matlab.MUTATIONS, max_mutations=2)
        data = file.bytes()
    elif form == "petsc":
        data = _as_petsc(model, rng)
    else:
        data = (perm.as_json if form == "json" else perm.as_text)(model, rng)
    data = draw.bytes_mutated(data, 0.15, lambda: perm.as_text(_Model(rng), rng))
    block = rng.choice((None, 0))
    return Case("", data, f"arrays.{form}", rng.random() < 0.3, block, draw.log)
