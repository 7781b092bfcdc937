// Strict parsers of CEF 0 and LEEF 2.0 written for the tests, from the formats' descriptions alone: they
// share nothing with the writers and take nothing that the formats do not know. Header-only.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wafd::test {

struct KeyedMessage {
  std::vector<std::string> header;  // the fields before the keys, unescaped
  std::map<std::string, std::string> keys;
  std::string error;  // empty: sound
};

// Empty if `text` is UTF-8 (RFC 3629) without control characters but `allowed`; else what is wrong.
inline std::string check_utf8(std::string_view text, char allowed = '\0') {
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const int more = first < 0x80       ? 0
                     : first >> 5 == 6  ? 1
                     : first >> 4 == 14 ? 2
                     : first >> 3 == 30 ? 3
                                        : -1;
    if (more < 0 || at + static_cast<std::size_t>(more) >= text.size())
      return "no UTF-8 at " + std::to_string(at);
    unsigned code = more == 0 ? first : first & (0x3fu >> more);
    for (int i = 1; i <= more; ++i) {
      const auto next = static_cast<unsigned char>(text[at + static_cast<std::size_t>(i)]);
      if (next >> 6 != 2) return "no UTF-8 at " + std::to_string(at);
      code = code << 6 | (next & 0x3fu);
    }
    constexpr unsigned kLeast[] = {0, 0x80, 0x800, 0x10000};
    if (code < kLeast[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      return "no UTF-8 at " + std::to_string(at);
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
    if (control && !(allowed != '\0' && code == static_cast<unsigned char>(allowed)))
      return "control character at " + std::to_string(at);
    at += static_cast<std::size_t>(more) + 1;
  }
  return "";
}

inline bool is_key(std::string_view key) {
  if (key.empty()) return false;
  for (const char c : key)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) return false;
  return true;
}

// CEF:0|vendor|product|version|signature|name|severity|key=value key=value
inline KeyedMessage parse_cef(std::string_view text) {
  KeyedMessage m;
  if (m.error = check_utf8(text); !m.error.empty()) return m;
  if (!text.starts_with("CEF:0|")) return m.error = "no CEF:0|", m;
  std::size_t at = 6;
  for (std::string field; m.header.size() < 6; ++at) {
    if (at >= text.size()) return m.error = "header ends early", m;
    if (text[at] == '|') {
      m.header.push_back(std::move(field));
      field.clear();
    } else if (text[at] == '\\') {
      if (++at >= text.size() || (text[at] != '\\' && text[at] != '|')) return m.error = "header escape", m;
      field += text[at];
    } else {
      field += text[at];
    }
  }
  // A bare `=` ends a key, the last space before it the value of the key before.
  std::string key, value;
  std::size_t space = std::string::npos;  // of the last bare space in `value`
  bool escaped_in_key = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\') {
      const char e = ++at < text.size() ? text[at] : '\0';
      if (e != '\\' && e != '=' && e != 'n' && e != 'r') return m.error = "extension escape", m;
      value += e == 'n' ? '\n' : e == 'r' ? '\r' : e;
      escaped_in_key = true;
    } else if (c == '=') {
      const bool first = key.empty();
      if (!first && space == std::string::npos) return m.error = "bare = in the value of " + key, m;
      const std::string next = first ? value : value.substr(space + 1);
      if (!is_key(next) || escaped_in_key) return m.error = "no key: " + next, m;
      if (!first && !m.keys.emplace(key, value.substr(0, space)).second) return m.error = "twice: " + key, m;
      key = next;
      value.clear();
      space = std::string::npos;
    } else {
      if (c == ' ') space = value.size(), escaped_in_key = false;
      value += c;
    }
    if (c == '=') escaped_in_key = false;
  }
  if (key.empty() || !m.keys.emplace(key, value).second) m.error = "twice, or no key: " + key;
  return m;
}

// LEEF:2.0|vendor|product|version|event id|x09|key=value<TAB>key=value
inline KeyedMessage parse_leef(std::string_view text) {
  KeyedMessage m;
  if (m.error = check_utf8(text, '\t'); !m.error.empty()) return m;
  if (!text.starts_with("LEEF:2.0|")) return m.error = "no LEEF:2.0|", m;
  std::size_t at = 9;
  while (m.header.size() < 5) {
    const std::size_t end = text.find('|', at);
    if (end == std::string_view::npos) return m.error = "header ends early", m;
    m.header.emplace_back(text.substr(at, end - at));
    if (m.header.back().find('\t') != std::string::npos) return m.error = "tab in header", m;
    at = end + 1;
  }
  if (m.header[4] != "x09") return m.error = "delimiter", m;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find('\t', at), text.size());
    const std::string_view pair = text.substr(at, end - at);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || !is_key(pair.substr(0, equals)))
      return m.error = "no key: " + std::string(pair), m;
    if (!m.keys.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second)
      return m.error = "twice: " + std::string(pair), m;
    at = end + 1;
  }
  return m;
}

}  // namespace wafd::test
