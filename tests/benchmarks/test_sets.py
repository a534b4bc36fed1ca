# SPDX-License-Identifier: BSD-3-Clause
"""Every name in ``sets.toml`` can be made. No matrix is made here, because some are large."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from benchmarks import cases
from benchmarks.generators import family_of, make
from benchmarks.hostile import FAMILIES
from benchmarks.papers.stand_ins import SIZES, stand_ins

TABLE = tomllib.loads(Path(cases.__file__).with_name("sets.toml").read_text(encoding="utf-8"))

# Sections that make graphs or values themselves, and the forms of their names.
NUMBER = r"[0-9]+(\.[0-9]+)?(e[0-9]+)?"
WEIGHTED = r"(delaunay|rgg|grid|kron|star|random):[0-9]+|random:[0-9]+:[0-9]+"
FORMS = {
    "mpi-local-max": r"rgg_n_2_[0-9]+(\+shuffled)?",
    "external": r"random_[0-9]+",
    "auctions": r"rnd_[0-9]+(e[0-9]+)?_d[0-9]+(_s10|_unif|_ties)?|kkt_[0-9e]+|grid_[0-9]+",
    "weights-base": r"rnd_[0-9]+e[0-9]+_d[0-9]+(_s10|_unif|_ties)?",
    "graphs": r"(random|grid|star|path)_[0-9]+",
    "gpu-decomposition": rf"(tri|wide|band|circ|blk|erd|g3|kkt)(:{NUMBER})+(:nat)?",
    "hostile": rf"({'|'.join(FAMILIES)})_[0-9]+x[0-9]+(_rcp)?",
    "paper-002": WEIGHTED,
    "paper-004": WEIGHTED,
}


@pytest.mark.parametrize("section", TABLE)
def test_every_name_is_one_that_can_be_made(section):
    for which, text in TABLE[section].items():
        names = text.split()
        assert names and len(set(names)) == len(names), which
        others = [n for n in names if not re.fullmatch(FORMS.get(section, "no name"), n)]
        assert [case.name for case in cases.generated(others)] == others, which
    assert stand_ins(SIZES[-1])


@pytest.mark.parametrize("name", ["ladder_2e5", "ladder_3", "ladder_200_rcp4", "kshard_41_k3"])
def test_a_size_that_a_family_does_not_have_is_known_before_the_matrix_is_made(name):
    for call in (family_of, make):
        with pytest.raises(ValueError, match=r"try (ladder_57|kshard_2000_k8)"):
            call(name)
