# SPDX-License-Identifier: BSD-3-Clause
"""Classes that repeat names of `btfperm.fields` for type checkers have the same names."""

from __future__ import annotations

import dataclasses

from btfperm.conventions.btfperm import Btfperm
from btfperm.dulmage_mendelsohn.form import Form
from btfperm.fields import FIELDS, FORM, SCALINGS
from btfperm.results import Decomposition
from btfperm.results.distributed import DistributedDecomposition


def names_of(rows):
    return [field.name for field in rows]


def test_the_fields_of_each_class():
    form = names_of(FORM)
    assert list(Form._fields) == form
    assert list(Btfperm._fields) == names_of(FIELDS[2:]) == [*form, "row_match", "col_match"]
    for class_, needed in (
        (Decomposition, names_of((*FIELDS, *SCALINGS))),
        (DistributedDecomposition, ["shape", "structural_rank", *form]),
    ):
        has = {field.name for field in dataclasses.fields(class_)}
        assert has >= set(needed), set(needed) - has


def test_a_rank_has_a_part_of_what_is_on_a_device():
    names = names_of(field for field in FORM if field.on_device)
    assert names == ["row_perm", "col_perm", "row_blocks", "col_blocks"]
