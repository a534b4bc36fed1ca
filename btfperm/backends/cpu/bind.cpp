// SPDX-License-Identifier: BSD-3-Clause
// Threads, memory and faults of the core, as `_core.backends`.
#include <omp.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#if defined(__linux__)
#include <fcntl.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "backends/cpu/bind.hpp"
#include "backends/cpu/page_store.hpp"
#include "backends/cpu/parallel.hpp"
#include "backends/cpu/sharing.hpp"
#include "backends/cpu/start_threads.hpp"

namespace btfperm {

void bind_backends(nb::module_& module) {
  module.def(
      "fail_allocation_at", [](long k) { fail_at.store(k); }, nb::arg("k"),
      "Make the k-th allocation of the core from here on fail, once; 0 turns it off. For tests.");
  module.def(
      "share_always", [](bool always) { return share_always.exchange(always); }, nb::arg("always"),
      "Set whether even the smallest loops are divided among the threads; return the previous "
      "setting. For tests.");
  module.def(
      "start_threads",
      [](int threads) {
        const WithoutGil nogil;
        return start_threads(threads);
      },
      nb::arg("threads"),
      "Make OpenMP start this number of threads, including the calling one, or fewer if the system "
      "refuses some; return their number.");
  module.def("threads_for_search", &threads_for_search, nb::arg("entries"), nb::arg("threads"),
             "The number of threads that search a matrix with this number of entries.");
  module.def(
      "startable_threads",
      [](int wanted) {
        const WithoutGil nogil;
        return startable_threads(wanted, 0);
      },
      nb::arg("wanted"),
      "How many of the wanted threads the system can start beside those that run already.");
  module.def(
      "refuse_threads_beyond",
      [](int most) {
        refuse_threads_beyond.store(most < 0 ? std::numeric_limits<int>::max() : most);
      },
      nb::arg("most"),
      "Limit the number of threads that are started at a time; -1: no limit. For tests.");
  module.def(
      "usable_cores", [] { return omp_get_num_procs(); },
      "Cores that this process may use, even if OpenMP binds the calling thread to some of them.");
  module.def(
      "return_free_memory",
      [](bool with_pages) {
        const WithoutGil nogil;
        if (with_pages) PageStore::instance().release();
#if defined(__GLIBC__)
        malloc_trim(0);
#endif
      },
      nb::arg("with_pages") = false,
      "Return freed memory to the operating system, if the C library can; with `with_pages`, also "
      "the pages that are kept for the next call.");
  module.def(
      "start_write_back",
      [](int descriptor) {
#if defined(__linux__)
        const WithoutGil nogil;
        static_cast<void>(sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE));
#else
        static_cast<void>(descriptor);
#endif
      },
      nb::arg("descriptor"),
      "Ask the system to start writing the data of a file to the disk, without waiting. Only Linux "
      "has this call; a failure is not reported.");
  module.def(
      "copy_bytes",
      [](In<std::uint8_t> source, Out<std::uint8_t> target, int threads) {
        const auto bytes = static_cast<std::int64_t>(target.shape(0));
        require_places(source, bytes, "source");
        const WithoutGil nogil;
        on_team(threads, threads > 1, [&](int t, int team) {
          const Share<std::int64_t> own(bytes, t, team);
          std::memcpy(target.data() + own.first, source.data() + own.first,
                      static_cast<std::size_t>(own.last - own.first));
        });
      },
      nb::arg("source").noconvert(), nb::arg("target").noconvert(), nb::arg("threads") = 1,
      "Copy an array of bytes into another of the same length.");
  module.def(
      "new_bytes",
      [](std::size_t count) {
        auto memory = std::make_unique<Workspace>();
        auto* const bytes = memory->take<std::uint8_t>(count);
        return owned_array(std::move(memory), bytes, count);
      },
      nb::arg("count"),
      "An uninitialised array of bytes. The system assigns memory to its pages at their first use, "
      "so that several threads can share this work.");
  module.def(
      "entries_visited", [] { return entries_visited.load(std::memory_order_relaxed); },
      "Entries that the searches of this process have visited, as of their latest polls.");
  module.def("max_threads", [] { return omp_get_max_threads(); }, "Threads OpenMP would use.");
}

}  // namespace btfperm
