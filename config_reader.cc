// Reads the configuration file: every value with the line it stands on.
#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config.h"
#include "config_keys.h"
#include "json/placed_json.h"

namespace wafd {
namespace {

// The first mistake stands in error(), with the place of the value that it is about.
class ConfigReader {
 public:
  explicit ConfigReader(Config& out) : config_(out) {}

  bool read(const PlacedJson& root) {
    if (root.kind != PlacedKind::kObject) return reject(root, "expected an object at the top");
    return read_group(root, "");
  }
  const Error& error() const { return error_; }  // its offset is a byte of the file

 private:
  bool read_group(const PlacedJson& group, const std::string& path) {
    return std::all_of(group.items.begin(), group.items.end(), [&](const PlacedJson& member) {
      return read_member(member, path.empty() ? member.key : path + "." + member.key);
    });
  }

  bool read_member(const PlacedJson& member, const std::string& path) {
    if (is_config_group(path)) {
      if (member.kind != PlacedKind::kObject) return reject(member, path + ": expected an object");
      return read_group(member, path);
    }
    if (!is_config_key(path)) return reject(member, fmt::format("{}: no such key", printable(path)));
    if (std::find(seen_.begin(), seen_.end(), path) != seen_.end())
      return reject(member, path + ": given twice");
    seen_.push_back(path);
    switch (member.kind) {
      case PlacedKind::kObject:
        return reject(member, config_key_expects(path));
      case PlacedKind::kArray:
        return read_list(member, path);
      case PlacedKind::kString:
        return store(member, path, member.text);
      case PlacedKind::kOther:
        return read_plain(member, path);
    }
    return false;
  }

  bool read_list(const PlacedJson& list, const std::string& path) {
    std::vector<std::string> texts;
    for (const PlacedJson& item : list.items) {
      if (item.kind != PlacedKind::kString) return reject(item, path + ": expected strings inside the list");
      texts.push_back(item.text);
    }
    return store(list, path, std::move(texts));
  }

  // A number, true, false or null.
  bool read_plain(const PlacedJson& value, const std::string& path) {
    if (value.text == "null") return reject(value, path + ": null is no value here");
    if (value.text == "true" || value.text == "false") return store(value, path, value.text == "true");
    std::int64_t number = 0;
    const char* const end = value.text.data() + value.text.size();
    const auto read = std::from_chars(value.text.data(), end, number);
    if (read.ec == std::errc::result_out_of_range) return reject(value, path + ": the number is too large");
    if (read.ptr != end) return reject(value, path + ": expected no fraction");
    return store(value, path, number);
  }

  bool store(const PlacedJson& at, const std::string& path, const ConfigValue& value) {
    if (auto stored = store_config(path, value, config_); !stored) return reject(at, stored.error().what);
    return true;
  }

  static std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, 64)) out.push_back(c > ' ' && c <= '~' ? c : '?');
    return out;
  }

  bool reject(const PlacedJson& at, std::string what) {
    error_ = Error{ErrorCode::kInvalid, at.offset, std::move(what)};
    return false;
  }

  Config& config_;
  Error error_;
  std::vector<std::string> seen_;
};

}  // namespace

Result<void> read_config(std::string_view text, std::string_view file, Config& config) {
  const auto refuse = [&](ErrorCode code, std::size_t offset, std::string_view what) {
    return fail(code, fmt::format("{}:{}: {}", file, line_of(text, offset), what), offset);
  };
  const auto root = parse_placed_json(text);
  if (!root && root.error().code == ErrorCode::kTruncated)
    return refuse(ErrorCode::kTruncated, text.size(), "the file ends inside an object; expected '}'");
  if (!root)
    return refuse(ErrorCode::kInvalid, root.error().offset,
                  "expected JSON (comments are allowed): " + root.error().what);
  ConfigReader reader(config);
  if (!reader.read(*root)) return refuse(ErrorCode::kInvalid, reader.error().offset, reader.error().what);
  return {};
}

}  // namespace wafd
