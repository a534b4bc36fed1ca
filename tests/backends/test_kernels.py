# SPDX-License-Identifier: BSD-3-Clause
"""Every kernel compiles without a warning for those of ARCHITECTURES that the installed compiler
knows.

The tests need NVRTC but no GPU: `pip install nvidia-cuda-nvrtc-cu12`. If BTFPERM_REQUIRE_NVRTC is
set (`.ci/run kernels`), a missing NVRTC is a failure.
"""

from __future__ import annotations

import os
import re

import pytest

from btfperm.backends.gpu.compile import PACKAGE, options, sources
from tests.backends import nvrtc
from tests.backends.layouts import OFFSET_IN_NVRTC, all_assertions
from tests.loops import looped

# 70 has the fewest instructions, 75 the fewest threads and the least shared memory in a
# multiprocessor, and 100 is the newest. 80, 86, 89 and 90 are left out: no kernel tests for them,
# so the compiler sees the same source as for 70, and they have more of everything than 75.
ARCHITECTURES = (70, 75, 100)
# Kernels with 64-bit indices are compiled for this one; they need more shared memory.
WIDE = 100
TESTED = {"__CUDA_ARCH__ == 750"}
COMPILERS = nvrtc.found()
KERNELS = [path for path in sources() if path.suffix == ".cu"]

needs_nvrtc = pytest.mark.skipif(
    not COMPILERS, reason="no NVRTC here: pip install nvidia-cuda-nvrtc-cu12"
)


def name_of(path):
    return path.relative_to(PACKAGE).as_posix()


def test_a_required_compiler_exists():
    if os.environ.get("BTFPERM_REQUIRE_NVRTC"):
        known = {capability for compiler in COMPILERS for capability in compiler.known}
        assert set(ARCHITECTURES) <= known, f"no NVRTC for {set(ARCHITECTURES) - known}"


@needs_nvrtc
@pytest.mark.parametrize("capability", ARCHITECTURES if COMPILERS else ARCHITECTURES[:1])
@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda c: f"nvrtc-{c.version}")
@pytest.mark.parametrize("path", KERNELS if COMPILERS else KERNELS[:1], ids=name_of)
def test_it_compiles_without_a_warning(path, compiler, capability):
    if capability not in compiler.known:
        pytest.skip(f"NVRTC {compiler.version} does not know {capability / 10}")
    architecture = f"--gpu-architecture=sm_{capability}"
    width = "int64" if capability == WIDE else "int32"
    text = path.read_text(encoding="utf-8")
    result = compiler.log_of(
        "\n".join([text, OFFSET_IN_NVRTC, *all_assertions(name_of(path))]),
        path.name,
        (*options(width), architecture),
    )
    assert result == (0, ""), f"{width}: {result[1]}"


@needs_nvrtc
@pytest.mark.parametrize(
    ("source", "fragment"),
    [
        ('#include "backends/gpu/index.cuh"\nextern "C" __global__ void f() { int x; }', "x"),
        ('extern "C" __global__ void f() { return 1; }', "error"),
        ('#include "backends/gpu/no_such.cuh"', "no_such"),
    ],
    ids=["a warning", "an error", "no such file"],
)
def test_wrong_sources_are_detected(source, fragment):
    code, log = COMPILERS[0].log_of(source, "wrong.cu", options("int32"))
    assert fragment in log and (code == 0) == (fragment == "x")


@looped("path", sources(), ids=name_of)
def test_it_includes_no_header_from_outside(path):
    """The kernels must compile with NVRTC alone: a user may have no headers of a toolkit."""
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"#include\s*<", text)
    for included in re.findall(r'#include "(\S+)"', text):
        assert (PACKAGE / included) in sources()


def test_no_kernel_tests_for_other_architectures():
    found = {
        test
        for path in sources()
        for test in re.findall(r"__CUDA_ARCH__ *[<>=!]+ *\d+", path.read_text(encoding="utf-8"))
    }
    assert found == TESTED
    assert {int(test.split()[-1]) // 10 for test in TESTED} <= set(ARCHITECTURES)


def test_an_edited_header_is_a_new_kernel(monkeypatch):
    """CuPy's cache does not inspect included files, so the options contain a fingerprint of
    them."""
    from btfperm.backends.gpu import compile as module

    before = options("int32")
    assert any("SOURCES" in option for option in before) and before == options("int32")
    assert before != options("int64")
    module._fingerprint.cache_clear()
    monkeypatch.setattr(module, "sources", lambda: sources()[1:])
    assert options("int32") != before
    monkeypatch.undo()
    module._fingerprint.cache_clear()
    assert options("int32") == before
