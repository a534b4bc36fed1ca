# SPDX-License-Identifier: BSD-3-Clause
"""Numbers in text files have exact values, and the beginning of a token is not read as a number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from btfperm.errors import UnreadableInputError
from btfperm.io import matrix_market_body, read, read_matrix
from btfperm.io.whole_numbers import TOO_LARGE, list_of_numbers, whole_numbers

REALS = [
    *("0", "-0", "+0.0", "00.", ".0", "1", "-1", "+1.5", "5.", ".5", "-.5e1", "1E+05", "1e-5"),
    *("1e308", "1.7976931348623157e308", "2e308", "-1e999", "1e99999999999999999999"),
    *("5e-324", "1e-324", "-1e-400", "1e-99999999999999999999", "2.2250738585072011e-308"),
    *("0." + "0" * 400 + "1e401", "1" + "0" * 400 + "e-400", "0." + "0" * 400 + "1"),
    *("9007199254740993", "0.1000000000000000055511151231257827021181583404541015625"),
    *("0.00000000001e400", "0.00000000001e+400", "10000000000e-400", "-0.1e400"),
    *("1" * 400, "0e999", "0.000e99999999999999999999", "inf", "-Infinity", "nan", "NAN"),
]


def written(folder, field, shape, lines):
    file = folder / "a.mtx"
    head = f"%%MatrixMarket matrix coordinate {field} general\n{shape[0]} {shape[1]} {len(lines)}\n"
    file.write_text(head + "\n".join(lines) + "\n")
    return file


def test_real_numbers_are_those_of_python(tmp_path):
    lines = [f"1 {k + 1} {text}" for k, text in enumerate(REALS)]
    file = written(tmp_path, "real", (1, len(REALS)), lines)
    expected = np.array([float(text) for text in REALS])
    assert np.array_equal(read_matrix(file).data, expected, equal_nan=True)
    pattern = read(file)
    assert pattern.stored_zeros.cols().tolist() == np.flatnonzero(expected == 0).tolist()


@given(value=st.floats(allow_nan=False), letter=st.sampled_from("eEdD"))
def test_exponents_of_fortran(tmp_path, value, letter):
    text = repr(value).replace("e", letter) if "inf" not in repr(value) else repr(value)
    file = written(tmp_path, "complex", (1, 1), [f"1 1 {text} -{text.lstrip('-')}"])
    (found,) = read_matrix(file).data
    assert (found.real, found.imag) == (value, -abs(value))
    assert (read(file).stored_zeros is not None) == (value == 0)


@given(text=st.text(alphabet="+-.0159eEdx_ ", min_size=1, max_size=8), field=st.booleans())
def test_tokens_are_read_whole_or_not_at_all(tmp_path, text, field):
    """The first word after the column is a number for Python, too, or the file is refused."""
    file = written(tmp_path, "real" if field else "integer", (1, 1), [f"1 1 {text}"])
    words = text.split()
    try:
        plain = words[0].replace("d", "e")
        expected = float(plain) if field else int(plain)
        assert "_" not in plain
    except (AssertionError, IndexError, ValueError):
        with pytest.raises(UnreadableInputError, match="line 3"):
            read_matrix(file)
    else:
        assert read_matrix(file).data.tolist() == [expected]


def test_values_of_an_integer_file(tmp_path):
    file = written(tmp_path, "integer", (1, 2), [f"1 1 {2**63 - 1}", f"1 2 -{2**63 - 1}"])
    assert read_matrix(file).data.tolist() == [2**63 - 1, -(2**63) + 1]
    for text, message in (("0.5", "not a whole number"), (str(2**63), "number is too large")):
        file = written(tmp_path, "integer", (1, 1), [f"1 1 {text}"])
        assert read(file).nnz == 1
        with pytest.raises(UnreadableInputError, match=f"line 3: .*{message}"):
            read_matrix(file)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("indent", ["", "  "])
def test_lines_without_an_entry_in_parts(tmp_path, monkeypatch, run_seed, threads, indent):
    """Each thread finds the position of its first entry, with any text between the lines."""
    monkeypatch.setattr(matrix_market_body, "_PER_THREAD", 1 << 10)
    monkeypatch.setattr(matrix_market_body, "_SMALLEST_BLOCK", 1 << 15)
    rng = np.random.default_rng(run_seed)
    rows, cols = rng.integers(0, 90, 4000), rng.integers(0, 70, 4000)
    between = np.array(["", "\n", "  \r\n", "% comment\n", "\n\n\t% 1 1 1\n", "%" * 999 + "\n"])
    lines = [
        f"{between[kind]}{indent}{i + 1} {j + 1} {i}"
        for kind, i, j in zip(rng.integers(0, 6, 4000), rows, cols, strict=True)
    ]
    file = written(tmp_path, "integer", (90, 70), lines)
    dense = np.zeros((90, 70), dtype=np.int64)
    np.add.at(dense, (rows, cols), rows)
    assert np.array_equal(read_matrix(file).toarray(), dense)
    assert read(file, threads=threads).nnz == np.unique(cols * 90 + rows).size
    for wrong in (17, 2000, 3999):
        damaged = [*lines]
        damaged[wrong] = f"{indent}1 1.5 1"
        file = written(tmp_path, "integer", (90, 70), damaged)
        line = 2 + sum(text.count("\n") + 1 for text in damaged[: wrong + 1])
        with pytest.raises(UnreadableInputError, match=f"line {line}: a row and a column"):
            read(file, threads=threads)
    file = written(tmp_path, "integer", (90, 70), lines)
    file.write_text(file.read_text().replace("90 70 4000\n", "90 70 3000\n"))
    line = 3 + sum(text.count("\n") + 1 for text in lines[:3000]) + lines[3000].count("\n")
    with pytest.raises(UnreadableInputError, match=f"line {line}: there are more entries than"):
        read(file, threads=threads)


@given(st.lists(st.integers(-(2**63) + 1, 2**63 - 1), max_size=20), st.booleans())
def test_lists_of_whole_numbers(numbers, commas):
    text = b"x" + (b" ,\n" if commas else b" \n").join(b"%d" % number for number in numbers) + b" ]"
    found, end, fault = list_of_numbers(text, 1, len(text) - 1, commas=commas)
    assert fault == 0
    assert found.tolist() == numbers
    assert found.dtype == (np.int64 if any(abs(k + 0.5) > 2**31 for k in numbers) else np.int32)
    assert text[end:].strip() == b"]"


@pytest.mark.parametrize(
    "text", [b"1,,2", b",1", b"1,", b"1 2", b"1;2", b"-", b"1.0", b"+1", b"1-", b"1,00", b"-01"]
)
def test_lists_that_are_damaged(text):
    assert list_of_numbers(text, 0, len(text), commas=True)[2] not in (0, TOO_LARGE)


def test_lists_up_to_a_number():
    text = b"1 22\n 333 x"
    found, end, fault = list_of_numbers(text, 0, len(text), most=2)
    assert (found.tolist(), text[end:], fault) == ([1, 22], b"\n 333 x", 0)
    assert list_of_numbers(text, 0, len(text), most=4)[2] not in (0, TOO_LARGE)
    assert list_of_numbers(b"9" * 19, 0, 19)[2] == TOO_LARGE
    for number in (2**63, 2**63 + 1, 2**63 + 2, 2**64, 2**64 + 1, 10 * 2**63, -(2**63) - 1):
        text = str(number).encode()
        assert list_of_numbers(text, 0, len(text))[2] == TOO_LARGE
    assert list_of_numbers(b"9" * 100_000, 0, 100_000)[2] == TOO_LARGE


def test_whole_numbers_in_headers():
    words = [b"+5", b"-0", b"", b"+", b"--1", b"1-1", b"1.", b"\xef\xbc\x91", b" 1", b"1\n"]
    assert whole_numbers(words) == [5, 0, *[None] * 8]
    assert whole_numbers([b"0" * 99 + b"7", b"9" * 10_000, b"-" + b"9" * 19]) == [
        7,
        2**63,
        -(2**63),
    ]
