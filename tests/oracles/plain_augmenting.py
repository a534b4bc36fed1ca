# SPDX-License-Identifier: BSD-3-Clause
"""Searches for augmenting paths in a simple form, one column after the other: the steps, the paths
and the entries visited. All lists are in ascending order."""

from __future__ import annotations

from collections import deque

from tests.oracles.plain_pattern import column_lists


class Search:
    """A matching, and what a search counts. The matching is empty, or `col_match`."""

    def __init__(self, A, col_match=None):
        self.m, self.n = A.shape
        self.rows_of = column_lists(A)
        self.col_match = [-1] * self.n if col_match is None else [int(i) for i in col_match]
        self.row_match = [-1] * self.m
        for j, i in enumerate(self.col_match):
            if i >= 0:
                self.row_match[i] = j
        self.phases = self.edges = 0
        self.lengths = []

    def unmatched(self):
        return [j for j in range(self.n) if self.col_match[j] < 0]

    def augment(self, i, j, above):
        """Along the path that ends with column j and row i; above(j, i) is the column before j."""
        length = -1
        while j is not None:
            self.row_match[i], self.col_match[j], freed = j, i, self.col_match[j]
            i, j, length = freed, above(j, freed), length + 2
        self.lengths.append(length)

    def counters(self):
        return {
            "edges": self.edges,
            "phases": self.phases,
            "augmentations": len(self.lengths),
            "path_edges": sum(self.lengths),
            "longest_path": max(self.lengths, default=0),
        }


class DepthFirst(Search):
    """Depth-first searches with lookahead (Duff, 1981; Pothen and Fan, 1990)."""

    def __init__(self, A, col_match=None):
        super().__init__(A, col_match)
        self.ahead = [0] * self.n

    def look_ahead(self, j, visited):
        """An unmatched row of column j. Rows that were matched once are not visited again."""
        while self.ahead[j] < len(self.rows_of[j]):
            i = self.rows_of[j][self.ahead[j]]
            self.edges += 1
            if self.row_match[i] < 0 and i not in visited:
                visited.add(i)
                return i
            self.ahead[j] += 1
        return None

    def search(self, root, visited, backwards=False):
        path, lists, j = [], [], root
        while True:
            if j is not None:
                path.append(j)
                lists.append(iter(self.rows_of[j][:: -1 if backwards else 1]))
                i = self.look_ahead(j, visited)
                if i is not None:
                    before = dict(zip(path[1:], path, strict=False))
                    return self.augment(i, j, lambda j, _, before=before: before.get(j))
            j = None
            for i in lists[-1]:
                self.edges += 1
                if i not in visited:
                    visited.add(i)
                    j = self.row_match[i]
                    break
            if j is None:
                path.pop()
                lists.pop()
                if not path:
                    return None

    def in_phases(self, search):
        """Calls search(root, visited) for each unmatched column, with one set of visited rows for
        each phase, until a phase finds no path."""
        roots = [j for j in self.unmatched() if self.rows_of[j]]
        while roots:
            self.phases += 1
            visited = set()
            for root in roots:
                search(root, visited)
            left = [j for j in roots if self.col_match[j] < 0]
            if len(left) == len(roots):
                break
            roots = left
        return self.counters()


def pothen_fan(A, fairness, col_match=None):
    """`fairness`: every second phase visits the lists from their ends."""
    search = DepthFirst(A, col_match)

    def find_path(root, visited):
        search.search(root, visited, fairness and search.phases % 2 == 0)

    return search.in_phases(find_path)


def ss_dfs(A, close=0, col_match=None):
    """`close`: no later search visits the rows of a search without a path."""
    search, closed = DepthFirst(A, col_match), set()
    for root in search.unmatched():
        search.phases += 1
        visited = set(closed)
        search.search(root, visited)
        if close and search.col_match[root] < 0:
            closed = visited
    return search.counters()


