// MaskWriter: secrets that stand in the middle of other text, and in XML.
#include <algorithm>
#include <string>

#include "detect/core/bytes.h"
#include "detect/redact/mask_writer.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kNpos = std::string_view::npos;
// A name longer than that is no name of a parameter.
constexpr std::size_t kMaxNameBytes = 64;

// The byte at `at`, percent-encoding undone up to twice, and how many bytes it takes.
struct Byte {
  char value = '\0';
  std::size_t width = 0;
};

Byte byte_at(std::string_view text, std::size_t at) noexcept {
  if (at >= text.size()) return {};
  if (text[at] != '%') return {text[at], 1};
  std::size_t digits = at + 1;
  if (text.substr(digits, 2) == "25") digits += 2;
  if (digits + 1 >= text.size()) return {text[at], 1};
  const int high = hex_value(text[digits]);
  const int low = hex_value(text[digits + 1]);
  if (high < 0 || low < 0) return {text[at], 1};
  return {static_cast<char>(high * 16 + low), digits + 2 - at};
}

bool is_name_byte(char c) noexcept { return is_alnum(c) || c == '_' || c == '-'; }
bool is_quote(char c) noexcept { return c == '"' || c == '\''; }

// Behind white space and the backslashes of escaped quotes.
std::size_t skip_filling(std::string_view text, std::size_t at) noexcept {
  for (Byte o = byte_at(text, at); o.width > 0 && (is_space(o.value) || o.value == '\\' || o.value == '+');
       o = byte_at(text, at))
    at += o.width;
  return at;
}

// End of the quoted value whose text begins at `at`: before the quote, or before the backslash that escapes
// it as the opening one was.
std::size_t quoted_end(std::string_view text, std::size_t at, char quote, bool escaped) noexcept {
  while (at < text.size()) {
    const Byte o = byte_at(text, at);
    if (o.value == quote) return at;
    if (o.value == '\\') {
      const Byte next = byte_at(text, at + o.width);
      if (escaped && next.value == quote) return at;
      at += o.width + next.width;
    } else {
      at += o.width;
    }
  }
  return text.size();
}

std::size_t bare_end(std::string_view text, std::size_t at) noexcept {
  for (Byte o = byte_at(text, at); o.width > 0; o = byte_at(text, at)) {
    if (is_space(o.value) || is_quote(o.value) || std::string_view("&;,<>(){}[]|#\\").find(o.value) != kNpos)
      break;
    at += o.width;
  }
  return at;
}

// One tag of XML: its name without prefix, what its attributes say, where it ends.
struct Tag {
  std::string_view name;
  bool closing = false;
  bool empty = false;  // <a/>
};

std::string_view local_name(std::string_view name) noexcept {
  const std::size_t colon = name.rfind(':');
  return colon == kNpos ? name : name.substr(colon + 1);
}

bool names_something(std::string_view attribute) noexcept {
  return iequals(attribute, "name") || iequals(attribute, "key") || iequals(attribute, "id");
}

}  // namespace

// name=value, name: "value", "name": value; also escaped as in JSON inside of JSON, and percent-encoded.
void MaskWriter::assignments(std::string_view text) {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Byte first = byte_at(text, at);
    if (!is_name_byte(first.value)) {
      at += first.width;
      continue;
    }
    std::string name;
    std::size_t end = at;
    for (Byte o = first; o.width > 0 && is_name_byte(o.value); o = byte_at(text, end)) {
      if (name.size() <= kMaxNameBytes) name += o.value;
      end += o.width;
    }
    at = end;
    if (name.size() > kMaxNameBytes) continue;
    std::size_t value = skip_filling(text, end);
    Byte o = byte_at(text, value);
    const bool quoted_name = is_quote(o.value);
    // user[password]=, "password":
    while (o.width > 0 && (is_quote(o.value) || o.value == ']')) {
      value = skip_filling(text, value + o.width);
      o = byte_at(text, value);
    }
    if (o.value != '=' && o.value != ':') continue;
    const bool equals = o.value == '=';
    const std::size_t behind = value + o.width;
    value = skip_filling(text, behind);
    o = byte_at(text, value);
    if (equals && o.value == '>') {  // PHP, Ruby
      value = skip_filling(text, value + o.width);
      o = byte_at(text, value);
    }
    // In prose a colon follows a word: there only what is quoted is a value.
    if (o.width == 0 || (!is_quote(o.value) && !quoted_name && !(equals && value == behind))) continue;
    if (!masker_.secret_parameter(name)) continue;
    std::size_t value_end = 0;
    if (is_quote(o.value)) {
      const bool escaped = value > 0 && text[value - 1] == '\\';
      value += o.width;
      value_end = quoted_end(text, value, o.value, escaped);
    } else {
      value_end = bare_end(text, value);
    }
    cards(text.substr(kept, value - kept));
    mask(text.substr(value, value_end - value));
    at = kept = std::max(value_end, value);
  }
  cards(text.substr(kept));
}

