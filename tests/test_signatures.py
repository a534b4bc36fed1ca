# SPDX-License-Identifier: BSD-3-Clause
"""The arguments of each public function with their defaults, written down once more. A change of
one is a change for users: see CHANGELOG.md."""

from __future__ import annotations

import inspect

import btfperm
from btfperm import testing
from btfperm.preorder.factorization import Factorization

# Without annotations. A method is listed if it has a default.
SIGNATURES = """\
algorithms(family=None, *, package=None)
as_btf(result)
as_casadi(result)
as_csparse(result)
as_klu(result)
as_matlab(result)
as_pattern(A, *, shape=None, drop_zeros=None, owned=False, threads=None, comm=None)
as_petsc(result)
as_scipy(result)
as_superlu(result)
as_umfpack(result)
as_valued(A, *, shape=None, drop_zeros=None, owned=False, threads=None)
block_triangular_form(A, *, transversal=None, threads=None, drop_zeros=None, shape=None,
    **options)
compare_solvers(A, b=None, *, repeats=5, budget=10.0, drop_zeros=None)
diagnose(A, *, row_names=None, col_names=None, shape=None, drop_zeros=None, **options)
dulmage_mendelsohn(A, *, transversal=None, threads=None, drop_zeros=None, shape=None, **options)
load(path)
match(G, *, algorithm='auto', backend='auto', weights='values', bipartite=False, options=None,
    seed=None, threads=None, time_limit=None, max_work=None, shape=None, memory=None,
    temporary=None, comm=None, gather=True)
maximum_transversal(A, *, algorithm='auto', initializer='auto', backend='auto', threads=None,
    seed=None, options=None, device=None, initial=None, orientation=None, time_limit=None,
    max_work=None, deterministic=False, watcher=None, drop_zeros=None, shape=None, comm=None,
    gather=True)
peek(path)
preorder(A, *, solver='superlu', block_ordering='auto', weights='auto', **options)
read(path, *, drop_zeros=False, threads=0, progress=None)
read_matrix(path)
read_valued(path, *, drop_zeros=False)
report(A, path, *, row_names=None, col_names=None, solvers_within=10.0, drop_zeros=None,
    threads=None, replace=True)
save(result, path, *, format=None, convention=None, replace=True)
solve(A, b, *, solver='auto', weights='auto', block_ordering='auto', trans='N', refine='auto',
    drop_zeros=None)
solvers()
structural_rank(A, **options)
weighted_transversal(A, *, objective='product', algorithm='auto', backend='auto', threads=None,
    seed=None, time_limit=None, max_work=None, shape=None, comm=None, gather=True)
write_matrix(path, A, *, format=None, replace=True)
testing.assert_blocks_at_most(A, size, **options)
testing.assert_structurally_nonsingular(A, *, square=True, row_names=None, col_names=None,
    **options)
Decomposition.apply(A, *, scale=False)
Decomposition.block_graph(A=None)
Decomposition.save(path, *, format=None, convention=None, replace=True)
Diagnosis.text(*, limit=10)
Diagnosis.to_dict(*, limit=1000000)
GraphMatching.save(path, *, replace=True)
Pattern.from_coo(rows, cols, shape, *, values=None, zero_mask=None, drop_zeros=False, name=None,
    source=None, symmetric=False, owned=False)
Pattern.from_csc(indptr, indices, shape, *, values=None, drop_zeros=False, name=None,
    source=None, owned=False, threads=None)
Pattern.from_csr(indptr, indices, shape, *, values=None, drop_zeros=False, name=None,
    source=None, owned=False, threads=None)
Preordering.apply(A, *, scale=False)
Preordering.factor(A, *, diag_pivot_thresh=None)
Preordering.save(path, *, format=None, convention=None, replace=True)
Solution.save(path, *, format=None, replace=True)
"""


def signature_of(function) -> str:
    words, only_by_name = [], False
    for parameter in inspect.signature(function).parameters.values():
        mark = {parameter.VAR_KEYWORD: "**", parameter.VAR_POSITIONAL: "*"}.get(parameter.kind, "")
        if parameter.kind == parameter.KEYWORD_ONLY and not only_by_name:
            words.append("*")
            only_by_name = True
        if parameter.name not in ("self", "cls"):
            default = parameter.default
            has_none = default is parameter.empty
            words.append(mark + parameter.name + ("" if has_none else f"={default!r}"))
    return ", ".join(words)


def test_the_signatures():
    found = []
    for module, prefix in ((btfperm, ""), (testing, "testing.")):
        for name in module.__all__:
            if inspect.isfunction(function := getattr(module, name)):
                found.append(f"{prefix}{name}({signature_of(function)})")
    for name in btfperm.__all__:
        class_ = getattr(btfperm, name)
        if not inspect.isclass(class_) or name.startswith("Distributed"):
            continue
        if issubclass(class_, BaseException):
            continue
        for key, value in sorted(vars(class_).items()):
            function = getattr(value, "__func__", value)
            if not key.startswith("_") and inspect.isfunction(function):
                text = signature_of(function)
                found += [f"{name}.{key}({text})"] if "=" in text else []
    assert found == SIGNATURES.replace("\n    ", " ").splitlines()
    assert signature_of(Factorization.solve) == "b, trans='N', *, refine='auto'"
