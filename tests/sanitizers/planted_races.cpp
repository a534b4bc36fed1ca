// SPDX-License-Identifier: BSD-3-Clause
// planted_races NAME: one small OpenMP region that is correct, or one that contains a data race
//
// Built with ThreadSanitizer and btfperm/backends/cpu/openmp_threads.cpp. Correct regions must pass
// without a report, and each race must be detected. Exit code 1: the region did not do its work.
#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string>
#include <thread>

namespace {

constexpr int team = 4;
constexpr int places = 64;

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

// -- correct --------------------------------------------------------------------------------------

bool fork_and_join() {
  int before = 1;
  std::array<int, team> own{};
#pragma omp parallel num_threads(team)
  own[omp_get_thread_num()] = before + omp_get_num_threads();
  return std::count(own.begin(), own.end(), 1 + team) == team && omp_get_num_threads() == 1;
}

bool barriers() {
  std::array<int, team> own{};
  std::array<int, team> next{};
#pragma omp parallel num_threads(team)
  {
    const int t = omp_get_thread_num();
    for (int round = 1; round <= 100; ++round) {
      own[t] += 1;
#pragma omp barrier
      next[t] = own[(t + 1) % team];
#pragma omp barrier
    }
  }
  return std::count(next.begin(), next.end(), 100) == team;
}

bool loops() {
  std::array<int, places> up{};
  std::array<int, places> down{};
  std::array<int, places> after{};
#pragma omp parallel num_threads(team)
  for (int round = 0; round < 100; ++round) {  // more loops than the runtime stores at a time
#pragma omp for schedule(dynamic, 5) nowait
    for (int k = 0; k < places; ++k) ++up[k];
#pragma omp for schedule(dynamic, 3)
    for (long k = places - 1; k >= 0; k -= 2) ++down[k];
#pragma omp for schedule(static)
    for (int k = 0; k < places; ++k) after[k] += up[places - 1 - k];
  }
#pragma omp parallel for num_threads(team) schedule(dynamic, 7)
  for (int k = 0; k < places; ++k) ++up[k];
  const bool odd = std::count(down.begin(), down.end(), 100) == places / 2;
  return odd && std::count(up.begin(), up.end(), 101) == places && after[0] == 5050;
}

bool singles() {
  int given = 0;
  std::array<int, team> seen{};
#pragma omp parallel num_threads(team)
  for (int round = 0; round < 100; ++round) {
#pragma omp single
    ++given;
    seen[omp_get_thread_num()] = given;
#pragma omp barrier
  }
  return given == 100 && std::count(seen.begin(), seen.end(), 100) == team;
}

bool reductions() {
  long sum = 0;
  int least = places;
  int entered = 0;
#pragma omp parallel num_threads(team) reduction(+ : sum) reduction(min : least)
  {
#pragma omp for schedule(static)
    for (int k = 0; k < places; ++k) {
      sum += k;
      least = std::min(least, k);
    }
#pragma omp critical(planted)
    ++entered;
  }
  return sum == places * (places - 1) / 2 && least == 0 && entered == team;
}

bool regions_inside() {
  std::array<int, team> size{};
#pragma omp parallel num_threads(team)
  {
    const int t = omp_get_thread_num();
#pragma omp parallel num_threads(team)
    size[t] += omp_get_num_threads();
  }
  return std::count(size.begin(), size.end(), 1) == team;
}

// -- races ----------------------------------------------------------------------------------------

bool no_barrier() {
  std::array<int, team> own{};
  std::array<int, team> next{};
#pragma omp parallel num_threads(team)
  {
    const int t = omp_get_thread_num();
    own[t] = t;
    next[t] = own[(t + 1) % team];
  }
  return next[0] >= 0;
}

bool plain_counter() {
  int count = 0;
#pragma omp parallel num_threads(team)
  ++count;
  return count > 0;
}

bool single_nowait() {
  int given = 0;
  std::array<int, team> seen{};
#pragma omp parallel num_threads(team)
  {
#pragma omp single nowait
    given = 1;
    seen[omp_get_thread_num()] = given;
  }
  return given == 1;
}

bool loop_nowait() {
  std::array<int, places> value{};
  std::array<int, places> copy{};
#pragma omp parallel num_threads(team)
  {
#pragma omp for schedule(static) nowait
    for (int k = 0; k < places; ++k) value[k] = k;
#pragma omp for schedule(static)
    for (int k = 0; k < places; ++k) copy[k] = value[places - 1 - k];
  }
  return value[1] == 1;
}

bool chunks_in_turn() {  // the distribution of the chunks must not order them
  int last = -1;
#pragma omp parallel num_threads(team)
  {
#pragma omp barrier
#pragma omp for schedule(dynamic, 1)
    for (int k = 0; k < places; ++k) {
      last = k;
      rest();
    }
  }
  return last >= 0;
}

}  // namespace

int main(int count, char** words) {
  const std::map<std::string, bool (*)()> cases{{"fork_and_join", fork_and_join},
                                                {"barriers", barriers},
                                                {"loops", loops},
                                                {"singles", singles},
                                                {"reductions", reductions},
                                                {"regions_inside", regions_inside},
                                                {"no_barrier", no_barrier},
                                                {"plain_counter", plain_counter},
                                                {"single_nowait", single_nowait},
                                                {"loop_nowait", loop_nowait},
                                                {"chunks_in_turn", chunks_in_turn}};
  const auto found = cases.find(count > 1 ? words[1] : "");
  if (found == cases.end()) return 2;
  bool done = true;
  for (int round = 0; round < 20; ++round) done &= found->second();  // a single run may miss a race
  return done ? 0 : 1;
}
