// SPDX-License-Identifier: BSD-3-Clause
// WithoutGil: a scope that releases Python's global interpreter lock (GIL)
//
// Idea        The core works without the GIL, and acquires it again at the end of the scope and,
//             for a moment, when a budget polls for signals. A daemon thread may try to acquire it
//             after the main thread has begun to finalize the interpreter. That thread must never
//             run Python code again. CPython before 3.14 ends it by pthread_exit, which glibc
//             implements as an exception that unwinds the stack. Destructors and nanobind's
//             functions are noexcept, so that exception would end the whole process by
//             std::terminate. In CPython 3.14 the thread sleeps forever, and `acquire_gil` does the
//             same for all versions: the main thread ends the process with its own exit code.
// Invariants  `acquire_gil` gets the thread state that the scope has released. PyGILState_Ensure
//             cannot be used: it finds the thread state in a table, which no longer exists after
//             finalization.
#pragma once

#include <Python.h>

#include <chrono>
#include <thread>

namespace btfperm {

// The thread state that this thread has released, or null while it holds the GIL. OpenMP's thread 0
// is the calling thread, and only it polls for signals.
inline thread_local PyThreadState* released_state = nullptr;

// Does not return in a thread that the interpreter ends during finalization.
inline void acquire_gil(PyThreadState* state) noexcept {
  try {
    PyEval_RestoreThread(state);
  } catch (...) {  // the exception of pthread_exit: nothing else is thrown here
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

class WithoutGil {
 public:
  WithoutGil() { released_state = PyEval_SaveThread(); }
  ~WithoutGil() {
    PyThreadState* const state = released_state;
    released_state = nullptr;
    acquire_gil(state);
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
};

// Runs pending Python signal handlers; true if one raised an exception, such as KeyboardInterrupt.
// Python runs signal handlers in the main thread only. Called inside the scope of a WithoutGil.
inline bool python_interrupted() {
  acquire_gil(released_state);
  const bool raised = PyErr_CheckSignals() != 0;
  released_state = PyEval_SaveThread();
  return raised;
}

}  // namespace btfperm
