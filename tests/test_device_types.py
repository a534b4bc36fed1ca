# SPDX-License-Identifier: BSD-3-Clause
"""Only the input layer and the backends ask which backend holds a matrix or runs a step."""

from __future__ import annotations

import ast
import re

from tests.test_layout import PACKAGE, PYTHON, ROOT, each_file, text_of

SOURCES = [path for path in PYTHON if path.relative_to(ROOT).parts[0] in ("btfperm", "cli")]

DEVICE_TYPES = re.compile(
    r"isinstance\([^()]*\b(Device\w+|Distributed\w+|Problem|cupy\.\w+)\b"
    r"|hasattr\([^()]*__cuda_array_interface__"
)


@each_file(
    [path for path in SOURCES if path.relative_to(ROOT).parts[1] not in ("backends", "pattern")]
)
def test_only_the_input_layer_and_the_backends_test_for_device_types(path):
    found = DEVICE_TYPES.search(text_of(path))
    assert not found, f"{found[0]}: use a method of the backend"


BACKEND_NAMES = re.compile(r"\.backend(\.name)? (==|!=) \"(gpu|mpi)\"")


@each_file(
    [
        path
        for path in PYTHON
        if PACKAGE in path.parents
        and path.relative_to(PACKAGE).parts[0] not in ("backends", "pattern", "registry")
        and not path.stem.endswith(("_gpu", "_mpi"))
    ]
)
def test_no_other_code_asks_which_device_backend_it_uses(path):
    """The CPU may be named: it runs a call if another backend fails. Drivers of one backend may
    name it."""
    found = BACKEND_NAMES.search(text_of(path))
    assert not found, f"{found[0]}: use a property or a method of the backend or the pattern"


@each_file(
    [
        path
        for path in PYTHON
        if PACKAGE / "path" in path.parents and path.name != "request.py"  # the caller names a GPU
    ]
)
def test_the_path_names_no_device_backend(path):
    """It may name the CPU, which continues after a failure of another backend."""
    assert not named_backends(text_of(path)), "ask the backend, by a method of the protocol"


def named_backends(text):
    """The lines that name the GPU or MPI by a word, or import a part of their backends."""
    tree = ast.parse(text)
    return [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Constant) and node.value in ("gpu", "mpi"))
        or (
            isinstance(node, ast.ImportFrom)
            and re.match(r"btfperm\.backends\.(gpu|mpi)\b", node.module or "")
        )
    ]


def test_a_named_backend_is_detected():
    assert named_backends('def f():\n    """gpu"""\n    take("gpu")') == [2, 3]
    assert named_backends("from btfperm.backends.gpu.device import in_use") == [1]
    assert not named_backends('"""On a gpu."""\nfrom btfperm.backends.cpu.backend import CPU')


def test_a_test_for_a_device_type_is_detected():
    for name in ("DevicePattern", "Pattern | DeviceProblem", "DistributedDecomposition"):
        assert DEVICE_TYPES.search(f"isinstance(x, {name})")
    assert not DEVICE_TYPES.search("isinstance(A, Pattern)")
    for text in ('pattern.backend == "gpu"', 'self.backend.name != "mpi"'):
        assert BACKEND_NAMES.search(text)
    assert not BACKEND_NAMES.search('row.backend == "cpu"')
