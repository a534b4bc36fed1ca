# SPDX-License-Identifier: BSD-3-Clause
"""Only the input layer and the backends ask which backend holds a matrix or runs a step."""

from __future__ import annotations

import ast
import re
from collections import defaultdict

import pytest

from tests.test_layout import PACKAGE, PYTHON, ROOT, each_file, text_of

SOURCES = [path for path in PYTHON if path.relative_to(ROOT).parts[0] in ("btfperm", "cli")]

DEVICE_TYPES = re.compile(r"\b(Device\w+|Distributed\w+|Problem|cupy\.\w+)\b")


@each_file(
    [path for path in SOURCES if path.relative_to(ROOT).parts[1] not in ("backends", "pattern")]
)
def test_only_the_input_layer_and_the_backends_test_for_device_types(path):
    found = types_tested(text_of(path))
    assert not found, f"lines {found}: use a property or a method of the backend or the pattern"


def types_tested(text):
    """The lines that test whether an object is of a device or over ranks: by `isinstance`, by its
    type, or by a pattern of classes. The classes may be named through a variable or an alias."""
    if not DEVICE_TYPES.search(text) and "__cuda_array_interface__" not in text:
        return []  # it need not be parsed
    tree = ast.parse(text)
    values = values_of_names(tree)

    def names_a_device_type(node, passed=frozenset()):
        if DEVICE_TYPES.search(ast.unparse(node)):
            return True
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} - passed
        return any(
            names_a_device_type(value, passed | {name})
            for name in names
            for value in values.get(name, ())
        )

    return [
        node.lineno
        for node in ast.walk(tree)
        if (_called(node, "isinstance", "issubclass") and names_a_device_type(node.args[1]))
        or (
            _called(node, "hasattr", "getattr")
            and "__cuda_array_interface__" in ast.unparse(node.args[1])
        )
        or (
            isinstance(node, ast.Compare)
            and any(_is_a_type(each) for each in (node.left, *node.comparators))
            and any(names_a_device_type(each) for each in (node.left, *node.comparators))
        )
        or (isinstance(node, ast.MatchClass) and names_a_device_type(node.cls))
    ]


def values_of_names(tree):
    """The expressions that a file assigns to each variable, and the names behind its aliases."""
    values = defaultdict(list)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    values[target.id].append(node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and isinstance(node.target, ast.Name):
            values[node.target.id] += [node.value] if node.value else []
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.asname:
                    values[alias.asname].append(ast.Name(alias.name))
    return values


def _called(node, *names):
    return isinstance(node, ast.Call) and ast.unparse(node.func) in names


def _is_a_type(node):
    """Whether an expression is the type of an object."""
    return _called(node, "type") or (isinstance(node, ast.Attribute) and node.attr == "__class__")


# These compare an argument of the caller with the name of a backend, to refuse arguments that do
# not fit together. No step depends on the result.
CHECKS_OF_ARGUMENTS = {
    "btfperm/path/request.py": "device='gpu' is for the backend 'mpi' only",
    "btfperm/weighted/match_mpi.py": "a graph over MPI ranks is for the backends 'auto' and 'mpi'",
    "btfperm/weighted/weigh_mpi.py": "a matrix over MPI ranks is for the backends 'auto' and 'mpi'",
    "cli/btfperm_cli/option_types.py": "--device takes a number or the word gpu",
}


@each_file(
    [
        path
        for path in SOURCES
        if path.relative_to(ROOT).parts[1] not in ("backends", "pattern")
        and path.relative_to(ROOT).as_posix() not in CHECKS_OF_ARGUMENTS
    ]
)
def test_no_other_code_asks_which_device_backend_it_uses(path):
    found = compared_backends(text_of(path))
    assert not found, f"lines {found}: use a property or a method of the backend or the pattern"


@pytest.mark.parametrize("name", CHECKS_OF_ARGUMENTS)
def test_a_check_of_arguments_only_refuses(name):
    """Such a file compares nothing but names that hold arguments."""
    found = compared_backends(text_of(ROOT / name), besides=("backend", "device", "value"))
    assert not found, f"lines {found}: use a property or a method of the backend or the pattern"
    assert compared_backends(text_of(ROOT / name)), "needs no exception any more"


def compared_backends(text, *, besides=(), names=("gpu", "mpi")):
    """The lines that compare something with a name of a backend, by default that of the GPU or of
    MPI, or match it; except a variable whose name is in `besides`."""
    if not any(name in text for name in names):
        return []  # it need not be parsed
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if (
            isinstance(node, ast.Compare)
            and any(_names_one(each, names) for each in (node.left, *node.comparators))
            and not (isinstance(node.left, ast.Name) and node.left.id in besides)
        )
        or (isinstance(node, ast.MatchValue) and _names_one(node.value, names))
    ]


