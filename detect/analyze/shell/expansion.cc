#include "detect/analyze/shell/expansion.h"

#include <algorithm>

#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::shell {
namespace {

constexpr std::size_t kMaxRuleBytes = 512;  // behind the name in ${name…}

// The first characters of these are the same on every system, or nearly.
bool is_of_system(std::string_view name) noexcept {
  static constexpr WordSet kNames({"path",   "home",     "pwd",       "oldpwd",   "shell", "bash",
                                   "ostype", "hosttype", "shellopts", "bashopts", "ps1",   "ps2",
                                   "ps4",    "term",     "user",      "logname",  "lang",  "ls_colors",
                                   "mail",   "machtype", "hostname",  "uid",      "euid"});
  return kNames.has(name);
}

// Known values of variables that the text has not set.
std::string_view of_system(std::string_view name) noexcept {
  if (name == "0" || name == "SHELL" || name == "BASH") return "sh";
  if (name == "HOME") return "~";
  return {};
}

// ${a:1:2}
std::string_view cut_out(std::string_view value, std::string_view range) noexcept {
  std::array<std::size_t, 2> numbers{0, value.size()};
  for (std::size_t i = 0, at = 0; i < numbers.size() && at < range.size(); ++i) {
    std::size_t number = 0;
    while (at < range.size() && is_digit(range[at]) && number < value.size() + 1)
      number = number * 10 + static_cast<std::size_t>(range[at++] - '0');
    numbers[i] = number;
    const std::size_t colon = range.find(':', at);
    if (colon == std::string_view::npos) break;
    at = colon + 1;
  }
  return numbers[0] < value.size() ? value.substr(numbers[0], numbers[1]) : std::string_view();
}

// ${a/b/c}, ${a//b/c}: `rule` is what stands behind the name.
void append_replaced(std::string_view value, std::string_view rule, Value& out) noexcept {
  const bool all = rule.starts_with("//");
  rule.remove_prefix(all ? 2 : 1);
  const std::size_t slash = std::min(rule.find('/'), rule.size());
  const std::string_view from = rule.substr(0, slash);
  const std::string_view to = slash < rule.size() ? rule.substr(slash + 1) : std::string_view();
  bool done = from.empty();
  for (std::size_t i = 0; i < value.size();) {
    if (!done && value.substr(i).starts_with(from)) {
      out.append(to);
      i += from.size();
      done = !all;
    } else {
      out.append(value[i++]);
    }
  }
}

// ${…}; `at` is at the dollar sign.
Expansion read_braced(std::string_view text, std::size_t at, const Variables& variables,
                      Value& out) noexcept {
  Expansion result;
  std::size_t name_end = at + 2;
  while (name_end < text.size() && is_name_byte(text[name_end])) ++name_end;
  const std::string_view inside = text.substr(at + 2, name_end - at - 2 + kMaxRuleBytes);
  std::size_t begin = 0;
  while (begin < inside.size() && (inside[begin] == '!' || inside[begin] == '#')) ++begin;
  std::size_t end = begin;
  while (end < inside.size() && is_name_byte(inside[end])) ++end;
  if (end == begin && end < inside.size() && (inside[end] == '@' || inside[end] == '*')) ++end;
  const std::string_view name = inside.substr(begin, end - begin);
  const std::size_t close = inside.find('}', end);
  const std::string_view rule = inside.substr(end, std::min(close, inside.size()) - end);
  if (name.empty() && (begin == 0 || close != begin)) return result;
  // ${project.name}: a property of another language; no parameter of a shell has a full stop
  // (POSIX.1, 3.235).
  if (rule.starts_with('.')) return result;
  std::string_view value = variables.get(name);
  result.known = value.data() != nullptr;
  // ${x:-word}: of a variable that nobody has set, the word.
  const std::size_t colon = rule.starts_with(':') ? 1 : 0;
  if (!result.known && name != "IFS" && rule.size() > colon &&
      std::string_view("-=+").find(rule[colon]) != std::string_view::npos) {
    result.kind = ExpansionKind::kAlternative;
    result.end = at + 2 + end + colon + 1;
    return result;
  }
  if (close == std::string_view::npos) return result;
  result.end = at + 2 + close + 1;
  result.kind = ExpansionKind::kValue;
  if (name == "IFS" && !result.known) {
    result.kind = ExpansionKind::kSplit;
  } else if (rule.size() > 1 && rule[0] == ':' && is_digit(rule[1])) {
    result.cuts = !result.known && is_of_system(name);
    if (result.cuts && rule.starts_with(":0:1")) value = "/";
    out.append(result.cuts ? value : cut_out(value, rule.substr(1)));
  } else if (result.known && rule.starts_with('/')) {
    append_replaced(value, rule, out);
  } else {
    out.append(result.known ? value : of_system(name));
  }
  return result;
}

}  // namespace

void Variables::set(std::string_view name, std::string_view value) noexcept {
  value = value.substr(0, kMaxValueBytes);
  const auto there = std::find_if(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(size_),
                                  [name](const Variable& one) { return one.name == name; });
  if (there != items_.begin() + static_cast<std::ptrdiff_t>(size_)) {
    there->value = value;
  } else if (size_ < kMax) {
    items_[size_++] = {name, value};
  }
}

std::string_view Variables::get(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < size_; ++i) {
    if (items_[i].name == name) return items_[i].value;
  }
  return {};
}

Expansion read_parameter(std::string_view text, std::size_t at, const Variables& variables,
                         Value& out) noexcept {
  Expansion result;
  if (at + 1 >= text.size()) return result;
  const char next = text[at + 1];
  if (next == '{') return read_braced(text, at, variables, out);
  std::size_t end = at + 1;
  if (is_digit(next) || std::string_view("@*#?$!-").find(next) != std::string_view::npos) {
    ++end;
  } else {
    while (end < text.size() && is_name_byte(text[end])) ++end;
  }
  const std::string_view name = text.substr(at + 1, end - at - 1);
  if (name.empty()) return result;
  result.end = end;
  result.kind = ExpansionKind::kValue;
  const std::string_view value = variables.get(name == "*" ? "@" : name);
  result.known = value.data() != nullptr;
  if (name == "IFS" && !result.known) {
    result.kind = ExpansionKind::kSplit;
  } else {
    out.append(result.known ? value : of_system(name));
  }
  return result;
}

std::size_t read_ansi_quote(std::string_view text, std::size_t at, Value& out) noexcept {
  constexpr std::string_view kNames = "abefnrtv";
  constexpr std::string_view kBytes = "\a\b\x1b\f\n\r\t\v";
  ++at;
  while (at < text.size() && text[at] != '\'') {
    if (text[at] != '\\' || at + 1 >= text.size()) {
      out.append(text[at++]);
      continue;
    }
    const char c = text[++at];
    const bool hex = c == 'x' || c == 'u' || c == 'U';
    if (hex || (c >= '0' && c <= '7')) {
      const std::size_t most = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 3;
      std::size_t i = hex ? at + 1 : at;
      const std::size_t last = std::min(i + most, text.size());
      unsigned number = 0;
      for (; i < last && (hex ? hex_value(text[i]) >= 0 : text[i] >= '0' && text[i] <= '7'); ++i)
        number = number * (hex ? 16 : 8) + static_cast<unsigned>(hex_value(text[i]));
      out.append(static_cast<char>(number));
      at = std::max(i, at + 1);
      continue;
    }
    const std::size_t name = kNames.find(c);
    out.append(name != std::string_view::npos ? kBytes[name] : c);
    ++at;
  }
  return std::min(at + 1, text.size());
}

}  // namespace wafd::detect::shell