def p_dbfs(A, col_match=None):
    """Azad, Halappanavar, Rajamanickam, Boman, Khan and Pothen (2012): breadth-first searches with
    lookahead, disjoint in each phase."""
    search = DepthFirst(A, col_match)

    def find_path(root, visited):
        queue, above = deque([root]), {root: None}
        while queue:
            j = queue.popleft()
            i = search.look_ahead(j, visited)
            if i is not None:
                search.ahead[j] += 1  # the row is not visited again
                search.augment(i, j, lambda j, _: above[j])
                return
            search.edges += len(search.rows_of[j])
            for i in search.rows_of[j]:
                if i not in visited:
                    visited.add(i)
                    below = search.row_match[i]
                    above[below] = j
                    queue.append(below)

    return search.in_phases(find_path)


def ms_bfs(A, col_match=None):
    """Trees from all unmatched columns at the same time. A tree that has a path grows no more, and
    the phase ends when all have one or no other can grow."""
    search = Search(A, col_match)
    roots = search.unmatched()
    while roots:
        search.phases += 1
        visited, above, root_of, end = set(), dict.fromkeys(roots), {j: j for j in roots}, {}
        queue = deque(roots)
        while queue and len(end) < len(roots):
            j = queue.popleft()
            root = root_of[j]
            if root in end:
                continue
            for i in search.rows_of[j]:
                search.edges += 1
                if i in visited:
                    continue
                visited.add(i)
                below = search.row_match[i]
                if below < 0:
                    end[root] = i, j
                    break
                root_of[below], above[below] = root, j
                queue.append(below)
        for root in roots:
            if root in end:
                search.augment(*end[root], lambda j, _, above=above: above[j])
        if not end:
            break
        roots = [j for j in roots if search.col_match[j] < 0]
    return search.counters()


def ms_bfs_graft(A, alpha=5.0, direction=True, graft=True, col_match=None):
    """Azad, Buluç and Pothen (2017). Levels are searched from the columns of the frontier or, if it
    is large, from the unvisited rows. A phase starts with the trees without a path, onto which it
    grafts the rows of the others, or with new trees."""
    search = Search(A, col_match)
    cols_of = column_lists(A.T)
    m, row_match = search.m, search.row_match
    free = [j for j in search.unmatched() if search.rows_of[j]]
    visited, parent, root_of_row, root_of = set(), {}, {}, {j: j for j in free}
    frontier, sizes, steps = list(free), [], {"top_down": 0, "bottom_up": 0, "grafts": 0}
    end = {}

    def join(i, j, found):
        visited.add(i)
        parent[i], root_of_row[i] = j, root_of[j]
        if row_match[i] < 0:
            end[root_of[j]] = i
        else:
            root_of[row_match[i]] = root_of[j]
            found.append(row_match[i])

    def bottom_up(rows):
        found = []
        for i in rows:
            if i in visited:
                continue
            for j in cols_of[i]:
                search.edges += 1
                if j in root_of and root_of[j] not in end:
                    join(i, j, found)
                    break
        return found

    while free:
        search.phases += 1
        while frontier:
            sizes.append(len(frontier))
            if not direction or len(frontier) < (m - len(visited)) / alpha:
                steps["top_down"] += 1
                found = []
                for j in frontier:
                    for i in search.rows_of[j] if root_of[j] not in end else ():
                        search.edges += 1
                        if i not in visited:
                            join(i, j, found)
                            if root_of[j] in end:
                                break
                frontier = found
            else:
                steps["bottom_up"] += 1
                frontier = bottom_up([i for i in range(m) if i not in visited])
        sizes.append(0)
        for root in free:
            if root in end:
                i = end[root]
                search.augment(i, parent[i], lambda j, freed: parent.get(freed))
        left = [j for j in free if j not in end]
        if len(left) == len(free):
            break
        free = left
        used = [i for i in range(m) if root_of_row.get(i) in end]
        for i in used:
            visited.discard(i)
            del root_of_row[i]
        if graft and len(free) + len(root_of_row) > len(used) / alpha:
            steps["grafts"] += 1
            frontier = bottom_up(used)
        else:
            visited, root_of_row, root_of = set(), {}, {j: j for j in free}
            frontier = list(free)
            end = {}
    return search.counters() | {"frontier_sizes": sizes} | steps
