# SPDX-License-Identifier: BSD-3-Clause
"""No GPU, no driver, no CuPy, too little memory, a kernel that fails: the messages, and where
btfperm continues. The tests simulate all of these; only one of them needs a GPU."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import importlib.util
import sys
import warnings
from importlib.machinery import ModuleSpec
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.backends.gpu import device
from btfperm.backends.gpu.backend import GPU
from btfperm.backends.select import backends
from btfperm.errors import BackendUnavailableError, BackendWarning, InvalidArgumentError
from btfperm.path import failure
from btfperm.pattern import DevicePattern, as_pattern

A = sp.random_array((200, 200), density=0.01, rng=7, format="csc")
ON_GPU = [row.name for row in btfperm.algorithms(package="transversal") if row.backend == "gpu"]


@pytest.fixture(autouse=True)
def nothing_remembered():
    """Clears the cached facts about the machine and the reported failures around each test."""

    def forget():
        for remembered in (
            device._library,
            device._driver,
            device._why_none,
            device._count,
            device.count_unloaded,
            device.facts,
            device._refuse_old,
        ):
            remembered.cache_clear()
        failure._reported.clear()

    forget()
    yield
    forget()


class Driver:
    """An NVIDIA driver with `gpus` GPUs, for CUDA `version`; cuInit returns `code`."""

    def __init__(self, gpus, version=13000, code=0):
        self.gpus, self.version, self.code = gpus, version, code

    def cuInit(self, _flags):
        return self.code

    def cuDriverGetVersion(self, place):
        place._obj.value = self.version
        return 0

    def cuDeviceGetCount(self, place):
        place._obj.value = self.gpus
        return 0


def plant(monkeypatch, driver, *, cupy="absent"):
    def load(_name, _mode=0):
        if driver is None:
            raise OSError("no such library")
        return driver

    find = importlib.util.find_spec
    found = None if cupy == "absent" else ModuleSpec("cupy", None)
    monkeypatch.setattr(ctypes, "CDLL", load)
    monkeypatch.setattr(importlib.util, "find_spec", lambda n: found if n == "cupy" else find(n))


@pytest.mark.parametrize(
    ("driver", "fragments"),
    [
        (None, ("no NVIDIA driver", "btfperm[cuda12]", "btfperm[cuda13]")),
        (Driver(0), ("finds no GPU",)),
        (Driver(1, code=100), ("finds no GPU", "code 100")),
        (Driver(1), ("CuPy is not installed", "pip install 'btfperm[cuda13]'", "CUDA 13.0")),
        (Driver(2, 12040), ("pip install 'btfperm[cuda12]'", "CUDA 12.4")),
    ],
    ids=["no driver", "no gpu", "driver fails", "no CuPy, CUDA 13", "no CuPy, CUDA 12"],
)
def test_the_message_names_what_is_missing(monkeypatch, cli, matrix, driver, fragments):
    plant(monkeypatch, driver)
    for words in (("--backend", "gpu"), ("--algorithm", "apfb-wr"), ("rank", "--backend", "gpu")):
        device._why_none.cache_clear()
        ended = cli(*words, matrix("blocks")).failed(4, *fragments)
        assert ended.err.count("\n") == 1 and len(ended.err) < 400
    (found,) = (b for b in backends() if b.name == "gpu")
    assert not found.works and all(text in found.reason for text in fragments)


def test_hidden_devices_are_named(monkeypatch):
    plant(monkeypatch, Driver(0))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    assert "CUDA_VISIBLE_DEVICES is '-1'" in device.why_not()


def test_a_cupy_that_does_not_load(monkeypatch):
    plant(monkeypatch, Driver(1), cupy="broken")
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert "CuPy does not work here" in device.why_not()


def test_a_device_number_requires_a_gpu(monkeypatch, cli, matrix):
    plant(monkeypatch, None)
    for find in (btfperm.maximum_transversal, btfperm.block_triangular_form):
        with pytest.raises(BackendUnavailableError, match="no NVIDIA driver"):
            find(sp.eye_array(3), device=7)
    cli("--device", "7", matrix("blocks")).failed(4, "no NVIDIA driver")
    monkeypatch.setattr(device, "_why_none", lambda: None)
    monkeypatch.setattr(device, "_count", lambda: 2)
    with pytest.raises(BackendUnavailableError, match="no GPU 7; this machine has devices 0 to 1"):
        btfperm.maximum_transversal(sp.eye_array(3), device=7)


@pytest.mark.parametrize("name", ON_GPU)
def test_a_named_algorithm_is_never_another_one(monkeypatch, name):
    plant(monkeypatch, None)
    (row,) = (
        r for r in btfperm.algorithms(package="transversal") if (r.name, r.backend) == (name, "gpu")
    )
    how = {"initializer" if row.is_initializer else "algorithm": name, "backend": "gpu"}
    with pytest.raises(BackendUnavailableError, match="no NVIDIA driver"):
        # also if the start alone would match everything
        btfperm.maximum_transversal(sp.eye_array(3), **how)


def test_auto_does_not_search_for_a_gpu(monkeypatch):
    def fail(*_):
        raise AssertionError("auto searched for a GPU")

    monkeypatch.setattr(device, "why_not", fail)
    monkeypatch.setattr(ctypes, "CDLL", fail)
    assert btfperm.maximum_transversal(A).backend == "cpu"


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        ({"backend": "cpu", "algorithm": "apfb"}, "runs on the gpu"),
        ({"backend": "gpu", "algorithm": "pothen-fan"}, "runs on the cpu"),
        ({"backend": "cpu", "device": 0}, "device"),
        ({"backend": "gpu", "device": -1}, "device"),
        ({"backend": "gpu", "device": "first"}, "device"),
        ({"algorithm": "apfb", "options": {"threads": "all"}}, "ct, mt"),
        ({"algorithm": "apfb", "options": {"threads": 5}}, "ct, mt"),
        ({"algorithm": "ms-bfs-graft", "options": {"alpha": "ct"}}, "finite number"),
    ],
    ids=str,
)
def test_impossible_options_are_refused_before_the_search_for_a_gpu(monkeypatch, options, fragment):
    plant(monkeypatch, None)
    with pytest.raises(InvalidArgumentError, match=fragment):
        btfperm.maximum_transversal(A, **options)


# -- auto, if the device that holds the matrix fails -----------------------------------------------


class OnNoDevice(DevicePattern):
    """A pattern that claims to be on a GPU, with arrays on the host."""

    device = 0

    def _checked_arrays(self, shape):
        return self.indptr, self.indices

    def on_host(self):
        P = as_pattern(A)
        return btfperm.Pattern(self.shape, P.indptr, P.indices)


def fails(sentence):
    @contextlib.contextmanager
    def on(_device):
        raise BackendUnavailableError(sentence)
        yield

    return on


def test_auto_continues_on_the_cpu_with_one_warning(monkeypatch):
    P = as_pattern(A)
    on_failing_device = OnNoDevice(P.shape, P.indptr, P.indices)
    monkeypatch.setattr("btfperm.backends.gpu.problem.on", fails("device 0 failed (out of memory)"))
    monkeypatch.setattr("btfperm.backends.gpu.problem.device_of", lambda _: 0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            t = btfperm.maximum_transversal(on_failing_device)
            assert t.maximum and t.backend == "cpu"
            assert t.structural_rank == btfperm.structural_rank(A)
    (warning,) = (w for w in caught if issubclass(w.category, BackendWarning))
    assert "out of memory" in str(warning.message) and "continued on the cpu" in str(
        warning.message
    )
    assert warning.filename == __file__
    with pytest.raises(BackendUnavailableError, match="out of memory"):
        monkeypatch.setattr(device, "why_not", lambda _=None: None)
        btfperm.maximum_transversal(on_failing_device, backend="gpu")


@pytest.mark.parametrize("decompose", [btfperm.dulmage_mendelsohn, btfperm.block_triangular_form])
def test_a_decomposition_runs_on_the_cpu_if_its_search_fell_back_to_it(monkeypatch, decompose):
    P = as_pattern(A)
    on_failing_device = OnNoDevice(P.shape, P.indptr, P.indices)
    monkeypatch.setattr("btfperm.backends.gpu.problem.on", fails("device 0 failed (out of memory)"))
    monkeypatch.setattr("btfperm.backends.gpu.problem.device_of", lambda _: 0)
    with pytest.warns(BackendWarning, match="out of memory") as caught:
        result = decompose(on_failing_device)
    assert len(caught) == 1 and type(result.pattern) is btfperm.Pattern
    expected = decompose(A)
    assert np.array_equal(result.row_blocks, expected.row_blocks)
    assert result.block_graph().n_blocks == expected.block_graph().n_blocks


@pytest.mark.parametrize("decompose", [btfperm.dulmage_mendelsohn, btfperm.block_triangular_form])
def test_a_decomposition_continues_on_the_cpu_unless_the_caller_named_the_gpu(
    monkeypatch, decompose
):
    P, t = as_pattern(A), btfperm.maximum_transversal(A)
    on_failing_device = OnNoDevice(P.shape, P.indptr, P.indices)
    there = dataclasses.replace(t, row_match=t.row_match.view(ClaimsADevice))

    def fail(*_):
        raise BackendUnavailableError("device 0 failed (out of memory)")

    monkeypatch.setattr(GPU, "decompose", fail)
    module = sys.modules["btfperm.dulmage_mendelsohn"]  # the package has a function of that name
    monkeypatch.setattr(module, "proven_transversal", lambda *_: there)
    with pytest.warns(BackendWarning, match=r"out of memory\); continued on the cpu") as caught:
        result = decompose(on_failing_device)
    assert type(result.pattern) is btfperm.Pattern and len(caught) == 1
    assert result.n_blocks == decompose(A, transversal=t).n_blocks
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert decompose(on_failing_device, backend="cpu").n_blocks == result.n_blocks
    for options in ({"backend": "gpu"}, {"device": 0}):
        with pytest.raises(BackendUnavailableError, match="out of memory"):
            decompose(on_failing_device, **options)


class ClaimsADevice(np.ndarray):
    """An array on the host that claims to be on a GPU."""

    __cuda_array_interface__ = None

    def get(self):
        return self.view(np.ndarray)


class FailedError(Exception):
    """What CuPy raises for a CUDA error."""


class UnloadedError(Exception):
    """What a loader of CuPy raises if a library is missing. btfperm does not expect it."""


def planted_cupy(entered=None, memory=lambda: (2**30, 2**32)):
    """CuPy with two GPUs, the second too old. `entered` may raise when a device becomes current."""

    class Device:
        def __init__(self, number):
            self.id = number

        def __enter__(self):
            if entered is not None:
                entered(self.id)

        def __exit__(self, *_):
            pass

    runtime = SimpleNamespace(
        CUDARuntimeError=FailedError,
        getDeviceCount=lambda: 2,
        getDeviceProperties=lambda number: {
            "name": b"Planted",
            "major": 9 - 3 * number,
            "minor": 0,
        },
        memGetInfo=memory,
    )
    cuda = SimpleNamespace(
        Device=Device,
        runtime=runtime,
        driver=SimpleNamespace(CUDADriverError=FailedError),
        nvrtc=SimpleNamespace(NVRTCError=FailedError, getVersion=lambda: (13, 0)),
        compiler=SimpleNamespace(CompileException=FailedError),
        memory=SimpleNamespace(OutOfMemoryError=FailedError),
    )
    return SimpleNamespace(cuda=cuda, __version__="0")


def raises(error):
    def fail(*_):
        raise error

    return fail


@pytest.mark.parametrize(
    ("cupy", "kernel", "fragment"),
    [
        (
            planted_cupy(),
            raises(FailedError("cudaErrorLaunchFailure: no")),
            "cudaErrorLaunchFailure",
        ),
        (planted_cupy(), raises(UnloadedError("no CUDA headers")), "no CUDA headers"),
        (planted_cupy(), raises(BackendUnavailableError("its answer is wrong")), "its answer"),
        (
            planted_cupy(memory=raises(FailedError("cudaErrorDevicesUnavailable"))),
            int,
            "cudaErrorDev",
        ),
        (planted_cupy(entered=raises(FailedError("exclusive"))), int, "exclusive"),
    ],
    ids=["kernel fails", "no headers", "wrong answer", "memory is not reported", "exclusive"],
)
def test_the_doctor_runs_a_kernel_and_reports_what_failed(monkeypatch, cli, cupy, kernel, fragment):
    plant(monkeypatch, Driver(2), cupy="there")
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(device, "_run_a_kernel", kernel)
    assert device.why_not() is None  # auto uses this check, which launches nothing
    (found,) = (b for b in backends() if b.name == "gpu")
    assert not found.works and found.reason.startswith(f"device 0 runs no kernel ({fragment}")
    assert "use backend='cpu'; driver for CUDA 13.0, CuPy 0, NVRTC 13.0" in found.reason
    ended = cli("doctor")
    assert ended.code == 0 and f"gpu                 no: {found.reason}" in ended.out


def test_a_gpu_that_works_beside_one_that_does_not(monkeypatch):
    plant(monkeypatch, Driver(2), cupy="there")
    monkeypatch.setitem(sys.modules, "cupy", planted_cupy())
    monkeypatch.setattr(device, "_run_a_kernel", int)
    (found,) = (b for b in backends() if b.name == "gpu")
    assert found.works and found.reason.startswith(
        "Planted (device 0, compute capability 9.0, 1.0 GiB free of 4.0 GiB), "
        "device 1 runs no kernel (device 1 (Planted) has compute capability 6.0; "
    )
    assert "nvidia-smi" not in found.reason


@pytest.mark.gpu
def test_the_doctor_checks_the_result_of_its_kernel(monkeypatch):
    with device.on(None):
        device._run_a_kernel()
        monkeypatch.setattr(
            "btfperm.backends.gpu.arrays.transposed", lambda _, *columns: columns[::-1]
        )
        with pytest.raises(BackendUnavailableError, match="wrong"):
            device._run_a_kernel()


def test_a_gpu_is_named_and_refused_without_a_start_on_the_others(monkeypatch):
    class Cupy:
        class cuda:  # noqa: N801
            class runtime:  # noqa: N801
                @staticmethod
                def getDeviceProperties(number):
                    assert number == 1
                    return {"name": b"Old one", "major": 6, "minor": 1}

    monkeypatch.setitem(sys.modules, "cupy", Cupy)  # it has no Device and no memGetInfo
    assert GPU.device_name(SimpleNamespace(device=1)) == "Old one (device 1)"
    with pytest.raises(BackendUnavailableError, match=r"device 1 \(Old one\) .* 6\.1"):
        device._refuse_old(1)
