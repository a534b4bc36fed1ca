# SPDX-License-Identifier: BSD-3-Clause
"""``python -m btfperm``: the command line, as ``btfperm``."""


def main() -> None:
    """Run the command line and exit."""
    from btfperm_cli.__main__ import main as command_line

    command_line()


if __name__ == "__main__":
    main()
