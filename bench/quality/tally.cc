#include "bench/quality/tally.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <time.h>

namespace wafd::bench {
namespace {

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

constexpr const char* kLevelNames[kLevels] = {"low", "balanced", "strict"};

}  // namespace

double Tally::black_share(std::size_t level) const { return share(denied_blacks[level], blacks); }
double Tally::white_share(std::size_t level) const { return share(denied_whites[level], whites); }

void print_confusion(const char* title, const Tally& tally) {
  fmt::print("\n{:<28} {:>27} {:>27}\n", title, fmt::format("of {} blacks denied", tally.blacks),
             fmt::format("of {} whites denied", tally.whites));
  for (std::size_t level = 0; level < kLevels; ++level) {
    fmt::print("  {:<26} {:>14} {:>10.3f} % {:>14} {:>10.3f} %\n", kLevelNames[level],
               tally.denied_blacks[level], tally.black_share(level), tally.denied_whites[level],
               tally.white_share(level));
  }
}

void print_by(const char* title, const std::map<std::string, Tally>& by, bool of) {
  fmt::print("\n{:<28} {:>8} {:>8} {:>8}   {:>8} {:>8} {:>8}\n", title, "blacks", "", "", "whites", "", "");
  fmt::print("{:<28} {:>8} {:>8} {:>8}   {:>8} {:>8} {:>8}\n", "", "low", "balanced", "strict", "low",
             "balanced", "strict");
  for (const auto& [name, tally] : by) {
    fmt::print("  {:<26} {:>8} {:>8} {:>8}   {:>8} {:>8} {:>8}", name, tally.denied_blacks[0],
               tally.denied_blacks[1], tally.denied_blacks[2], tally.denied_whites[0], tally.denied_whites[1],
               tally.denied_whites[2]);
    if (of)
      fmt::print("   of {} blacks ({:.1f} / {:.1f} / {:.1f} %), {} whites", tally.blacks,
                 tally.black_share(0), tally.black_share(1), tally.black_share(2), tally.whites);
    fmt::print("\n");
  }
}

double mean_of(const Times& times) {
  return times.empty() ? 0.0
                       : std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

void print_times(const char* what, Times& times) {
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return times[std::min(times.size() - 1,
                          static_cast<std::size_t>(part * static_cast<double>(times.size())))];
  };
  fmt::print(
      "  {:<16} mean {:>8.1f}  p50 {:>8.1f}  p90 {:>8.1f}  p99 {:>8.1f}  p99.9 {:>9.1f}  worst {:>9.1f}\n",
      what, mean_of(times), at(0.5), at(0.9), at(0.99), at(0.999), times.back());
}

double thread_cpu_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

}  // namespace wafd::bench
