// A file of the project that holds what a program answers, so that a change of the answers is seen.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "console/base/json_text.h"

namespace wafd::test {

// Compares `now` with the file at `path`, below the sources. What is answered now is left in the build folder
// under the file's name, for whoever changed it on purpose.
inline void expect_recorded(const std::string& path, const std::string& now) {
  std::ifstream file(std::string(WAFD_SOURCE_DIR) + "/" + path, std::ios::binary);
  const std::string recorded{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (recorded == now) return;
  const std::string left = std::string(WAFD_BUILD_DIR) + "/" + path.substr(path.rfind('/') + 1);
  std::ofstream(left, std::ios::binary) << now;
  ADD_FAILURE() << path << " is not what is answered now\n"
                << console::differing_lines(recorded, now).substr(0, 4000) << "\nall of it: " << left;
}

}  // namespace wafd::test
