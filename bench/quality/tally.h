// Counts of what was denied, in all and by a name, at the three sensitivities; times of judging.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace wafd::bench {

inline constexpr std::size_t kLevels = 3;  // low, balanced, strict

struct Tally {
  std::size_t blacks = 0, whites = 0;
  std::array<std::size_t, kLevels> denied_blacks{};
  std::array<std::size_t, kLevels> denied_whites{};

  void count(bool black) { ++(black ? blacks : whites); }
  void deny(bool black, std::size_t level) { ++(black ? denied_blacks : denied_whites)[level]; }
  double black_share(std::size_t level) const;  // per cent
  double white_share(std::size_t level) const;
};

// The confusion table: a line for each sensitivity.
void print_confusion(const char* title, const Tally& tally);
// Denied blacks and whites at each sensitivity, a line for each name; `of`: with how many there are.
void print_by(const char* title, const std::map<std::string, Tally>& by, bool of);

// In microseconds; sorted by printing.
using Times = std::vector<double>;
double mean_of(const Times& times);
void print_times(const char* what, Times& times);

double thread_cpu_us();

}  // namespace wafd::bench
