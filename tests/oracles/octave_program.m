% SPDX-License-Identifier: BSD-3-Clause
% A program for GNU Octave: octave-cli octave_program.m FOLDER
% For each NAME.A.mat in FOLDER, with a sparse matrix A, and NAME.perm.mat, as btfperm writes it, the
% program writes NAME.out.mat: Octave's own dmperm and sprank of A, the matrix A(p, q) in the order of
% the file, and the number of its entries below the blocks of the file.
folder = argv(){end};
for file = glob(fullfile(folder, "*.A.mat"))'
  name = file{1}(1:end - 6);
  A = load(file{1}).A;
  [p, q, r, s, cc, rr] = dmperm(A);
  rank = sprank(A);
  order = load([name, ".perm.mat"]);
  permuted = A(order.p, order.q);
  below = 0;
  for k = 1:numel(order.r) - 1
    below += nnz(permuted(order.r(k + 1):end, order.s(k):order.s(k + 1) - 1));
  endfor
  save("-v7", [name, ".out.mat"], "p", "q", "r", "s", "cc", "rr", "rank", "permuted", "below");
endfor
