// The files of the project as tests of its form walk them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <vector>

// Every file below WAFD_SOURCE_DIR, but for what is built, installed or git's, and folders of a name in
// `left_out`.
inline std::vector<std::filesystem::path> files_of_project(
    std::initializer_list<std::string_view> left_out = {}) {
  namespace fs = std::filesystem;
  std::vector<fs::path> found;
  for (auto entry = fs::recursive_directory_iterator(WAFD_SOURCE_DIR);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename();
    if (!entry->is_directory()) {
      found.push_back(entry->path());
    } else if (name == "build" || name == "node_modules" || name == ".git" ||
               std::find(left_out.begin(), left_out.end(), name) != left_out.end()) {
      entry.disable_recursion_pending();
    }
  }
  return found;
}