def _names_one(node, names):
    """Whether an operand is one of the names, or a tuple, list or set that has one."""
    operands = getattr(node, "elts", [node])
    return any(isinstance(one, ast.Constant) and one.value in names for one in operands)


@each_file(
    [
        path
        for path in SOURCES
        if path.relative_to(ROOT).parts[1] not in ("backends", "pattern")
        and path.relative_to(ROOT).as_posix() != "btfperm/path/make_plan.py"  # of the request
    ]
)
def test_no_other_code_asks_whether_there_is_a_device(path):
    found = devices_asked_for(text_of(path))
    assert not found, f"lines {found}: call a step by a method of the problem"


def devices_asked_for(text):
    """The lines that ask whether an object has a device, or a link between devices."""

    def is_device(node):
        return isinstance(node, ast.Attribute) and node.attr in ("device", "link")

    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if (
            isinstance(node, ast.Compare)
            and is_device(node.left)
            and isinstance(node.ops[0], ast.Is | ast.IsNot)
        )
        or (isinstance(node, ast.If | ast.IfExp) and is_device(node.test))
        or (isinstance(node, ast.BoolOp) and any(map(is_device, node.values)))
    ]


# Beside the checks of arguments, these compare a name with that of the CPU.
NAMES_OF_THE_CPU = {
    "btfperm/path/fallback.py": "the function that decides what follows a failed step",
    "btfperm/registry/__init__.py": "an initializer of the CPU may precede any search",
    "btfperm/registry/algorithm.py": "the core holds the functions of the algorithms of the CPU",
}


@each_file(
    [
        path
        for path in SOURCES
        if path.relative_to(ROOT).parts[1] not in ("backends", "pattern")
        and path.relative_to(ROOT).as_posix() not in CHECKS_OF_ARGUMENTS.keys() | NAMES_OF_THE_CPU
    ]
)
def test_no_other_code_asks_whether_it_uses_the_cpu(path):
    found = compared_backends(text_of(path), names=("cpu",))
    assert not found, f"lines {found}: use a property or a method of the backend or the pattern"


@pytest.mark.parametrize("name", NAMES_OF_THE_CPU)
def test_each_exception_is_needed(name):
    assert compared_backends(text_of(ROOT / name), names=("cpu",))


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
    if "gpu" not in text and "mpi" not in text:
        return []
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
    for name in ("DevicePattern", "Pattern | DeviceProblem", "(Pattern, DistributedPattern)"):
        assert types_tested(f"isinstance(f(x), {name})")
    assert types_tested('hasattr(x, "__cuda_array_interface__")')
    assert not types_tested("isinstance(A, Pattern)")
    assert types_tested("kinds = Pattern, DistributedPattern\nisinstance(A, kinds)") == [2]
    assert types_tested("kinds = A\nkinds = (Pattern, kinds, DevicePattern)\nisinstance(x, kinds)")
    assert types_tested("from m import DevicePattern as There\nisinstance(A, There | Pattern)")
    assert types_tested("type(A) is DevicePattern") and types_tested("A.__class__ == Problem")
    assert types_tested("match A:\n    case DeviceProblem(): pass")
    assert not types_tested("kinds = Pattern, Triple\nisinstance(A, kinds)\ntype(A) is Pattern")


def test_a_question_for_a_device_is_detected():
    for text in (
        "a() if problem.device is None else b()",
        "if self.problem.link is not None: pass",
        "link = self.problem.link or self.exchange",
        "if problem.device: pass",
    ):
        assert devices_asked_for(text) == [1]
    assert not devices_asked_for("with array.device: pass\nf(problem.device)\ndevice is None")


