# SPDX-License-Identifier: BSD-3-Clause
"""How algorithms run on a CPU, on a GPU and over MPI ranks.

A backend is an object with the methods of `protocol.Backend`; ``cpu/backend.py``,
``gpu/backend.py`` and ``mpi/backend.py`` have one each. `get` returns it by name and imports it
when it is first used; `register` adds one. ``select.py`` reports which backends work on this
machine, and why others do not.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from btfperm.arguments import text
from btfperm.errors import InvalidArgumentError

if TYPE_CHECKING:
    from btfperm.backends.protocol import Backend

__all__ = [
    "MEASURED_BY",
    "check_backend",
    "get",
    "host_array",
    "is_on_device",
    "measure",
    "names",
    "of_one_process",
    "register",
]

# Name of a backend: module and name of its object.
_BACKENDS: dict[str, tuple[str, str]] = {
    "cpu": ("btfperm.backends.cpu.backend", "CPU"),
    "gpu": ("btfperm.backends.gpu.backend", "GPU"),
    "mpi": ("btfperm.backends.mpi.backend", "MPI"),
}

# Features of a machine or of a matrix (`btfperm/pattern/features.py` defines them) that a backend
# measures, and the name of this backend. `register` adds the features of another backend.
MEASURED_BY = {
    "warm": "gpu",
    "gpus": "gpu",
    "ranks": "mpi",
    "first_cores": "mpi",
    "first_memory": "mpi",
    "first_gpu": "mpi",
}


def names() -> tuple[str, ...]:
    """The backends that can be requested by name."""
    return tuple(_BACKENDS)


def of_one_process() -> tuple[str, ...]:
    """The backends other than the CPU that need only this process. They can run a step for a
    matrix on the host."""
    return tuple(name for name in _BACKENDS if name not in ("cpu", "mpi"))


def measure(feature: str, pattern: Any) -> float:
    """The value of a feature that `MEASURED_BY` lists, for this pattern or for the machine."""
    return get(MEASURED_BY[feature]).measure(feature, pattern)


def register(name: str, module: str, attribute: str, features: Iterable[str] = ()) -> None:
    """Adds the backend ``module.attribute``; the module is imported when it is first used.

    `features` are the names of the features that its method `measure` returns. The conditions of
    the rules of ``auto`` may use them. The names must differ from those in `Features`.
    """
    _BACKENDS[name] = module, attribute
    MEASURED_BY.update(dict.fromkeys(features, name))
    get.cache_clear()


def unregister(name: str) -> None:
    """Removes a backend that `register` added."""
    del _BACKENDS[name]
    for feature in [feature for feature, owner in MEASURED_BY.items() if owner == name]:
        del MEASURED_BY[feature]
    get.cache_clear()


@cache
def get(name: str) -> Backend:
    """The backend of that name."""
    module, attribute = _BACKENDS[name]
    backend: Any = getattr(importlib.import_module(module), attribute)
    return backend  # type: ignore[no-any-return]


def check_backend(backend: str) -> None:
    """Raises InvalidArgumentError if no backend has this name. The backend is not tested: whether
    it works on this machine is known after its first use."""
    if text("backend", backend) == "auto" or backend in _BACKENDS:
        return
    raise InvalidArgumentError(f"unknown backend {backend!r}; there are auto, {', '.join(names())}")


def is_on_device(array: object) -> bool:
    """Whether an array of a result is on a GPU. The test imports nothing."""
    return hasattr(array, "__cuda_array_interface__")


def host_array(value: Any) -> Any:
    """A NumPy copy of an array of a result that is on a GPU; any other value itself."""
    return value.get() if is_on_device(value) else value
