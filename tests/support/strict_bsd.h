// A strict parser of `<PRI>Mmm dd hh:mm:ss HOST TAG[pid]: MSG` written for the tests from RFC 3164 section 4
// alone. Header-only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wafd::test {

struct BsdMessage {
  int pri = -1;
  std::string time, host, tag, pid, msg;
  std::string error;  // empty: sound
};

inline BsdMessage parse_bsd(std::string_view s) {
  BsdMessage m;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto bad = [&](const char* what) { return m.error = what, m; };
  const std::size_t end = s.find('>');
  if (s.empty() || s[0] != '<' || end == s.npos || end < 2 || end > 4) return bad("PRI");
  for (std::size_t i = 1; i < end; ++i)
    if (!digit(s[i])) return bad("PRI");
  if (end > 2 && s[1] == '0') return bad("PRI with a leading zero");
  m.pri = std::stoi(std::string(s.substr(1, end - 1)));
  if (m.pri > 191) return bad("PRI above 191");
  m.time = s.substr(end + 1, 15);
  constexpr std::string_view kMonths = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ";
  const std::string_view t = m.time;
  if (t.size() != 15 || kMonths.find(t.substr(0, 4)) % 4 != 0) return bad("month");
  const int day = (t[4] == ' ' ? 0 : t[4] - '0') * 10 + (t[5] - '0');
  if ((t[4] != ' ' && (t[4] < '1' || t[4] > '3')) || !digit(t[5]) || day < 1 || day > 31) return bad("day");
  for (const std::size_t i : {7u, 8u, 10u, 11u, 13u, 14u})
    if (!digit(t[i])) return bad("time");
  if (t[6] != ' ' || t[9] != ':' || t[12] != ':' || t.substr(7, 2) > "23" || t[10] > '5' || t[13] > '5')
    return bad("time");
  std::string_view rest = s.substr(end + 16);
  if (rest.empty() || rest[0] != ' ') return bad("no space behind the time");
  rest.remove_prefix(1);
  const std::size_t space = rest.find(' ');
  m.host = rest.substr(0, space);
  if (space == rest.npos || m.host.empty()) return bad("HOST");
  rest.remove_prefix(space + 1);
  const std::size_t open = rest.find('['), close = rest.find("]: ");
  if (open == rest.npos || close == rest.npos || open == 0 || open > 32 || close < open + 2)
    return bad("TAG");
  m.tag = rest.substr(0, open);
  m.pid = rest.substr(open + 1, close - open - 1);
  for (const char c : m.host)
    if (c < 33 || c > 126) return bad("HOST");
  for (const char c : m.tag + m.pid)
    if (c < 33 || c > 126 || c == '[' || c == ']' || c == ':') return bad("TAG or PID");
  m.msg = rest.substr(close + 3);
  return m;
}

}  // namespace wafd::test