def test_a_comparison_with_a_device_is_detected():
    for text in (
        'pattern.backend == "gpu"',
        'self.backend.name != "mpi"',
        'options.get("backend") == "gpu"',
        '"gpu" == backend',
        'place(A) in ("cpu", "mpi")',
        'match backend:\n    case "gpu": pass',
    ):
        assert compared_backends(text)
    assert not compared_backends('row.backend == "cpu"')
    assert compared_backends('row.backend == "cpu"', names=("cpu",))
    assert not compared_backends('after(State("gpu")) is Action.RAISE')
    assert not compared_backends('backend == "gpu"', besides=("backend",))
    assert compared_backends('row.backend == "gpu"', besides=("backend",))


# Questions where a matrix is held, outside the backends, the input layers (`pattern`, and that of
# graphs) and the files for one backend (``*_gpu.py``, ``*_mpi.py``): how many each file has, and
# why. A new one needs a reason here; better, it becomes a method of a backend or a step of the
# registry.
QUESTIONS = {
    "btfperm/order.py": (3, "arguments of the caller; no rank has the whole matrix to complete"),
    "btfperm/path/make_plan.py": (6, "the plan decides backend and threads by where the matrix is"),
    "btfperm/path/decompose.py": (1, "the state for `after`, which decides what follows a failure"),
    "btfperm/path/recertify.py": (1, "the state for `after`, which decides what follows a failure"),
    "btfperm/path/run.py": (5, "the state for `after`; which stages are transfers and use threads"),
    "btfperm/path/plan.py": (1, "whether a step uses the threads that the plan names"),
    "btfperm/path/prove.py": (1, "no second algorithm runs over ranks"),
    "btfperm/path/watch.py": (2, "which arrays another thread can count while a step runs"),
    "btfperm/transversal/__init__.py": (4, "arguments that are refused over ranks"),
    "btfperm/results/host_copy.py": (1, "a result over ranks is gathered if the caller wants it"),
    "btfperm/weighted/__init__.py": (1, "with comm=, another function reads and searches"),
    "btfperm/weighted/match.py": (1, "with comm=, another function reads and searches"),
    "btfperm/weighted/graph_call.py": (1, "a graph on a GPU is not copied to run on the CPU"),
    "btfperm/reports/summary.py": (1, "blocks over ranks are counted by messages"),
    "btfperm/io/perm_file.py": (1, "a result over ranks is written by all ranks"),
    "cli/btfperm_cli/match.py": (2, "with MPI, one rank prints"),
    "cli/btfperm_cli/rank.py": (2, "with MPI, one rank prints, and the bounds are those of ranks"),
}
ASKED = ("is_on_host", "is_distributed", "is_on_device")


def questions(text):
    """The lines that ask where a matrix is held: by a property, by `is_over_ranks`, or by comparing
    `comm` with None."""
    if not any(word in text for word in (*ASKED, "comm", "is_over_ranks")):
        return []
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if (
            isinstance(node, ast.Attribute)
            and node.attr in ASKED
            and isinstance(node.ctx, ast.Load)
        )
        or _called(node, "is_over_ranks")
        or (
            isinstance(node, ast.Compare)
            and ast.unparse(node.left) == "comm"
            and isinstance(node.ops[0], ast.Is | ast.IsNot)
        )
    ]


@each_file(
    [
        path
        for path in SOURCES
        if path.relative_to(ROOT).parts[1] not in ("backends", "pattern")
        and not path.stem.endswith(("_gpu", "_mpi"))
        and path.name not in ("bipartite.py", "graph_input.py")  # the input layer of graphs
    ]
)
def test_few_places_ask_where_a_matrix_is(path):
    count, _ = QUESTIONS.get(path.relative_to(ROOT).as_posix(), (0, ""))
    found = questions(text_of(path))
    assert len(found) == count, f"lines {found}: use a method of the backend, or a registry step"


def test_a_question_where_a_matrix_is_is_detected():
    for text in (
        "a() if pattern.is_on_host else b()",
        "if d.is_distributed: pass",
        "if is_over_ranks(A, comm): pass",
        "x = comm is not None",
    ):
        assert questions(text) == [1]
    assert not questions("class A:\n    is_on_host = True")
    assert not questions("f(comm=None)\nother is None")
