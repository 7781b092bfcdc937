#include "detect/analyze/path/path_hints.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "detect/analyze/path/path_names.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

using Words = std::set<std::string_view>;

std::string one_of(const Words& words) {
  std::string out = "(";
  for (const std::string_view word : words) {
    if (out.size() > 1) out += '|';
    for (const char c : word) {
      if (!is_alnum(c) && c != '_' && c != ' ') out += '\\';
      out += c;
    }
  }
  return out + ")";
}

}  // namespace

PathHints make_path_hints() {
  Words folders;  // first segments: something stands below
  Words files;
  const auto sort_in = [&](const auto& paths) {
    for (const std::string_view path : paths) {
      const std::size_t slash = path.find('/');
      (slash == std::string_view::npos ? files : folders).insert(path.substr(0, slash));
    }
  };
  sort_in(names::kRooted);
  sort_in(names::kAnywhere);
  sort_in(names::kNamed);
  PathHints out;
  const auto add = [&](std::string text) {
    out.expressions.push_back(out.texts.emplace_back(std::move(text)).c_str());
  };
  // Two dots, with what a segment may hold besides them in between
  add(R"((\.|%2e)[^a-z0-9]{0,8}(\.|%2e)([^a-z0-9]|$))");
  // No part of a longer segment: a.dev/
  add("(^|[^a-z0-9._-])" + one_of(folders) + R"([/\\])");
  add("(^|[^a-z0-9])" + one_of(files) + "([^a-z0-9]|$)");
  add(R"(\x00\.[a-z0-9])");
  add(R"(:\$(data|index_allocation))");
  return out;
}

}  // namespace wafd::detect
