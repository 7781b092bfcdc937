// Requests made to measure: ordinary ones of any size, and hostile ones that try to make each byte dear.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace wafd::bench {

struct Shape {
  const char* name;
  bool hostile;
  std::string (*make)(std::size_t bytes);  // a whole request with a value or body of about that size
};

std::span<const Shape> shapes();

}  // namespace wafd::bench
