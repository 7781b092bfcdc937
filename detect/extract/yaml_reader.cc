#include "detect/extract/yaml_reader.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "detect/core/bytes.h"
#include "detect/decode/base/utf8_out.h"
#include "detect/extract/body_type.h"
#include "detect/extract/json_tokens.h"

namespace wafd::detect {
namespace {

constexpr std::string_view kFlowSigns = ",[]{}";

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

// 5.7: what a backslash and a letter stand for; npos as code point: none.
constexpr std::uint32_t kNoEscape = 0xffffffff;
std::uint32_t escaped(char c) noexcept {
  switch (c) {
    case '0':
      return 0;
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 't':
    case '\t':
      return '\t';
    case 'n':
      return '\n';
    case 'v':
      return '\v';
    case 'f':
      return '\f';
    case 'r':
      return '\r';
    case 'e':
      return 0x1b;
    case 'N':
      return 0x85;
    case '_':
      return 0xa0;
    case 'L':
      return 0x2028;
    case 'P':
      return 0x2029;
    case ' ':
    case '"':
    case '/':
    case '\\':
      return byte(c);
    default:
      return kNoEscape;
  }
}

// Line ends that are none here: CR alone (5.4), and what YAML 1.1 has beside it (NEL, LS, PS; its chapter
// 5.4). Behind one of them stands what is taken for a comment or for more of a scalar.
bool has_other_line_ends(std::string_view text) noexcept {
  for (std::size_t at = text.find('\r'); at != text.npos; at = text.find('\r', at + 1)) {
    if (at + 1 < text.size() && text[at + 1] != '\n') return true;
  }
  for (const std::string_view end : {"\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"}) {
    if (text.find(end) != text.npos) return true;
  }
  return false;
}

class YamlReader {
 public:
  YamlReader(std::string_view text, const Field& like, FieldList& out)
      : text_(text), like_(like), out_(out), own_outer_(like.outer.data() == nullptr) {}

  bool read() {
    while (at_ < text_.size() && !full_) {
      if (!take_line()) return false;
    }
    return !tagged_ && !has_other_line_ends(text_);
  }

 private:
  // A key of a block mapping and where it begins.
  struct Level {
    std::ptrdiff_t column = 0;
    std::string_view key;
  };
  struct Scalar {
    std::string_view text;
    std::size_t begin = 0;
    bool quoted = false;
    bool one_line = true;
  };

  std::size_t line_end(std::size_t at) const noexcept { return std::min(text_.find('\n', at), text_.size()); }
  bool at_line_end() const noexcept {
    return at_ == text_.size() || text_[at_] == '\n' ||
           (text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n'));
  }
  void skip_line() noexcept { at_ = std::min(line_end(at_) + 1, text_.size()); }
  std::size_t skip_blanks() noexcept {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ - begin;
  }
  bool ends_word(std::size_t at) const noexcept {
    return at >= text_.size() || byte(text_[at]) <= ' ' ||
           (depth_ != 0 && kFlowSigns.find(text_[at]) != std::string_view::npos);
  }
  std::ptrdiff_t column() const noexcept { return static_cast<std::ptrdiff_t>(at_ - line_); }

  // One line in block style with what its last scalar or collection takes of those that follow.
  bool take_line() {
    line_ = at_;
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_line_end() || text_[at_] == '#') return skip_line(), true;
    const std::string_view mark = text_.substr(at_, 3);
    if (at_ == line_ && text_[at_] == '%') return skip_line(), true;
    if (at_ == line_ && (mark == "---" || mark == "...") && (at_ + 3 == text_.size() || ends_word(at_ + 3))) {
      levels_.clear();
      at_ += 3;
    } else {
      // A sequence may stand as deep as the key that it belongs to.
      const bool entry = text_[at_] == '-' && ends_word(at_ + 1);
      while (!levels_.empty() && levels_.back().column >= column() + (entry ? 1 : 0)) levels_.pop_back();
    }
    indent_ = levels_.empty() ? -1 : levels_.back().column;
    return take_nodes();
  }

  // One line: indicators of entries, properties, keys, and one value.
  bool take_nodes() {
    while (true) {
      skip_blanks();
      if (at_line_end() || text_[at_] == '#') return skip_line(), true;
      const char c = text_[at_];
      if ((c == '-' || c == '?' || c == ':') && ends_word(at_ + 1)) {
        indent_ = column();
        ++at_;
      } else if (c == '&' || c == '!') {
        take_property();
      } else if (c == '*') {
        while (!ends_word(at_)) ++at_;
        skip_blanks();
        if (at_ < text_.size() && text_[at_] == ':') ++at_;
      } else if (c == '|' || c == '>') {
        return take_block(c == '>');
      } else if (c == '[' || c == '{') {
        if (!take_flow()) return false;
        skip_blanks();
        if (at_ < text_.size() && text_[at_] == ':') ++at_;
      } else if (!take_value()) {
        return false;
      }
    }
  }

  void take_property() {
    if (text_[at_] == '!') tagged_ = true;
    while (!ends_word(at_)) ++at_;
  }

