#include "detect/analyze/xss/script_url.h"

#include <algorithm>
#include <array>

#include "detect/core/bytes.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::xss {
namespace {

// Of these the last two are earlier browsers'.
constexpr std::array<std::string_view, 5> kSchemes{"javascript", "vbscript", "livescript", "jscript",
                                                   "mocha"};

// Statements of links that do nothing or only walk back, without white space and semicolons.
constexpr std::array<std::string_view, 24> kIdle{"",
                                                 "void",
                                                 "void0",
                                                 "void(0)",
                                                 "void()",
                                                 "void(null)",
                                                 "false",
                                                 "returnfalse",
                                                 "true",
                                                 "null",
                                                 "0",
                                                 "undefined",
                                                 "{}",
                                                 "#",
                                                 "_",
                                                 "history.back()",
                                                 "history.go(-1)",
                                                 "history.back(-1)",
                                                 "window.history.back()",
                                                 "window.history.go(-1)",
                                                 "window.close()",
                                                 "self.close()",
                                                 "window.print()",
                                                 "print()"};

constexpr std::size_t kMaxSchemeBytes = 12;
constexpr std::size_t kMaxPassedOver = 64;  // inside of a scheme
constexpr std::size_t kMaxBlanks = 64;      // before a scheme or a colon
constexpr std::size_t kMaxTypeBytes = 96;

bool is_passed_over(char c) noexcept { return c == '\t' || c == '\n' || c == '\r' || c == '\0'; }

bool acts(std::string_view media_type) noexcept {
  media_type = media_type.substr(0, kMaxTypeBytes);
  const std::string_view head = media_type.substr(0, media_type.find(','));
  for (const std::string_view word : {"html", "svg", "/xml", "+xml", "javascript", "ecmascript", "jscript"}) {
    if (ifind(head, word) != std::string_view::npos) return true;
  }
  return false;
}

// The place behind what stands before text[at], white space and control bytes aside.
std::size_t behind_blanks(std::string_view text, std::size_t at) noexcept {
  const std::size_t from = at;
  while (at > 0 && byte(text[at - 1]) <= ' ' && from - at < kMaxBlanks) --at;
  return at;
}

bool may_begin(std::string_view text, std::size_t at) noexcept {
  const std::size_t before = behind_blanks(text, at);
  return before == 0 || before != at || byte(text[before - 1]) >= 0x80 ||
         std::string_view(";,='\"`(/").find(text[before - 1]) != std::string_view::npos;
}

// The URL whose scheme ends with the colon there.
ScriptUrl url_before(std::string_view text, std::size_t colon) noexcept {
  count_steps(20);
  std::size_t at = behind_blanks(text, colon);
  std::array<char, kMaxSchemeBytes> letters{};
  std::size_t size = 0;
  std::size_t begin = at;
  // The last letters of script, mocha and data: nearly every other colon ends here.
  if (at == 0 || (to_lower(text[at - 1]) != 't' && to_lower(text[at - 1]) != 'a')) return {};
  for (std::size_t passed_over = 0; at > 0; --at) {
    const char c = text[at - 1];
    if (is_alpha(c)) {
      if (size == kMaxSchemeBytes) return {};
      letters[kMaxSchemeBytes - ++size] = to_lower(c);
      begin = at - 1;
    } else if (!is_passed_over(c) || ++passed_over > kMaxPassedOver) {
      break;
    }
  }
  const std::string_view scheme(letters.data() + kMaxSchemeBytes - size, size);
  const bool script = std::find(kSchemes.begin(), kSchemes.end(), scheme) != kSchemes.end();
  if (!script && (scheme != "data" || !acts(text.substr(colon + 1)))) return {};
  if (!may_begin(text, begin)) return {};
  return {script ? UrlKind::kScript : UrlKind::kData, behind_blanks(text, begin) == 0, begin, colon + 1};
}

}  // namespace

ScriptUrl find_script_url(std::string_view text, std::size_t from) noexcept {
  for (std::size_t colon = text.find(':', from); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    const ScriptUrl url = url_before(text, colon);
    if (url.kind != UrlKind::kNone) return url;
  }
  return {};
}

bool is_idle_script(std::string_view code, bool whole) noexcept {
  std::array<char, 24> plain{};
  std::size_t size = 0;
  if (const std::string_view given = trim(code); whole && (given == "''" || given == "\"\"")) return true;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    const bool ends = c == '"' || c == '\'' || c == '<';
    // ''-f(): the quote opens a string of the script.
    if (ends && !whole && size == 0 && c != '<' && i + 1 < code.size() &&
        std::string_view("'\"`-+*/%^|&=?!~.,[(").find(code[i + 1]) != std::string_view::npos)
      return false;
    if (ends && !whole) break;
    if (byte(c) <= ' ' || c == ';') continue;
    if (size == plain.size()) return false;
    plain[size++] = c;
  }
  return std::find(kIdle.begin(), kIdle.end(), std::string_view(plain.data(), size)) != kIdle.end();
}

}  // namespace wafd::detect::xss
