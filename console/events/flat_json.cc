#include "console/events/flat_json.h"

#include "detect/core/bytes.h"

namespace wafd::console {
namespace {

void append_utf8(std::uint32_t c, std::string& out) {
  const auto put = [&](std::uint32_t bytes) { out.push_back(static_cast<char>(bytes)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | (c >> 6));
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3f));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

}  // namespace

FlatJson::FlatJson(std::string_view object) noexcept : text_(object) {
  skip_space();
  if (at_ < text_.size() && text_[at_] == '{') {
    ++at_;
    state_ = State::kMembers;
  }
}

void FlatJson::skip_space() noexcept {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
    ++at_;
}

bool FlatJson::read_string(std::string_view& raw) noexcept {
  if (at_ >= text_.size() || text_[at_] != '"') return false;
  const std::size_t begin = at_++;
  // Most strings hold no backslash before their quote.
  const std::size_t quote = text_.find('"', at_);
  if (quote == std::string_view::npos) return false;
  if (text_.substr(at_, quote - at_).find('\\') == std::string_view::npos) {
    at_ = quote + 1;
    raw = text_.substr(begin, at_ - begin);
    return true;
  }
  while (at_ < text_.size()) {
    if (text_[at_] == '\\') {
      at_ += 2;
    } else if (text_[at_++] == '"') {
      raw = text_.substr(begin, at_ - begin);
      return true;
    }
  }
  return false;
}

bool FlatJson::read_value(std::string_view& raw) noexcept {
  if (at_ >= text_.size()) return false;
  if (text_[at_] == '"') return read_string(raw);
  const std::size_t begin = at_;
  if (text_[at_] == '[') {  // of scalars
    while (at_ < text_.size() && text_[at_] != ']') {
      std::string_view inner;
      if (text_[at_] == '"') {
        if (!read_string(inner)) return false;
      } else if (text_[at_] == '{' || (text_[at_] == '[' && at_ != begin)) {
        return false;
      } else {
        ++at_;
      }
    }
    if (at_ >= text_.size()) return false;
    ++at_;
  } else {
    while (at_ < text_.size() &&
           (is_alnum(text_[at_]) || text_[at_] == '-' || text_[at_] == '+' || text_[at_] == '.'))
      ++at_;
    if (at_ == begin) return false;
  }
  raw = text_.substr(begin, at_ - begin);
  return true;
}

bool FlatJson::next(std::string_view& name, std::string_view& value) noexcept {
  if (state_ != State::kMembers) return false;
  state_ = State::kBroken;
  skip_space();
  if (at_ < text_.size() && text_[at_] == '}') {
    state_ = State::kEnd;
    return false;
  }
  if (!first_) {
    if (at_ >= text_.size() || text_[at_] != ',') return false;
    ++at_;
    skip_space();
  }
  first_ = false;
  if (!read_string(name)) return false;
  name = name.substr(1, name.size() - 2);
  skip_space();
  if (at_ >= text_.size() || text_[at_] != ':') return false;
  ++at_;
  skip_space();
  if (!read_value(value)) return false;
  state_ = State::kMembers;
  return true;
}

std::string_view flat_member(std::string_view object, std::string_view wanted) noexcept {
  FlatJson json(object);
  std::string_view name;
  std::string_view value;
  while (json.next(name, value)) {
    if (name == wanted) return value;
  }
  return {};
}

std::string plain_text(std::string_view raw) {
  if (raw.size() < 2 || raw.front() != '"') return std::string(raw);
  const std::string_view text = raw.substr(1, raw.size() - 2);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 >= text.size()) {
      out.push_back(text[at]);
      continue;
    }
    const char c = text[++at];
    switch (c) {
      case 'n':
        out.push_back('\n');
        break;
      case 'r':
        out.push_back('\r');
        break;
      case 't':
        out.push_back('\t');
        break;
      case 'b':
        out.push_back('\b');
        break;
      case 'f':
        out.push_back('\f');
        break;
      case 'u': {
        int unit = hex_number(text, at + 1, 4);
        if (unit < 0) {
          out.push_back(c);
          break;
        }
        at += 4;
        auto code = static_cast<std::uint32_t>(unit);
        if (code >= 0xd800 && code < 0xdc00 && at + 2 < text.size() && text[at + 1] == '\\' &&
            text[at + 2] == 'u') {
          const int low = hex_number(text, at + 3, 4);
          if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (static_cast<std::uint32_t>(low) - 0xdc00);
            at += 6;
          }
        }
        append_utf8(code >= 0xd800 && code < 0xe000 ? 0xfffdu : code, out);
        break;
      }
      default:
        out.push_back(c);
    }
  }
  return out;
}

}  // namespace wafd::console
