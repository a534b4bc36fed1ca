/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves A x = b by KLU in the order of a file that btfperm wrote:

       btfperm matrix.mtx -o perm.txt --solver klu
       cc solve_with_klu.c -lklu -lm -o solve_with_klu     (Debian: libsuitesparse-dev)
       ./solve_with_klu matrix.mtx perm.txt

   The matrix is a real Matrix Market file in coordinate format, with all entries stored. The
   right-hand side is A times (1, 1, ..., 1). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<suitesparse/klu.h>)
#include <suitesparse/klu.h>
#else
#include <klu.h>
#endif

static void stop(const char *message) {
  fprintf(stderr, "%s\n", message);
  exit(1);
}

/* Columns of the matrix: Ap, Ai, Ax. Returns n. */
static int read_matrix(const char *path, int **Ap, int **Ai, double **Ax) {
  char line[1024];
  int m, n, nnz;
  FILE *f = fopen(path, "r");
  if (!f || !fgets(line, sizeof line, f) || !strstr(line, "coordinate real general"))
    stop("the matrix must be a Matrix Market file: coordinate real general");
  do {
    if (!fgets(line, sizeof line, f)) stop("the matrix has no sizes");
  } while (line[0] == '%');
  if (sscanf(line, "%d %d %d", &m, &n, &nnz) != 3 || m != n) stop("the matrix must be square");
  int *rows = malloc(nnz * sizeof *rows), *cols = malloc(nnz * sizeof *cols);
  double *values = malloc(nnz * sizeof *values);
  *Ap = calloc(n + 1, sizeof **Ap);
  *Ai = malloc(nnz * sizeof **Ai);
  *Ax = malloc(nnz * sizeof **Ax);
  for (int k = 0; k < nnz; k++) {
    if (fscanf(f, "%d %d %lf", &rows[k], &cols[k], &values[k]) != 3) stop("entries are missing");
    (*Ap)[cols[k]]++;
  }
  fclose(f);
  for (int j = 0; j < n; j++) (*Ap)[j + 1] += (*Ap)[j];
  for (int k = nnz; k-- > 0;) { /* Ap[j + 1] moves from the end of column j to its begin */
    int to = --(*Ap)[cols[k]];
    (*Ai)[to] = rows[k] - 1;
    (*Ax)[to] = values[k];
  }
  for (int j = 0; j < n; j++) (*Ap)[j] = (*Ap)[j + 1];
  (*Ap)[n] = nnz;
  free(rows), free(cols), free(values);
  return n;
}

/* P and Q, which count from 0: row P[k] and column Q[k] of A are moved to place k. */
static void read_order(const char *path, int n, int *P, int *Q) {
  char name[64], convention[64];
  int version, arrays;
  long length, value;
  FILE *f = fopen(path, "r");
  if (!f || fscanf(f, "%63s %d %63s %d", name, &version, convention, &arrays) != 4)
    stop("the order must be a file of btfperm");
  if (strcmp(convention, "klu")) stop("the order must have the convention klu");
  while (arrays-- > 0) {
    if (fscanf(f, "%63s %ld", name, &length) != 2) stop("the order ends early");
    int *to = !strcmp(name, "P") ? P : !strcmp(name, "Q") ? Q : NULL;
    if (to && length != n) stop("the order belongs to another matrix");
    for (long k = 0; k < length; k++) {
      if (fscanf(f, "%ld", &value) != 1) stop("the order ends early");
      if (to) to[k] = (int)value;
    }
  }
  fclose(f);
}

int main(int argc, char **argv) {
  int *Ap, *Ai;
  double *Ax;
  klu_common common;
  if (argc != 3) stop("usage: solve_with_klu matrix.mtx perm.txt");
  int n = read_matrix(argv[1], &Ap, &Ai, &Ax);
  int *P = malloc(n * sizeof *P), *Q = malloc(n * sizeof *Q);
  read_order(argv[2], n, P, Q);

  klu_defaults(&common);
  klu_symbolic *symbolic = klu_analyze_given(n, Ap, Ai, P, Q, &common);
  if (!symbolic) stop("KLU refuses the order");
  klu_numeric *numeric = klu_factor(Ap, Ai, Ax, symbolic, &common);
  if (!numeric) stop("the matrix is singular");

  double *x = calloc(n, sizeof *x), largest = 0;
  for (int p = 0; p < Ap[n]; p++) x[Ai[p]] += Ax[p];
  klu_solve(symbolic, numeric, n, 1, x, &common);
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i] - 1));
  printf("%d blocks, %d entries in L + U, %d pivots off the diagonal, largest error %.1e\n",
         numeric->nblocks, numeric->lnz + numeric->unz - n, common.noffdiag, largest);

  klu_free_numeric(&numeric, &common);
  klu_free_symbolic(&symbolic, &common);
  free(Ap), free(Ai), free(Ax), free(P), free(Q), free(x);
  return 0;
}