// Text of elements and values of attributes with secret names, of <field name="password">, and of what
// follows <name>password</name> or <key>password</key>.
void MaskWriter::xml(std::string_view text) {
  std::size_t depth = 0;     // inside of a secret element: its depth below, else 0
  bool next_secret = false;  // a name was told: the next element is its value
  bool telling = false;      // inside of <name> or <key>
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('<'), text.size());
    const std::string_view piece = text.substr(0, open);
    if (depth > 0) {
      const std::size_t blank = std::min(piece.find_first_not_of(" \t\r\n"), piece.size());
      keep(piece.substr(0, blank));
      mask(piece.substr(blank));
    } else {
      values(piece);
    }
    if (telling) next_secret = masker_.secret_parameter(trim(piece));
    telling = false;
    text.remove_prefix(open);
    if (text.empty()) return;

    if (text.starts_with("<![CDATA[") || text.starts_with("<!--") || text.starts_with("<?")) {
      const std::string_view mark = text[1] == '?' ? "?>" : text[2] == '[' ? "]]>" : "-->";
      const std::size_t head = text[1] == '?' ? 2 : text[2] == '[' ? 9 : 4;
      const std::size_t end = std::min(text.find(mark, head), text.size());
      keep(text.substr(0, head));
      if (depth > 0) {
        mask(text.substr(head, end - head));
      } else {
        values(text.substr(head, end - head));
      }
      const std::size_t behind = std::min(end + mark.size(), text.size());
      keep(text.substr(end, behind - end));
      text.remove_prefix(behind);
      continue;
    }
    std::size_t at = 1;
    Tag tag;
    tag.closing = text.substr(1, 1) == "/";
    if (tag.closing) ++at;
    const std::size_t name_end = std::min(text.find_first_of(" \t\r\n/><", at), text.size());
    tag.name = local_name(text.substr(at, name_end - at));
    keep(text.substr(0, name_end));
    text.remove_prefix(name_end);
    bool secret = next_secret || masker_.secret_parameter(tag.name);
    bool names = false;
    // Whether an attribute names a secret must be known before the value of another is written.
    for (std::size_t pass = 0; pass < 2; ++pass) {
      std::size_t i = 0;
      std::size_t kept = 0;
      while (i < text.size() && text[i] != '>' && text[i] != '<') {
        if (is_space(text[i]) || text[i] == '/') {
          tag.empty = text[i] == '/';
          ++i;
          continue;
        }
        const std::size_t key_end = std::min(text.find_first_of("= \t\r\n/><", i), text.size());
        const std::string_view key = local_name(text.substr(i, key_end - i));
        i = std::max(key_end, i + 1);
        while (i < text.size() && (is_space(text[i]) || text[i] == '=')) ++i;
        if (i >= text.size() || !is_quote(text[i])) continue;
        const std::size_t close = std::min(text.find(text[i], i + 1), text.size());
        const std::string_view value = text.substr(i + 1, close - i - 1);
        if (pass == 0) {
          names = names || (names_something(key) && masker_.secret_parameter(value));
        } else if (masker_.secret_parameter(key) || depth > 0 ||
                   ((secret || names) && iequals(key, "value"))) {
          keep(text.substr(kept, i + 1 - kept));
          mask(value);
          kept = close;
        } else {
          keep(text.substr(kept, i + 1 - kept));
          values(value);
          kept = close;
        }
        i = std::min(close + 1, text.size());
      }
      if (pass == 0) continue;
      keep(text.substr(kept, i - kept));
      text.remove_prefix(i);
    }
    if (text.starts_with('>')) {
      keep(text.substr(0, 1));
      text.remove_prefix(1);
    }
    if (tag.closing) {
      if (depth > 0) --depth;
      continue;
    }
    next_secret = false;
    telling = depth == 0 && !tag.empty && (iequals(tag.name, "name") || iequals(tag.name, "key"));
    if (!tag.empty && (depth > 0 || secret || names)) ++depth;
  }
}

}  // namespace wafd::detect
