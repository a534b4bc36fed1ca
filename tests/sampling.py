# SPDX-License-Identifier: BSD-3-Clause
"""The options `--sample` and `--one` of pytest: a few parameter sets of each test function.

Most tests of GPUs have two or three parameters (algorithm, family, numbering) and run every
combination. On an emulated device that takes hours. With `--sample`, each test function runs only
with enough drawn combinations that each *value* of each parameter occurs at least once. The draw
depends on the seed of the run, so different runs try different combinations, and BTFPERM_SEED
repeats a run. With `--one`, each test function runs with one drawn combination.
"""

from __future__ import annotations

import random

import pytest

__all__ = ["add_option", "keep_first_values", "sampled"]


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(
        "--sample",
        action="store_true",  # with a value, pytest would take a path after it for that value
        help="of each test function, run drawn parameter sets in which each value of each "
        "parameter occurs",
    )
    parser.addoption(
        "--one", action="store_true", help="of each test function, run one drawn parameter set"
    )


def sampled(items: list[pytest.Item], seed: int, *, one: bool = False) -> tuple[list, list]:
    """The items that run, and those that are left out, both in their original order. `one`: a
    single item of each function."""
    functions: dict[str, list[pytest.Item]] = {}
    for item in items:
        functions.setdefault(item.nodeid.partition("[")[0], []).append(item)
    chosen: set[pytest.Item] = set()
    draw = random.Random(seed)
    for function in functions.values():
        # Names and identities of values: `callspec.indices` of pytest 9 numbers whole sets.
        occurred: set[tuple[str, int]] = set()
        for item in draw.sample(function, 1 if one else len(function)):
            spec = getattr(item, "callspec", None)
            values = (
                {(name, id(value)) for name, value in spec.params.items()} if spec else {("", 0)}
            )
            if values - occurred:
                occurred |= values
                chosen.add(item)
    return [item for item in items if item in chosen], [
        item for item in items if item not in chosen
    ]


def keep_first_values(function: pytest.Item) -> None:
    """Keeps only the first value of each parameter of a function whose tests would all be skipped.
    Otherwise pytest collects thousands of tests of GPUs to skip them one by one."""
    for k, mark in enumerate(function.own_markers):
        if mark.name == "parametrize" and len(mark.args) == 2:
            names, values = mark.args[0], list(mark.args[1])[:1]
            options = dict(mark.kwargs)
            if isinstance(options.get("ids"), list | tuple):
                options["ids"] = options["ids"][:1]
            function.own_markers[k] = pytest.mark.parametrize(names, values, **options).mark
