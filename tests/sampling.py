# SPDX-License-Identifier: BSD-3-Clause
"""The options `--sample` and `--one` of pytest: a few parameter sets of each test function.

Most tests of GPUs have two or three parameters (algorithm, family, numbering) and run every
combination. On an emulated device that takes hours. With `--sample`, each test function runs only
with enough drawn combinations that each *value* of each parameter occurs at least once. The draw
depends on the seed of the run, so different runs try different combinations, and BTFPERM_SEED
repeats a run. With `--one`, each test function runs with one drawn combination, or with one for
each algorithm if it is marked `every_algorithm`.
"""

from __future__ import annotations

import random

import pytest

__all__ = ["add_option", "keep_first_values", "sampled", "without_one_thread"]


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(
        "--sample",
        action="store_true",  # with a value, pytest would take a path after it for that value
        help="of each test function, run drawn parameter sets in which each value of each "
        "parameter occurs",
    )
    parser.addoption(
        "--one",
        action="store_true",
        help="of each test function, run one drawn parameter set, or one for each algorithm",
    )


def sampled(items: list[pytest.Item], seed: int, *, one: bool = False) -> tuple[list, list]:
    """The items that run, and those that are left out, both in their original order. `one`: a
    single item of each function, or of each of its algorithms."""
    functions: dict[str, list[pytest.Item]] = {}
    for item in items:
        functions.setdefault(item.nodeid.partition("[")[0], []).append(item)
    chosen: set[pytest.Item] = set()
    draw = random.Random(seed)
    for function in functions.values():
        occurred: set[tuple[str, object]] = set()
        for item in draw.sample(function, len(function)):
            values = _algorithm(item) if one else _values(item)
            if values - occurred:
                occurred |= values
                chosen.add(item)
    return [item for item in items if item in chosen], [
        item for item in items if item not in chosen
    ]


def without_one_thread(items: list[pytest.Item]) -> tuple[list, list]:
    """The items without the value 1 of the parameter `threads`, and those that have it."""
    chosen: tuple[list, list] = [], []
    for item in items:
        spec = getattr(item, "callspec", None)
        chosen[spec is not None and spec.params.get("threads") == 1].append(item)
    return chosen


def _values(item: pytest.Item) -> set[tuple[str, object]]:
    """Names and identities of values: `callspec.indices` of pytest 9 numbers whole sets."""
    spec = getattr(item, "callspec", None)
    return {(name, id(value)) for name, value in spec.params.items()} if spec else {("", 0)}


def _algorithm(item: pytest.Item) -> set[tuple[str, object]]:
    """The name of the algorithm where a function runs every algorithm."""
    if item.get_closest_marker("every_algorithm"):
        return {("", item.callspec.params["row"].name)}
    return {("", None)}


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
