# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm doctor``: what works on this machine, and why the rest does not."""

from __future__ import annotations

from dataclasses import asdict

import click

from btfperm_cli.help import GroupedCommand
from btfperm_cli.options import output_options
from btfperm_cli.output import Output

__all__ = ["doctor"]

GIB = 2**30


@click.command(
    cls=GroupedCommand,
    short_help="List what works on this machine.",
    examples=("btfperm doctor  # backends, packages and solvers of this machine",),
)
@output_options
def doctor(out: Output) -> int:
    """List the backends, packages and solvers of this machine, and why some do not work.

    Exits with 4 when not even the cpu backend works.
    """
    import btfperm
    from btfperm.backends.select import backends, machine, packages

    here, known, installed = machine(), backends(), packages()
    out.say(f"btfperm {here.btfperm} in {here.location}")
    out.say(f"  {'python':<20}{here.python}")
    out.say(f"  {'system':<20}{here.system}")
    out.say(f"  {'cores':<20}{here.usable_cores} usable of {here.cores}")
    searches = "a search uses --threads, else the usable cores where the matrix is large"
    out.say(f"  {'threads':<20}{here.threads} by OpenMP's own count; {searches}")
    if here.memory is not None and here.memory_available is not None:
        free, total = here.memory_available / GIB, here.memory / GIB
        out.say(f"  {'memory':<20}{free:.1f} GiB free of {total:.1f} GiB")
    out.say("backends")
    for backend in known:
        out.say(f"  {backend.name:<20}{'works' if backend.works else 'no'}: {backend.reason}")
    out.say("packages")
    for package in installed:
        state = (
            f"{package.version} in {package.location}"
            if package.version
            else f"not installed ({package.hint})"
        )
        out.say(f"  {package.name:<20}{package.extra:<10}{state}")
    solvers = btfperm.solvers()
    out.say("solvers")
    for solver in solvers:
        state = f"{solver.library} {solver.version} in {solver.location}" if solver.library else ""
        out.say(
            f"  {solver.name:<20}{'; '.join(filter(None, (state, solver.reason, solver.hint)))}"
        )
    code = 0 if known[0].works else 4
    out.answer(
        {
            "machine": asdict(here),
            "backends": [asdict(backend) for backend in known],
            "packages": [asdict(package) for package in installed],
            "solvers": [solver._asdict() for solver in solvers],
            "exit_code": code,
        }
    )
    return code
