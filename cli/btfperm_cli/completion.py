# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm --show-completion SHELL``: the script with which a shell completes words.

For every new shell, either write ``eval "$(btfperm --show-completion bash)"`` to ``~/.bashrc``, or
store the script in a file, which starts faster::

    btfperm --show-completion bash > ~/.local/share/bash-completion/completions/btfperm
    btfperm --show-completion zsh  > "${fpath[1]}/_btfperm"
    btfperm --show-completion fish > ~/.config/fish/completions/btfperm.fish
"""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class

from btfperm_cli.output import emit_text

__all__ = ["show_completion"]


def show_completion(ctx: click.Context, shell: str) -> None:
    """Prints the script and ends the command."""
    kind = get_completion_class(shell)
    assert kind is not None  # the option's choices are click's shells
    script = kind(ctx.command, {}, "btfperm", "_BTFPERM_COMPLETE")
    # The base class's source: bash's own would start bash to ask for its version.
    emit_text(ShellComplete.source(script))
    ctx.exit()
