# SPDX-License-Identifier: BSD-3-Clause
"""A row of the registry: an algorithm and its options."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from btfperm import _core
from btfperm.errors import InvalidArgumentError

__all__ = ["Algorithm", "Option"]


@dataclass(frozen=True)
class Option:
    """An option of an algorithm: ``options={"name": value}``.

    The value is a finite number from 0 on. If there are `forms`, the value is one of these words
    instead. A form that ends in ``:k`` is a word with a number, such as ``"adaptive:0.7"`` for the
    form ``"adaptive:k"``. `old_forms` are deprecated words that are accepted, too; `summary` names
    their replacement. If `is_probability`, the value is at least 2^-20 and at most 1 - 2^-20.
    """

    name: str
    default: float | str
    summary: str
    forms: tuple[str, ...] = ()
    old_forms: tuple[str, ...] = ()
    is_probability: bool = False

    def checked(self, value: object, owner: str) -> float | str:
        """The value in the form that the algorithm takes.

        Raises
        ------
        InvalidArgumentError : the value is not permitted
        """
        if self.forms:
            if isinstance(value, str) and self._form_of(value) in self.forms + self.old_forms:
                return value
            number = " with a number for k" if any(":" in form for form in self.forms) else ""
            raise InvalidArgumentError(
                f"the option {self.name} of {owner} must be one of "
                f"{', '.join(self.forms)}{number}, not {value!r}"
            )
        if not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise InvalidArgumentError(
                f"the option {self.name} of {owner} must be a finite number from 0 on, "
                f"not {value!r}"
            )
        if self.is_probability and not 2.0**-20 <= value <= 1 - 2.0**-20:
            raise InvalidArgumentError(
                f"the option {self.name} of {owner} must be between 2^-20 and 1 - 2^-20, "
                f"not {value}"
            )
        return float(value)

    @staticmethod
    def _form_of(value: str) -> str:
        """The form of a value; an empty string for a word whose number is none."""
        word, colon, number = value.partition(":")
        if not colon:
            return word
        try:
            return f"{word}:k" if 0 <= float(number) < math.inf else ""
        except ValueError:
            return ""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm, from a publication or by btfperm.

    Attributes
    ----------
    name : the name that users type
    package, family : the folders of its file; `package` is also the submodule of the core.
        Initializers have the family ``"initial"``
    backend : ``"cpu"``, ``"gpu"`` or ``"mpi"``
    reference : its publication, or ``"btfperm"``
    summary : what it does, in one line
    prefer : when to use it, in one line
    parallel : whether it uses more than one thread
    starts_itself : whether it computes its own initial matching if it starts from an empty one. If
        the caller names it, no initializer runs before it by default
    deterministic : whether it gives the same matching in each run, also on several threads. On one
        thread and with the same seed, every algorithm on the CPU does so
    uses_devices : for an initializer of a distributed backend, whether its search runs on the
        device of each process, if the caller gives them devices: then it is the default
    options : its options
    file : stem of its file, if this is not the name of the algorithm. It contains the folders
        within ``btfperm`` if the file is not in the folders of `package` and `family`
    function : ``"module:name"`` of its function, if this is neither in the core nor in a driver in
        the folders of `package` and `family`
    """

    name: str
    package: str
    family: str
    backend: str
    reference: str
    summary: str
    prefer: str
    parallel: bool = False
    starts_itself: bool = False
    deterministic: bool = False
    uses_devices: bool = False
    options: tuple[Option, ...] = ()
    file: str = ""
    function: str = ""

    @cached_property
    def stem(self) -> str:
        """The name of its function in the core or in its driver, and usually of its file."""
        return self.name.replace("-", "_")

    @property
    def path(self) -> str:
        """The path of the file of its code within the folder ``btfperm``; on a GPU, the file of the
        kernels."""
        ending = {"cpu": ".hpp", "gpu": ".cu", "mpi": "_mpi.py"}[self.backend]
        name = self.file or self.stem
        folders = "" if "/" in name else f"{self.package}/{self.family}/"
        return f"{folders}{name}{ending}"

    @property
    def is_initializer(self) -> bool:
        return self.family == "initial"

    @property
    def of_graphs(self) -> bool:
        """Whether it matches the vertices of a graph, not the rows and columns of a matrix."""
        return self.family == "graph"

    @property
    def rules(self) -> str:
        """The package whose rules may choose it: `package`, or ``"weighted.graph"``."""
        return "weighted.graph" if self.of_graphs else self.package

    @cached_property
    def defaults(self) -> dict[str, float | str]:
        """The default of each option, in the form that the algorithm takes."""
        return {option.name: option.checked(option.default, self.name) for option in self.options}

    @cached_property
    def default_numbers(self) -> Mapping[str, float | str]:
        """The default of each option, in the form that the core takes."""
        return self.in_numbers(self.defaults)

    def has_option(self, name: str) -> bool:
        return any(option.name == name for option in self.options)

    def checked(self, options: Mapping[str, float | str]) -> dict[str, float | str]:
        """The value of each option of this algorithm: from `options`, or the default."""
        return self.defaults | {
            option.name: option.checked(options[option.name], self.name)
            for option in self.options
            if option.name in options
        }

    def in_numbers(self, values: Mapping[str, float | str]) -> Mapping[str, float | str]:
        """The values of all options in the form that the core takes: each word is replaced by its
        place among the words of its option."""
        if not any(option.forms for option in self.options):
            return values
        forms = {option.name: option.forms for option in self.options}
        return {
            name: float(forms[name].index(value)) if isinstance(value, str) else value
            for name, value in values.items()
        }

    def load(self) -> Callable[..., Any]:
        """The function that runs the algorithm: `function` if it is set; otherwise a function of
        the core (CPU), of the driver ``<name>_gpu.py``, or of the module ``<name>_mpi.py``."""
        if self.function:
            module, _, name = self.function.partition(":")
            return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]
        if self.backend == "cpu":
            return getattr(getattr(_core, self.package), self.stem)  # type: ignore[no-any-return]
        driver = importlib.import_module(
            f"btfperm.{self.package}.{self.family}.{self.file or self.stem}_{self.backend}"
        )
        return getattr(driver, self.stem)  # type: ignore[no-any-return]
