# SPDX-License-Identifier: BSD-3-Clause
"""One checker for each kind of result. A checker raises AssertionError with a sentence.

The checkers take the matrix (anything that SciPy converts; stored zeros are entries) and plain
arrays. They use NumPy and SciPy's graph searches, and share no code with btfperm or with the
oracles' searches. Tests give wrong results to the checkers: `test_checks_catch_errors.py`,
`test_check_diagnosis.py` and `tests/weighted/graph/test_checks.py`.
"""
