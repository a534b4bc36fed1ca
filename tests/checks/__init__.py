# SPDX-License-Identifier: BSD-3-Clause
"""One checker per kind of answer: each raises AssertionError with a sentence.

They take the matrix (anything SciPy makes sparse; stored zeros are entries) and plain arrays, use
whole-array NumPy and SciPy's graph searches, and share no code with btfperm or with the oracles'
searches. `test_checks_catch_errors.py` makes each of them fail on purpose.
"""
