# SPDX-License-Identifier: BSD-3-Clause
"""Results in files: the written content, and its round trip."""

from __future__ import annotations

import json
import shutil
import subprocess

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm.errors import InvalidArgumentError, UnreadableInputError
from btfperm.io import load, read, save, write_matrix
from btfperm.reports.perm_arrays import read_arrays
from btfperm.results import BlockTriangularForm
from tests.io.hostile_binary import element, numbers, variable
from tests.io.mixed import MIXED
from tests.loops import looped
from tests.reports.answers import KEYS

READABLE = ["npz", "json", "txt"]


def same(result, again) -> bool:
    return (
        type(again) is type(result)
        and again.shape == result.shape
        and again.structural_rank == result.structural_rank
        and all(
            getattr(again, name).dtype == np.int32
            and np.array_equal(getattr(again, name), getattr(result, name))
            for name in (*KEYS, "matched_row_perm")
        )
    )


@pytest.fixture(params=[btfperm.dulmage_mendelsohn, btfperm.block_triangular_form])
def result(request):
    return request.param(MIXED)


@pytest.mark.parametrize("format", READABLE)
def test_round_trip(tmp_path, result, format):
    file = tmp_path / f"perm.{format}"
    result.save(file)
    again = load(file)
    assert same(result, again)
    assert again.meta["verified"] is True
    assert again.meta["format_version"] == 1
    assert again.meta["matrix"]["nnz"] == np.count_nonzero(MIXED)
    if isinstance(result, BlockTriangularForm):
        assert again.completed == result.completed > 0
    graph, expected = again.block_graph(MIXED), result.block_graph()
    assert np.array_equal(graph.level, expected.level)


@pytest.mark.parametrize("format", READABLE)
@given(st.data())
def test_round_trip_of_any_shape(tmp_path, format, data):
    m, n = data.draw(st.integers(0, 6)), data.draw(st.integers(0, 6))
    bits = data.draw(st.lists(st.booleans(), min_size=m * n, max_size=m * n))
    A = np.array(bits, dtype=float).reshape(m, n)
    result = btfperm.dulmage_mendelsohn(A)
    file = tmp_path / f"perm.{format}"
    save(result, file)
    assert same(result, load(file))


def test_npz_opens_with_numpy_alone(tmp_path, result):
    file = tmp_path / "perm.npz"
    result.save(file)
    with np.load(file, allow_pickle=False) as arrays:
        assert set(arrays.files) == {*KEYS, "shape", "structural_rank", "convention", "meta"}
        for name in KEYS:
            assert arrays[name].dtype == np.int64
            assert np.array_equal(arrays[name], getattr(result, name))
        assert arrays["structural_rank"].shape == ()
        assert arrays["shape"].tolist() == [6, 6]
        assert str(arrays["convention"]) == "btfperm"
        meta = json.loads(str(arrays["meta"]))
    assert meta["kind"] in {"dulmage_mendelsohn", "block_triangular_form"}
    assert meta["convention"] == "btfperm"