  // A key or a value of a block collection.
  bool take_value() {
    const std::ptrdiff_t column = this->column();
    Scalar scalar;
    if (!take_scalar(scalar)) return false;
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == ':' && ends_word(at_ + 1)) {
      if (!scalar.one_line) return false;
      ++at_;
      add(scalar, true);
      while (!levels_.empty() && levels_.back().column >= column) levels_.pop_back();
      levels_.push_back({column, scalar.text});
      indent_ = column;
      return true;
    }
    add(scalar, false);
    return at_line_end() || (text_[at_] == '#' && is_blank(text_[at_ - 1]));
  }

  bool take_scalar(Scalar& scalar) {
    scalar.begin = at_;
    const char c = text_[at_];
    scalar.quoted = c == '"' || c == '\'';
    if (scalar.quoted) return take_quoted(c, scalar);
    if (c == '@' || c == '`' || c == '%' || c == '\t') return false;  // 5.3: reserved
    take_plain(scalar);
    return true;
  }

  // 7.3.3: to ": ", " #" or the line's end, and on in lines that are indented more.
  void take_plain(Scalar& scalar) {
    std::size_t end = plain_end(at_);
    scalar.text = trim(text_.substr(at_, end - at_));
    if (scalar.text.empty()) end = at_ + 1;  // a sign alone
    at_ = end;
    if (scalar.text.empty() || !at_line_end()) return;
    bool folded = false;
    while (std::size_t next = continuation(at_)) {
      std::size_t breaks = 0;
      for (std::size_t i = at_; i < next; ++i) breaks += text_[i] == '\n';
      end = plain_end(next);
      if (depth_ == 0 && end < text_.size() && text_[end] == ':') break;  // the next key of a broken text
      if (!folded) joined_ = scalar.text;
      folded = true;
      append_breaks(breaks);
      joined_.append(trim(text_.substr(next, end - next)));
      at_ = end;
      scalar.one_line = false;
      if (!at_line_end()) break;
    }
    if (folded) scalar.text = out_.arena.copy(joined_);
  }

  std::size_t plain_end(std::size_t begin) const noexcept {
    std::size_t at = begin;
    for (; at < text_.size() && text_[at] != '\n'; ++at) {
      const char c = text_[at];
      if (c == ':' && ends_word(at + 1)) break;
      if (c == '#' && at > 0 && is_blank(text_[at - 1])) break;
      if (depth_ != 0 && kFlowSigns.find(c) != std::string_view::npos) break;
    }
    return at > begin && text_[at - 1] == '\r' ? at - 1 : at;
  }

  // Where the scalar that the line end at `at` cuts goes on; 0: it does not.
  std::size_t continuation(std::size_t at) const noexcept {
    std::size_t begin = at;
    while (at < text_.size()) {
      if (text_[at] == '\n') {
        begin = at + 1;
      } else if (!is_blank(text_[at]) && text_[at] != '\r') {
        break;
      }
      ++at;
    }
    if (at == text_.size() || text_[at] == '#') return 0;
    if (depth_ != 0) return kFlowSigns.find(text_[at]) == std::string_view::npos && text_[at] != ':' ? at : 0;
    const std::string_view mark = text_.substr(begin, 3);
    if (at == begin && (mark == "---" || mark == "...")) return 0;
    return static_cast<std::ptrdiff_t>(at - begin) > indent_ ? at : 0;
  }

  // 6.5: one line end is a blank, each further one a line end.
  void append_breaks(std::size_t breaks) {
    breaks == 1 ? void(joined_ += ' ') : void(joined_.append(breaks - 1, '\n'));
  }

  // 7.3.1 and 7.3.2
  bool take_quoted(char quote, Scalar& scalar) {
    const std::size_t begin = ++at_;
    bool plain = true;
    joined_.clear();
    while (true) {
      if (at_ == text_.size()) return false;
      const char c = text_[at_];
      if (c == quote) {
        if (quote == '"' || at_ + 1 == text_.size() || text_[at_ + 1] != '\'') break;
        joined_ += c;
        at_ += 2;
      } else if (c == '\\' && quote == '"') {
        if (!take_escape()) return false;
      } else if (c == '\n') {
        fold();
        scalar.one_line = false;
      } else {
        joined_ += c;
        ++at_;
        continue;
      }
      plain = false;
    }
    scalar.text = plain ? text_.substr(begin, at_ - begin) : out_.arena.copy(joined_);
    ++at_;
    return true;
  }

  // At a line end of a quoted scalar: blanks around it are no part of it.
  void fold() {
    while (!joined_.empty() && (is_blank(joined_.back()) || joined_.back() == '\r')) joined_.pop_back();
    std::size_t breaks = 0;
    for (; at_ < text_.size() && is_space(text_[at_]); ++at_) breaks += text_[at_] == '\n';
    append_breaks(breaks);
  }

