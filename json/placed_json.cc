#include "json/placed_json.h"

#include <algorithm>

#include <boost/json.hpp>

#include "detect/core/bytes.h"

namespace wafd {
namespace {

namespace json = boost::json;

// Comments become spaces, so that every place stays what it is. (Boost 1.81 misses the end of some.)
std::string without_comments(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
    } else if (text.substr(i, 2) == "//" || text.substr(i, 2) == "/*") {
      const std::size_t end = text[i + 1] == '/' ? text.find('\n', i) : text.find("*/", i + 2);
      if (end == std::string_view::npos && text[i + 1] == '*') break;  // no comment: a mistake
      const std::size_t size = std::min(end, text.size()) - i + (text[i + 1] == '*' ? 2 : 0);
      for (std::size_t k = i; k < i + size; ++k) out[k] = text[k] == '\n' ? '\n' : ' ';
      i += size - 1;
    }
  }
  return out;
}

Result<void> check_grammar(std::string_view text) {
  json::parse_options options;
  options.allow_trailing_commas = true;
  json::stream_parser parser({}, options);
  json::error_code error;
  const std::size_t used = parser.write_some(text.data(), text.size(), error);
  if (!error && used < text.size()) error = json::make_error_code(json::error::extra_data);
  if (!error) parser.finish(error);
  const bool early = error == json::make_error_code(json::error::incomplete);
  if (error) return fail(early ? ErrorCode::kTruncated : ErrorCode::kInvalid, error.message(), used);
  return {};
}

// Places in a text that is known to be JSON: where a value begins and ends is then told by few bytes.
class Placer {
 public:
  explicit Placer(std::string_view text) : text_(text) {}

  PlacedJson read() {
    std::vector<PlacedJson> open(1);  // around the document, an array of one
    open.back().kind = PlacedKind::kArray;
    std::string key;
    std::size_t key_offset = std::string_view::npos;
    while (skip_space()) {
      const char c = text_[at_];
      if (c == ',' || c == ':') {
        ++at_;
        continue;
      }
      if (c == '}' || c == ']') {
        ++at_;
        PlacedJson done = std::move(open.back());
        open.pop_back();
        open.back().items.push_back(std::move(done));
        continue;
      }
      const std::size_t begin = at_;
      if (open.back().kind == PlacedKind::kObject && key_offset == std::string_view::npos) {
        key_offset = begin;
        key = take_string();
        continue;
      }
      PlacedJson value;
      value.offset = key_offset == std::string_view::npos ? begin : key_offset;
      value.key = std::move(key);
      key.clear();
      key_offset = std::string_view::npos;
      if (c == '{' || c == '[') {
        value.kind = c == '{' ? PlacedKind::kObject : PlacedKind::kArray;
        ++at_;
        open.push_back(std::move(value));
        continue;
      }
      if (c == '"') {
        value.kind = PlacedKind::kString;
        value.text = take_string();
      } else {
        at_ = std::min(text_.find_first_of(",}] \t\r\n", at_), text_.size());
        value.text = text_.substr(begin, at_ - begin);
      }
      open.back().items.push_back(std::move(value));
    }
    return std::move(open.front().items.front());
  }

 private:
  // False at the end.
  bool skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ < text_.size();
  }

  std::string take_string() {
    const std::size_t begin = at_++;
    while (text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    ++at_;
    const json::value value = json::parse(json::string_view(text_.data() + begin, at_ - begin));
    return {value.as_string().data(), value.as_string().size()};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const PlacedJson* PlacedJson::member(std::string_view name) const noexcept {
  const auto found =
      std::find_if(items.begin(), items.end(), [name](const PlacedJson& item) { return item.key == name; });
  return found == items.end() ? nullptr : &*found;
}

Result<PlacedJson> parse_placed_json(std::string_view text) {
  const std::string plain = without_comments(text);
  if (auto checked = check_grammar(plain); !checked) return tl::unexpected<Error>(std::move(checked.error()));
  return Placer(plain).read();
}

std::size_t line_of(std::string_view text, std::size_t offset) noexcept {
  const std::string_view before = text.substr(0, offset);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

}  // namespace wafd
