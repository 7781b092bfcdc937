// Reads the configuration file as parser events, line by line.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

#include "config.h"
#include "config_keys.h"

namespace wafd {
namespace {

// Receives parser events and stores values as they come: so every error knows its line, and a key given twice
// is seen. The first error stops the parse.
class ConfigReader {
 public:
  static constexpr std::size_t max_object_size = 1 << 16;
  static constexpr std::size_t max_array_size = 1 << 16;
  static constexpr std::size_t max_key_size = 1 << 12;
  static constexpr std::size_t max_string_size = 1 << 16;
  using error_code = boost::json::error_code;
  using string_view = boost::json::string_view;

  explicit ConfigReader(Config& out) : config_(out) {}

  const std::optional<Error>& error() const { return error_; }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code& ec) {
    if (in_list_) return reject(ec, fmt::format("{}: expected strings inside the list", path()));
    if (seen_root_ && is_config_key(path())) return reject(ec, config_key_expects(path()));
    seen_root_ = true;
    ++depth_;
    return true;
  }
  bool on_object_end(std::size_t, error_code&) {
    --depth_;
    pop();
    return true;
  }
  bool on_array_begin(error_code& ec) {
    if (in_list_) return reject(ec, fmt::format("{}: expected strings inside the list", path()));
    if (!seen_root_) return reject(ec, "expected an object at the top");
    in_list_ = true;
    list_.clear();
    return true;
  }
  bool on_array_end(std::size_t, error_code& ec) {
    in_list_ = false;
    return take(ConfigValue(list_), ec);
  }
  bool on_key_part(string_view part, std::size_t, error_code&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_key(string_view part, std::size_t, error_code& ec) {
    text_.append(part.data(), part.size());
    names_.push_back(std::move(text_));
    text_.clear();
    const std::string here = path();
    if (!is_config_key(here) && !is_config_group(here))
      return reject(ec, fmt::format("{}: no such key", printable(here)));
    return true;
  }
  bool on_string_part(string_view part, std::size_t, error_code&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_string(string_view part, std::size_t, error_code& ec) {
    text_.append(part.data(), part.size());
    std::string text = std::move(text_);
    text_.clear();
    if (in_list_) {
      list_.push_back(std::move(text));
      return true;
    }
    return take(ConfigValue(std::move(text)), ec);
  }
  bool on_number_part(string_view, error_code&) { return true; }
  bool on_int64(std::int64_t number, string_view, error_code& ec) { return take(ConfigValue(number), ec); }
  bool on_uint64(std::uint64_t, string_view, error_code& ec) {
    return reject(ec, path() + ": the number is too large");
  }
  bool on_double(double, string_view, error_code& ec) {
    return reject(ec, path() + ": expected no fraction");
  }
  bool on_bool(bool flag, error_code& ec) { return take(ConfigValue(flag), ec); }
  bool on_null(error_code& ec) { return reject(ec, path() + ": null is no value here"); }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }

 private:
  std::string path() const {
    std::string out;
    for (const std::string& name : names_) {
      if (!out.empty()) out.push_back('.');
      out += name;
    }
    return out;
  }
  static std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, 64)) out.push_back(c > ' ' && c <= '~' ? c : '?');
    return out;
  }
  void pop() {
    if (!names_.empty()) names_.pop_back();
  }
  bool take(const ConfigValue& value, error_code& ec) {
    if (in_list_) return reject(ec, fmt::format("{}: expected strings inside the list", path()));
    const std::string here = path();
    if (!is_config_key(here)) {
      return reject(ec, here.empty() ? "expected an object at the top" : here + ": expected an object");
    }
    for (const std::string& earlier : seen_) {
      if (earlier == here) return reject(ec, here + ": given twice");
    }
    seen_.push_back(here);
    if (auto stored = store_config(here, value, config_); !stored) return reject(ec, stored.error().what);
    pop();
    return true;
  }
  bool reject(error_code& ec, std::string what) {
    error_ = Error{ErrorCode::kInvalid, 0, std::move(what)};
    ec = boost::json::error::syntax;
    return false;
  }

  Config& config_;
  std::optional<Error> error_;
  std::vector<std::string> names_;
  std::vector<std::string> seen_;
  std::vector<std::string> list_;
  std::string text_;
  int depth_ = 0;
  bool seen_root_ = false;
  bool in_list_ = false;
};

}  // namespace

Result<void> read_config(std::string_view text, std::string_view file, Config& config) {
  boost::json::parse_options options;
  options.allow_comments = true;
  options.allow_trailing_commas = true;
  options.max_depth = 8;
  boost::json::basic_parser<ConfigReader> parser(options, config);

  std::size_t line = 0;
  boost::json::error_code ec;
  while (!text.empty()) {
    ++line;
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::size_t used = parser.write_some(true, text.data(), length, ec);
    if (ec || (parser.done() && used < length &&
               text.substr(used, length - used).find_first_not_of(" \t\r\n") != std::string_view::npos)) {
      const auto& error = parser.handler().error();
      const std::string what = error ? error->what
                               : ec  ? "expected JSON (comments are allowed): " + ec.message()
                                     : std::string("expected nothing behind the closing brace");
      return fail(ErrorCode::kInvalid, fmt::format("{}:{}: {}", file, line, what), used);
    }
    text.remove_prefix(length);
  }
  if (!parser.done()) parser.write_some(false, "", 0, ec);
  if (ec || !parser.done()) {
    return fail(ErrorCode::kTruncated,
                fmt::format("{}:{}: the file ends inside an object; expected '}}'", file, line));
  }
  return {};
}

}  // namespace wafd
