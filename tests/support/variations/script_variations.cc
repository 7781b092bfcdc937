// JavaScript: other ways to the same call (ECMAScript: member access, escapes in names, templates, white
// space).
#include "tests/support/variations/text_tools.h"
#include "tests/support/variations/variations.h"

namespace wafd::variations {
namespace {

constexpr Types kXss = bit(AttackType::kXss);

// The first alert( that is a call by its name; `call` is written for `alert`.
bool alert_as(std::string_view in, std::string_view with, std::string& out) {
  for (std::size_t at = in.find("alert("); at != std::string_view::npos; at = in.find("alert(", at + 1)) {
    const char before = at == 0 ? ' ' : in[at - 1];
    if (is_word(before) || before == '.' || before == '$' || before == '\\') continue;
    out = std::string(in.substr(0, at)) + std::string(with) + std::string(in.substr(at + 5));
    return true;
  }
  return false;
}

bool quoted(std::string_view in, std::string_view begin, std::string_view first, std::string_view second,
            std::string_view end, std::string& out) {
  const char quote = free_quote(in);
  // Without quotes, an attribute's value would end at neither, but begin with one only inside.
  if (quote == 0) return false;
  std::string with(begin);
  with += quote;
  with += first;
  with += quote;
  if (!second.empty()) {
    with += '+';
    with += quote;
    with += second;
    with += quote;
  }
  with += end;
  return alert_as(in, with, out);
}

bool confirm(std::string_view in, std::string& out) { return alert_as(in, "confirm", out); }
bool prompt(std::string_view in, std::string& out) { return alert_as(in, "prompt", out); }
bool eval(std::string_view in, std::string& out) { return alert_as(in, "eval", out); }
bool bracketed(std::string_view in, std::string& out) { return alert_as(in, "(alert)", out); }
bool comma(std::string_view in, std::string& out) { return alert_as(in, "(0,alert)", out); }
bool member(std::string_view in, std::string& out) { return alert_as(in, "window.alert", out); }
bool computed(std::string_view in, std::string& out) { return quoted(in, "window[", "alert", "", "]", out); }
bool concatenated(std::string_view in, std::string& out) {
  return quoted(in, "self[", "al", "ert", "]", out);
}
bool globally(std::string_view in, std::string& out) {
  return quoted(in, "globalThis[", "ale", "rt", "]", out);
}
bool escaped_string(std::string_view in, std::string& out) {
  return quoted(in, "top[", "\\x61lert", "", "]", out);
}
bool octal_string(std::string_view in, std::string& out) {
  return quoted(in, "top[", "\\141lert", "", "]", out);
}
bool escaped_name(std::string_view in, std::string& out) { return alert_as(in, "\\u0061lert", out); }
bool escaped_name_long(std::string_view in, std::string& out) { return alert_as(in, "\\u{61}lert", out); }
bool regex_source(std::string_view in, std::string& out) {
  return alert_as(in, "top[/al/.source+/ert/.source]", out);
}
bool radix(std::string_view in, std::string& out) { return alert_as(in, "top[8680439..toString(30)]", out); }
bool comment(std::string_view in, std::string& out) { return alert_as(in, "alert/**/", out); }
bool newline(std::string_view in, std::string& out) { return alert_as(in, "alert\n", out); }
bool optional(std::string_view in, std::string& out) { return alert_as(in, "alert?.", out); }
bool call(std::string_view in, std::string& out) { return alert_as(in, "alert.call", out); }
// alert(x) -> before x after, where the argument has none of the bytes of `not_plain`.
bool argument_in(std::string_view in, std::string_view not_plain, std::string_view before,
                 std::string_view after, std::string& out) {
  std::string marked;
  if (!alert_as(in, "\x01", marked)) return false;
  const std::size_t at = marked.find('\x01');
  const std::size_t end = marked.find(')', at);
  if (end == std::string::npos) return false;
  const std::string argument = marked.substr(at + 2, end - at - 2);
  if (argument.find_first_of(not_plain) != std::string::npos) return false;
  out = marked.substr(0, at);
  out.append(before).append(argument).append(after).append(marked, end + 1);
  return true;
}
bool reflect(std::string_view in, std::string& out) {
  return argument_in(in, "()[] '\"`", "Reflect.apply(alert,null,[", "])", out);
}
bool with_template(std::string_view in, std::string& out) {
  return argument_in(in, "()[]'\"`", "alert`", "`", out);
}
bool mapped(std::string_view in, std::string& out) {
  return argument_in(in, "()[] '\"`", "[", "].map(alert)", out);
}
bool assigned(std::string_view in, std::string& out) {
  std::string marked;
  if (!alert_as(in, "\x01", marked)) return false;
  const std::size_t at = marked.find('\x01');
  // A statement begins here: behind the tag's end, a separator or the beginning of an unquoted or quoted
  // value.
  if (at == 0 || std::string_view(">;=\"'").find(marked[at - 1]) == std::string_view::npos) return false;
  return alert_as(in, "a=alert;a", out);
}

constexpr const char* kCall = "JavaScript: a call of alert";
constexpr Variation kVariations[] = {
    {"js confirm", kCall, kXss, confirm},
    {"js prompt", kCall, kXss, prompt},
    {"js eval", kCall, kXss, eval},
    {"js (alert)", kCall, kXss, bracketed},
    {"js (0,alert)", kCall, kXss, comma},
    {"js window.alert", kCall, kXss, member},
    {"js window['alert']", kCall, kXss, computed},
    {"js self['al'+'ert']", kCall, kXss, concatenated},
    {"js globalThis['ale'+'rt']", kCall, kXss, globally},
    {"js top['\\x61lert']", kCall, kXss, escaped_string},
    {"js top['\\141lert']", "JavaScript, not in strict mode", kXss, octal_string},
    {"js \\u0061lert", kCall, kXss, escaped_name},
    {"js \\u{61}lert", kCall, kXss, escaped_name_long},
    {"js top[/al/.source+…]", kCall, kXss, regex_source},
    {"js top[8680439..toString(30)]", kCall, kXss, radix},
    {"js alert/**/(", kCall, kXss, comment},
    {"js alert newline (", kCall, kXss, newline},
    {"js alert?.(", kCall, kXss, optional},
    {"js alert.call(", kCall, kXss, call},
    {"js Reflect.apply", kCall, kXss, reflect},
    {"js alert`…`", kCall, kXss, with_template},
    {"js […].map(alert)", kCall, kXss, mapped},
    {"js a=alert;a(", kCall, kXss, assigned},
};

}  // namespace

std::span<const Variation> script_variations() { return kVariations; }

}  // namespace wafd::variations