  bool take_escape() {
    if (at_ + 1 == text_.size()) return false;
    const char c = text_[at_ + 1];
    const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits != 0) {
      // Eight digits in two halves: hex_number() counts in an int.
      const int high = digits == 8 ? hex_number(text_, at_ + 2, 4) : 0;
      const int low = hex_number(text_, at_ + 2 + (digits == 8 ? 4 : 0), digits == 8 ? 4 : digits);
      if (high < 0 || low < 0) return false;
      append_utf8(joined_, (static_cast<std::uint32_t>(high) << 16) | static_cast<std::uint32_t>(low));
      at_ += 2 + digits;
      return true;
    }
    if (c == '\n' || c == '\r') {  // the line end is none
      at_ = std::min(line_end(at_) + 1, text_.size());
      skip_blanks();
      return true;
    }
    const std::uint32_t cp = escaped(c);
    if (cp == kNoEscape) return false;
    append_utf8(joined_, cp);
    at_ += 2;
    return true;
  }

  // 8.1: | keeps line ends, > folds them. The lines are those indented more than what holds the scalar.
  bool take_block(bool folded) {
    Scalar scalar;
    scalar.begin = at_++;
    std::ptrdiff_t indent = 0;
    for (; at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-' || is_digit(text_[at_])); ++at_) {
      if (is_digit(text_[at_])) indent = std::max<std::ptrdiff_t>(indent_, 0) + (text_[at_] - '0');
    }
    skip_blanks();
    if (!at_line_end() && text_[at_] != '#') return false;
    skip_line();
    joined_.clear();
    std::size_t breaks = 0;
    while (at_ < text_.size()) {
      std::size_t begin = at_;
      while (begin < text_.size() && text_[begin] == ' ' &&
             (indent == 0 || static_cast<std::ptrdiff_t>(begin - at_) < indent))
        ++begin;
      const auto found = static_cast<std::ptrdiff_t>(begin - at_);
      const std::size_t end = line_end(begin);
      std::string_view line = text_.substr(begin, end - begin);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty()) {
        ++breaks;
      } else {
        if (found <= indent_ || found < indent) break;
        if (indent == 0) indent = found;
        if (!joined_.empty()) {
          const bool more = is_blank(line.front());
          folded && !more ? append_breaks(breaks) : void(joined_.append(breaks, '\n'));
        }
        joined_.append(line);
        breaks = 1;
      }
      at_ = std::min(end + 1, text_.size());
    }
    scalar.text = out_.arena.copy(joined_);
    add(scalar, false);
    return true;
  }

  // [ and { to the sign that closes the first.
  bool take_flow() {
    const std::size_t levels = levels_.size();
    depth_ = 0;
    bool broken = false;
    bool has_key = false;  // on the top of levels_
    do {
      while (at_ < text_.size() && byte(text_[at_]) <= ' ') ++at_;
      if (at_ == text_.size() || full_) {
        broken = true;
        break;
      }
      const char c = text_[at_];
      if (c == '[' || c == '{') {
        ++depth_;
        ++at_;
      } else if (c == ']' || c == '}' || c == ',') {
        if (c != ',') --depth_;
        ++at_;
      } else if (c == '#') {
        skip_line();
      } else if (c == '&' || c == '!') {
        take_property();
      } else if (c == '*') {
        while (!ends_word(at_)) ++at_;
      } else if ((c == '?' || c == ':' || c == '-') && ends_word(at_ + 1)) {
        ++at_;
      } else if (Scalar scalar; take_scalar(scalar)) {
        skip_blanks();
        const bool key = at_ < text_.size() && text_[at_] == ':' && (scalar.quoted || ends_word(at_ + 1));
        if (key) ++at_;
        add(scalar, key);
        if (key) {
          if (has_key) levels_.pop_back();
          levels_.push_back({levels == 0 ? 0 : levels_[levels - 1].column, scalar.text});
          has_key = true;
        }
      } else {
        broken = true;
      }
    } while (depth_ != 0 && !broken);
    depth_ = 0;
    levels_.resize(levels);
    return !broken;
  }

  void add(const Scalar& scalar, bool key) {
    if (full_ || (!scalar.quoted && json_number_end(scalar.text, 0) == scalar.text.size())) return;
    Field field = like_;
    field.in_name = key;
    field.raw = scalar.text;
    const std::size_t parent = key ? 1 : 2;
    field.name = key ? scalar.text : levels_.empty() ? std::string_view() : levels_.back().key;
    if (levels_.size() >= parent) field.parent = levels_[levels_.size() - parent].key;
    if (own_outer_) field.outer = text_.substr(scalar.begin, at_ - scalar.begin);
    if (out_.add(field)) return;
    full_ = true;
    field.raw = text_.substr(scalar.begin);
    if (own_outer_) field.outer = field.raw;
    out_.add_rest(field);
  }

  std::string_view text_;
  Field like_;
  FieldList& out_;
  bool own_outer_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  std::ptrdiff_t indent_ = -1;  // of what holds the value that is read
  std::size_t depth_ = 0;       // of brackets in flow style
  bool tagged_ = false;
  bool full_ = false;
  std::vector<Level> levels_;
  std::string joined_;
};

}  // namespace

bool is_yaml(std::string_view media_type) noexcept {
  return ifind(media_type_of(media_type), "yaml") != std::string_view::npos;
}

bool read_yaml(std::string_view text, const Field& like, FieldList& out) {
  return YamlReader(text, like, out).read();
}

}  // namespace wafd::detect
