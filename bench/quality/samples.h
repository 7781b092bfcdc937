// Stored requests: NAME.black is an attack, NAME.white is none; files of other names are left alone.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace wafd::bench {

struct Sample {
  std::string path;
  bool black = false;
};

// Ordered by path.
inline std::vector<Sample> list_samples(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<Sample> out;
  const auto take = [&](const fs::path& path) {
    const std::string kind = path.extension().string();
    if (kind == ".black" || kind == ".white") out.push_back({path.string(), kind == ".black"});
  };
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      take(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) take(entry.path());
  }
  std::sort(out.begin(), out.end(), [](const Sample& a, const Sample& b) { return a.path < b.path; });
  return out;
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace wafd::bench
