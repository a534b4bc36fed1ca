# SPDX-License-Identifier: BSD-3-Clause
"""Reports about a result: its verification, and its summary for people and programs.

* `verify/` - an independent verifier of permutation files, plain NumPy
* `perm_arrays.py` - the arrays of a permutation file, unchecked
* `pictures/` - the matrix and its blocks, drawn with matplotlib or as text
* `page/` - one HTML page about a matrix
* `summary.py` - the facts of a decomposition in one small dictionary, and one line of advice
"""
