// A strict RFC 5424 parser written for the tests, from the ABNF of section 6 alone: it shares nothing with
// the writer and takes nothing that the grammar does not. Header-only, so that any test may use it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wafd::test {

struct SdElement {
  std::string id;
  std::vector<std::pair<std::string, std::string>> params;  // values unescaped
};

struct StrictMessage {
  int facility = -1;
  int severity = -1;
  std::string timestamp, hostname, app_name, procid, msgid;
  std::vector<SdElement> sd;
  bool bom = false;
  std::string msg;
  std::string error;  // empty: it was a message; else what was wrong, and everything before it is filled
};

class StrictParser {
 public:
  static StrictMessage parse(std::string_view text) {
    StrictParser p(text);
    p.message();
    if (!p.ok_) p.m_.error += " at byte " + std::to_string(p.at_);
    return p.m_;
  }

 private:
  explicit StrictParser(std::string_view text) : s_(text) {}

  bool bad(std::string what) {
    if (ok_) m_.error = std::move(what);
    ok_ = false;
    return false;
  }
  char peek() const { return at_ < s_.size() ? s_[at_] : '\0'; }
  bool lit(char c) {
    return at_ < s_.size() && s_[at_] == c ? (++at_, true) : bad(std::string("expected '") + c + "'");
  }
  static bool digit(char c) { return c >= '0' && c <= '9'; }

  bool number(std::size_t width, int least, int most) {
    int value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      if (!digit(peek())) return bad("expected a digit");
      value = value * 10 + (s_[at_++] - '0');
    }
    return (value >= least && value <= most) || bad("number out of range");
  }

  void message() {
    if (!pri() || !lit('1') || !lit(' ') || !timestamp() || !lit(' ')) return;
    if (!field(m_.hostname, 255) || !lit(' ') || !field(m_.app_name, 48) || !lit(' ')) return;
    if (!field(m_.procid, 128) || !lit(' ') || !field(m_.msgid, 32) || !lit(' ') || !sd()) return;
    if (at_ == s_.size()) return;
    if (!lit(' ')) return;
    m_.msg = s_.substr(at_);
    if (m_.msg.starts_with("\xef\xbb\xbf")) {
      m_.bom = true;
      m_.msg.erase(0, 3);
    }
  }

  bool pri() {
    if (!lit('<')) return false;
    std::string digits;
    while (digit(peek()) && digits.size() < 4) digits += s_[at_++];
    if (digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits[0] == '0')) return bad("PRI");
    const int value = std::stoi(digits);
    if (value > 191) return bad("PRI above 191");
    m_.facility = value / 8;
    m_.severity = value % 8;
    return lit('>');
  }

  bool timestamp() {
    const std::size_t from = at_;
    if (peek() == '-')
      return bad("NILVALUE timestamp");  // allowed by the RFC, but wafd always knows the time
    if (!number(4, 1970, 9999) || !lit('-') || !number(2, 1, 12) || !lit('-') || !number(2, 1, 31) ||
        !lit('T'))
      return false;
    if (!number(2, 0, 23) || !lit(':') || !number(2, 0, 59) || !lit(':') || !number(2, 0, 59)) return false;
    if (peek() == '.') {
      ++at_;
      std::size_t n = 0;
      while (digit(peek())) ++at_, ++n;
      if (n < 1 || n > 6) return bad("TIME-SECFRAC of 1 to 6 digits");
    }
    if (peek() == 'Z') {
      ++at_;
    } else {
      if (peek() != '+' && peek() != '-') return bad("TIME-OFFSET");
      ++at_;
      if (!number(2, 0, 23) || !lit(':') || !number(2, 0, 59)) return false;
    }
    m_.timestamp = s_.substr(from, at_ - from);
    return true;
  }

  bool field(std::string& out, std::size_t most) {
    while (at_ < s_.size() && s_[at_] >= 33 && s_[at_] <= 126) out += s_[at_++];
    if (out.empty()) return bad("empty header field");
    return out.size() <= most || bad("header field too long");
  }

  bool sd_name(std::string& out) {
    while (at_ < s_.size() && s_[at_] >= 33 && s_[at_] <= 126 && s_[at_] != '=' && s_[at_] != ']' &&
           s_[at_] != '"')
      out += s_[at_++];
    return (!out.empty() && out.size() <= 32) || bad("SD-NAME");
  }

  bool sd() {
    if (peek() == '-') return ++at_, true;
    if (peek() != '[') return bad("STRUCTURED-DATA");
    while (peek() == '[') {
      ++at_;
      SdElement e;
      if (!sd_name(e.id)) return false;
      while (peek() == ' ') {
        ++at_;
        std::string name, value;
        if (!sd_name(name) || !lit('=') || !lit('"') || !param_value(value)) return false;
        e.params.emplace_back(name, value);
      }
      if (!lit(']')) return false;
      m_.sd.push_back(std::move(e));
    }
    return true;
  }

  bool param_value(std::string& out) {
    while (at_ < s_.size() && s_[at_] != '"') {
      if (s_[at_] == ']') return bad("']' unescaped in PARAM-VALUE");
      if (s_[at_] == '\\' && at_ + 1 < s_.size() &&
          (s_[at_ + 1] == '"' || s_[at_ + 1] == '\\' || s_[at_ + 1] == ']'))
        ++at_;
      out += s_[at_++];
    }
    return lit('"');
  }

  std::string_view s_;
  std::size_t at_ = 0;
  bool ok_ = true;
  StrictMessage m_;
};

}  // namespace wafd::test