def test_same_result_same_bytes(tmp_path, result):
    for name in ("a.npz", "b.npz"):
        save(result, tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_the_file_names_its_matrix(tmp_path):
    write_matrix(tmp_path / "a.mtx", scipy.sparse.eye_array(3))
    pattern = read(tmp_path / "a.mtx")
    save(btfperm.dulmage_mendelsohn(pattern), tmp_path / "perm.npz")
    matrix = load(tmp_path / "perm.npz").meta["matrix"]
    assert (matrix["file"], matrix["sha256"]) == ("a.mtx", pattern.source["sha256"])


def test_mat_has_the_outputs_of_dmperm(tmp_path):
    result = btfperm.dulmage_mendelsohn(MIXED)
    file = tmp_path / "perm.mat"
    result.save(file)
    fields = scipy.io.loadmat(file)
    p, q = (fields[name].ravel().astype(int) - 1 for name in "pq")
    assert fields["p"].dtype == np.float64 and fields["p"].shape == (1, 6)
    assert sorted(p) == sorted(q) == list(range(6))
    assert fields["rr"].shape == fields["cc"].shape == (1, 5)
    r, s = (fields[name].ravel().astype(int) - 1 for name in "rs")
    C = MIXED[p][:, q]
    for k in range(r.size - 1):
        assert not C[r[k + 1] :, s[k] : s[k + 1]].any()
    assert fields["convention"].item() == "matlab"
    assert json.loads(fields["meta"].item())["convention"] == "matlab"


@pytest.mark.parametrize(("kind", "encoding"), [(4, "utf-16-le"), (17, "utf-16-le"), (16, "utf-8")])
def test_text_of_mat_in_each_encoding(tmp_path, kind, encoding):
    """MATLAB writes text as miUINT16, other programs as miUTF8 or miUTF16. SciPy writes miUTF8."""
    file = tmp_path / "perm.mat"
    btfperm.dulmage_mendelsohn(MIXED).save(file)
    fields = scipy.io.loadmat(file)
    lists = {name: fields[name].ravel() for name in ("p", "q", "r", "s", "cc", "rr")}
    scipy.io.savemat(file, lists, oned_as="row")
    with file.open("ab") as end:
        for name in ("convention", "meta"):
            text = fields[name].item()
            size = numbers([1, len(text)])
            name_of = element(1, name.encode())
            content = element(kind, text.encode(encoding))
            end.write(variable(numbers([4, 0], "<u4") + size + name_of + content))
    found = read_arrays(file)
    assert found.meta == json.loads(fields["meta"].item())
    assert found.convention == "matlab"


@looped("format", ["npz", "mat", "json", "txt"])
@looped("convention", ["btfperm", "matlab", "csparse", "btf", "klu", "superlu"])
def test_every_convention_in_every_format(tmp_path, format, convention):
    from btfperm.conventions import CONVENTIONS

    result = btfperm.block_triangular_form(np.eye(3) + np.eye(3, k=1))
    file = tmp_path / f"perm.{format}"
    save(result, file, convention=convention)
    if convention == "btfperm":
        expected = {name: getattr(result, name) for name in KEYS}
    else:
        expected = CONVENTIONS[convention](result)._asdict()
    if format == "npz":
        with np.load(file, allow_pickle=False) as opened:
            found = {name: opened[name] for name in opened.files}
    elif format == "mat":
        found = scipy.io.loadmat(file)
    elif format == "json":
        found = json.loads(file.read_text())
    else:
        found = parsed(file.read_text())
    for name, value in expected.items():
        assert np.array_equal(np.ravel(found[name]), np.ravel(np.asarray(value))), name
    assert str(np.ravel(found["convention"])[0]) == convention
    if convention != "btfperm" and format != "mat":
        with pytest.raises(UnreadableInputError, match=f"convention '{convention}'"):
            load(file)


def parsed(text: str) -> dict[str, object]:
    """Parses the text as a C program would: as words between white space."""
    words = iter(text.split())
    assert next(words) == "btfperm-permutation"
    assert next(words) == "1"
    found: dict[str, object] = {"convention": next(words)}
    for _ in range(int(next(words))):
        name, length = next(words), int(next(words))
        found[name] = [int(next(words)) for _ in range(length)]
    assert next(words) == "meta"
    return found


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("scaled", [False, True], ids=["whole numbers", "and scalings"])
def test_the_text_format_in_c(tmp_path, scaled):
    """The C programs in the documentation of `perm_txt`, completed, read the file. The first
    program has no code for scalings, but it also reads the file that contains them."""
    from btfperm.io import perm_txt

    first, _, second = perm_txt.__doc__.split("In C::")[1].partition("\nScalings are")
    second = second.split("lines above::")[1]
    assert "fscanf" in first and "fscanf" in second
    A = np.diag(np.arange(1.0, 51.0))
    result = btfperm.dulmage_mendelsohn(A, transversal=btfperm.weighted_transversal(A))
    save(result, tmp_path / "perm.txt")
    arrays = [getattr(result, name) for name in KEYS]
    count = sum(array.size for array in arrays) + 3
    total = sum(int(array.sum()) for array in arrays) + 150
    expected = [str(count), str(total)]
    body = first.replace('"%ld", &value);', '"%ld", &value), sum += value, read++;', 1)
    if scaled:
        body += second.replace('"%lf", &real);', '"%lf", &real), logs += real;')
        logs = result.log_row_scale.sum() + result.log_col_scale.sum()
        expected.append(f"{logs:.6f}")
    program = tmp_path / "read.c"
    program.write_text(
        "#include <stdio.h>\nint main(void) {\n"
        "FILE *f = stdin; long sum = 0, read = 0; double logs = 0;\n"
        + body
        + 'printf("%ld %ld", read, sum); if (logs) printf(" %.6f", logs); return 0; }\n'
    )
    subprocess.run(["cc", str(program), "-o", str(tmp_path / "read")], check=True)
    done = subprocess.run(
        [str(tmp_path / "read")],
        stdin=(tmp_path / "perm.txt").open(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == expected


@pytest.mark.parametrize(
    ("path", "format", "convention", "message"),
    [
        ("perm.xyz", None, None, "not as 'xyz'"),
        ("perm", None, None, "not as ''"),
        ("perm.npz", "hdf5", None, "not as 'hdf5'"),
        ("perm.npz", None, "petsc4", "no convention 'petsc4': choose one of"),
    ],
)
def test_unknown_format_or_convention(tmp_path, path, format, convention, message):
    result = btfperm.dulmage_mendelsohn(MIXED)
    with pytest.raises(InvalidArgumentError, match=message):
        save(result, tmp_path / path, format=format, convention=convention)
    assert not list(tmp_path.iterdir())
