// What announces a path, made from the lists of path_names.h. Internal to path_traversal.
#pragma once

#include <deque>
#include <string>
#include <vector>

namespace wafd::detect {

struct PathHints {
  std::vector<const char*> expressions;
  std::deque<std::string> texts;  // of those that are made; never moved
};
PathHints make_path_hints();

}  // namespace wafd::detect
