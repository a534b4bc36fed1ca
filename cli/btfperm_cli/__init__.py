# SPDX-License-Identifier: BSD-3-Clause
"""The command line of btfperm: one module for each command, and what they share; no mathematics.

* `__main__.py` - the process: nothing but the handling of signals around the group
* `signals.py` - Ctrl-C, SIGTERM and SIGHUP: one sentence, an exit code, no unfinished file
* `main.py` - the group: it finds the command of a command line
* `failure.py` - errors: an exit code and one sentence
* `help.py` - help pages with groups and examples; `manpage.py` - the manual page
* `options.py` - options that several commands share
* `output_files.py` - the files that a command writes
* `output.py` - results on stdout, messages on stderr, JSON, warnings
* `json_keys.py` - the keys of each command's JSON object
* `standard_output.py` - whether standard output holds a file
* `advice.py` - the library's advice in terms of the shell
* `summary.py` - the report of `order` in plain words
* `completion.py` - shell completion
* `progress.py` - progress on a terminal, for work that takes longer than a second; `--verbose`
* the commands: `order.py` (the main job), `rank.py`, `diagnose.py`, `check.py`, `convert.py`,
  `solve.py` with `comparison.py`, `match.py`, `plot.py`, `report.py`, `algorithms.py`, `doctor.py`

NumPy, SciPy and rich are imported inside the commands, so that `--help` and `--version` are quick.
"""
