#include "console/base/strict_json.h"

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

namespace wafd::console {
namespace {

// Receives the parser's events and keeps the names of the objects that are open.
class Names {
 public:
  static constexpr std::size_t max_object_size = SIZE_MAX;
  static constexpr std::size_t max_array_size = SIZE_MAX;
  static constexpr std::size_t max_key_size = SIZE_MAX;
  static constexpr std::size_t max_string_size = SIZE_MAX;
  using error_code = boost::json::error_code;
  using string_view = boost::json::string_view;

  const std::optional<std::string>& twice() const { return twice_; }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return open(false); }
  bool on_object_end(std::size_t, error_code&) { return close(); }
  bool on_array_begin(error_code&) { return open(true); }
  bool on_array_end(std::size_t, error_code&) { return close(); }
  bool on_key_part(string_view part, std::size_t, error_code&) {
    key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(string_view part, std::size_t, error_code& ec) {
    key_.append(part.data(), part.size());
    Level& level = levels_.back();
    level.name = std::exchange(key_, {});
    if (level.seen.insert(level.name).second) return true;
    twice_ = path();
    ec = boost::json::error::syntax;
    return false;
  }
  bool on_string_part(string_view, std::size_t, error_code&) { return true; }
  bool on_string(string_view, std::size_t, error_code&) { return value(); }
  bool on_number_part(string_view, error_code&) { return true; }
  bool on_int64(std::int64_t, string_view, error_code&) { return value(); }
  bool on_uint64(std::uint64_t, string_view, error_code&) { return value(); }
  bool on_double(double, string_view, error_code&) { return value(); }
  bool on_bool(bool, error_code&) { return value(); }
  bool on_null(error_code&) { return value(); }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }

 private:
  struct Level {
    bool list = false;
    std::size_t index = 0;  // of a list
    std::string name;       // of an object: the member that is read
    std::unordered_set<std::string> seen;
  };

  bool open(bool list) {
    levels_.push_back({list, 0, {}, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return value();
  }
  bool value() {
    if (!levels_.empty() && levels_.back().list) ++levels_.back().index;
    return true;
  }
  // Safe to show: other bytes than those of a name are left out.
  std::string path() const {
    std::string out;
    for (const Level& level : levels_) {
      if (level.list) {
        out += fmt::format("[{}]", level.index);
        continue;
      }
      if (!out.empty()) out += '.';
      for (const char c : level.name.substr(0, 64)) out += c > ' ' && c < 0x7f && c != ':' ? c : '?';
    }
    return out;
  }

  std::vector<Level> levels_;
  std::string key_;
  std::optional<std::string> twice_;
};

}  // namespace

std::optional<Error> member_given_twice(std::string_view json) {
  boost::json::basic_parser<Names> parser(boost::json::parse_options{});
  boost::system::error_code error;
  const std::size_t read = parser.write_some(false, json.data(), json.size(), error);
  const auto& twice = parser.handler().twice();
  if (!twice) return std::nullopt;
  return Error{ErrorCode::kInvalid, read, fmt::format("{}: expected once, it is given twice", *twice)};
}

}  // namespace wafd::console
