# SPDX-License-Identifier: BSD-3-Clause
"""Replaces CuPy on a machine without a GPU: arrays of NumPy behind CuPy's names, kernels on fibers.

It refuses or exposes likely mistakes: an array of the device is not an array of the host, new
memory is not zero, each array belongs to a device, and a kernel accepts only arrays of the device
on which it runs.
"""

from __future__ import annotations

import itertools

import numpy as np

from . import cuda
from .cuda import Device, _current

__version__ = "0 (stand-in)"


def _host(x, *, strict=False):
    """`x` with each array of the device, also in containers, replaced by its NumPy array."""
    if isinstance(x, ndarray):
        return x.host
    if isinstance(x, (tuple, list)):
        return type(x)(_host(part, strict=strict) for part in x)
    if isinstance(x, dict):
        return {name: _host(part, strict=strict) for name, part in x.items()}
    if strict and isinstance(x, np.ndarray) and x.ndim:
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    return x


def _there(x):
    if isinstance(x, (np.ndarray, np.generic)):
        return ndarray._of(np.asarray(x))
    if isinstance(x, tuple):
        return tuple(_there(part) for part in x)
    return x


class _Memory:
    def __init__(self, host):
        self.ptr, self._host = host.ctypes.data, host

    def memset_async(self, value, size):
        assert self._host.flags.c_contiguous and size <= self._host.nbytes
        self._host.reshape(-1).view(np.uint8)[:size] = value


class ndarray:  # noqa: N801
    """An array of `device`; `host` is the NumPy array that holds it."""

    __slots__ = ("device", "host")

    @classmethod
    def _of(cls, host, device=None):
        self = cls.__new__(cls)
        self.host = host
        self.device = Device() if device is None else device
        return self

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Use .get()")

    def __array_ufunc__(self, ufunc, method, *inputs, **given):
        return _there(getattr(ufunc, method)(*_host(inputs, strict=True), **_host(given)))

    def __array_function__(self, function, _types, args, given):
        return _there(function(*_host(args, strict=True), **_host(given)))

    @property
    def __cuda_array_interface__(self):
        return {**self.host.__array_interface__, "version": 3, "stream": 1}

    @property
    def data(self):
        return _Memory(self.host)

    @property
    def T(self):
        return _there(self.host.T)

    def get(self, out=None, blocking=True, **_):
        if out is None:
            return self.host.copy()
        out[...] = self.host
        return out

    def set(self, given):
        if given.dtype != self.dtype or given.shape != self.shape:
            raise ValueError("another type or shape")
        self.host[...] = given

    def astype(self, dtype, copy=True, **_):
        if not copy and self.dtype == dtype:
            return self
        return _there(self.host.astype(dtype))

    def __getitem__(self, key):
        return ndarray._of(np.asarray(self.host[_host(key, strict=True)]), self.device)

    def __setitem__(self, key, value):
        self.host[_host(key, strict=True)] = _host(value, strict=True)

    def __len__(self):
        return len(self.host)

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    def __repr__(self):
        return repr(self.host)

    __hash__ = None


for _name in ("dtype", "shape", "size", "ndim", "nbytes", "itemsize", "flags", "strides"):
    setattr(ndarray, _name, property(lambda self, name=_name: getattr(self.host, name)))
for _name in ("tolist", "item", "__int__", "__float__", "__bool__", "__index__", "tobytes"):
    setattr(
        ndarray,
        _name,
        lambda self, *args, name=_name: getattr(self.host, name)(*args),
    )
for _name in (
    *("copy", "reshape", "ravel", "sum", "max", "min", "any", "all", "nonzero", "view"),
    *("searchsorted", "cumsum", "transpose", "fill", "mean", "take", "sort", "argmax"),
):
    setattr(
        ndarray,
        _name,
        lambda self, *args, name=_name, **given: _there(
            getattr(self.host, name)(*_host(args, strict=True), **_host(given))
        ),
    )
_BINARY = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
)
_COMPARED = ("eq", "ne", "lt", "le", "gt", "ge")
for _name in itertools.chain(
    (f"__{side}{name}__" for name in _BINARY for side in ("", "r")),
    (f"__{name}__" for name in _COMPARED),
):
    setattr(
        ndarray,
        _name,
        lambda self, other, name=_name: _there(getattr(self.host, name)(_host(other, strict=True))),
    )
for _name in ("__neg__", "__invert__", "__abs__"):
    setattr(ndarray, _name, lambda self, name=_name: _there(getattr(self.host, name)()))


def _in_place(name):
    def changed(self, other):
        self.host = getattr(self.host, name)(_host(other, strict=True))
        return self

    return changed


for _name in _BINARY:
    setattr(ndarray, f"__i{_name}__", _in_place(f"__i{_name}__"))


def empty(shape, dtype=float):
    host = np.empty(shape, dtype=dtype)
    host.reshape(-1).view(np.uint8)[:] = 0xA7  # uninitialized memory
    return ndarray._of(host)


def empty_like(array):
    return empty(array.shape, array.dtype)


def array(given, dtype=None):
    return ndarray._of(np.array(_host(given), dtype=dtype))


def asarray(given, dtype=None):
    if isinstance(given, ndarray):
        return given if dtype is None else given.astype(dtype, copy=False)
    if hasattr(given, "__cuda_array_interface__"):
        attributes = {"__array_interface__": given.__cuda_array_interface__, "owner": given}
        return ndarray._of(np.asarray(type("Held", (), attributes)()))
    return array(given, dtype)


def from_dlpack(given):
    return ndarray._of(np.from_dlpack(given).copy())


def _made(name):
    def function(*args, **given):
        return _there(getattr(np, name)(*_host(args, strict=True), **_host(given)))

    return function


for _name in (
    *("zeros", "full", "arange", "cumsum", "unique", "searchsorted", "diff", "where", "sort"),
    *("isin", "concatenate", "bincount", "minimum", "maximum"),
):
    globals()[_name] = _made(_name)


def argsort(array):
    """A stable sort, as CuPy's."""
    return _there(np.argsort(array.host, kind="stable"))


class _Pool:
    limit = 0

    def free_bytes(self):
        return 0

    def used_bytes(self):
        return 0

    def get_limit(self):
        return self.limit

    def set_limit(self, size):
        type(self).limit = size

    def free_all_blocks(self):
        return None


def get_default_memory_pool():
    return _Pool()


def clear_memo():
    return None


class _Function:
    """A kernel, called with (blocks,), (threads,), arguments."""

    def __init__(self, module, name):
        self._module, self._name = module, name
        self.kernel, self.ptr = self, id(self)

    def __call__(self, grid, threads, arguments, *, enable_cooperative_groups=False):
        number = _current()
        given = []
        for argument in arguments:
            if not isinstance(argument, ndarray):
                given.append(argument)
                continue
            if argument.device.id != number:
                raise cuda.runtime.CUDARuntimeError(f"{self._name}: an array of another device")
            if not argument.flags.c_contiguous:
                raise cuda.runtime.CUDARuntimeError(f"{self._name}: an array with gaps")
            given.append((argument.data.ptr, argument.itemsize))
        cuda._launch(self._module, self._name, grid, threads, given, enable_cooperative_groups)


class RawModule:
    def __init__(self, *, code, options=()):
        self._module = cuda._module(code, options)

    def get_function(self, name):
        if not self._module.has(name):
            raise cuda.driver.CUDADriverError(f"there is no kernel {name}")
        return _Function(self._module, name)
