// Tags that open PHP code (PHP manual, "PHP tags"; those of PHP 5 and of template engines too).
#include "detect/analyze/php/php_rules.h"
#include "detect/core/octets.h"
#include "detect/decode/decode_flags.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxLookBytes = 256;
constexpr std::size_t kShownBytes = 64;
constexpr std::size_t kMaxTags = 256;
constexpr std::size_t kLeastTextBytes = 6;  // behind "<?=", or it is chance in octets that are no text

bool name_part(char c) noexcept { return is_alnum(c) || c == '_'; }

// What a short tag would run: a call, a statement that begins with a word of PHP, a label.
bool reads_as_code(std::string_view code) noexcept {
  if (code.empty()) return false;
  if ((code[0] == '$' || code[0] == '@') && code.size() > 1)
    return is_alpha(code[1]) || code[1] == '_' || code[1] == '{' || code[1] == '$';
  std::size_t at = 0;
  while (at < code.size() && name_part(code[at])) ++at;
  if (at == 0) return false;
  const std::string_view word = code.substr(0, at);
  for (const std::string_view statement : {"echo", "print", "eval", "include", "require", "return",
                                           "include_once", "require_once", "goto", "exit", "die"}) {
    if (iequals(word, statement)) return true;
  }
  const std::size_t next = code.find_first_not_of(" \t\r\n", at);
  if (next == std::string_view::npos) return false;
  // name(…); "<?xml :" is the label xml where short tags are on; "<?xml (" a call.
  return (at > 1 && code[next] == '(') ||
         (code[next] == ':' && next + 1 < code.size() && code[next + 1] != ':');
}

// <?= and an expression: a variable, a literal, a call.
bool prints(std::string_view code) noexcept {
  const std::size_t first = code.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  for (const char c : code.substr(first, kLeastTextBytes)) {
    if (octet(c) >= 0x7f || (octet(c) < ' ' && !is_space(c))) return false;
  }
  return is_alnum(code[first]) || std::string_view("$@'\"`(_\\-").find(code[first]) != std::string_view::npos;
}

struct Tag {
  std::string_view text;  // lower case
  char first;
};

}  // namespace

void read_php_tags(std::string_view text, const FieldContext& context, FirstHits& found) {
  const bool file = context.location == Location::kFile && !context.in_name;
  std::size_t looked = 0;
  for (std::size_t at = text.find("<?"); at != std::string_view::npos && looked < kMaxTags;
       at = text.find("<?", at + 2), ++looked) {
    const std::string_view rest = text.substr(at + 2, kMaxLookBytes);
    const std::size_t first = rest.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) continue;
    const std::string_view code = rest.substr(first);
    if (istarts_with(code, "php") && (code.size() == 3 || !is_alnum(code[3]))) {
      if (file) {
        found.add(kPhpFileCode, at, at + kShownBytes,
                  "A PHP open tag: what follows would run on the server.");
      } else {
        // A reference in a page is a character. What such a program would do is looked at all the same.
        const bool shown = (context.decode_flags & kBesideMarkup) != 0;
        found.add(shown ? kPhpShownCode : kPhpOpenTag, at, at + kShownBytes,
                  "A PHP open tag: what follows would run on the server.");
        if (!found.has(kPhpOpenTag)) continue;
      }
      break;
    }
    if (file) continue;
    if (rest[0] == '=' && prints(rest.substr(1))) {
      found.add(kPhpShortTag, at, at + kShownBytes,
                "A short PHP open tag prints the value of an expression.");
    } else if (reads_as_code(code) && (first > 0 || istarts_with(code, "xml") || code[0] == '$')) {
      found.add(kPhpShortTag, at, at + kShownBytes, "A short PHP open tag with code behind it.");
    }
  }
  if (file || ifind(text, "php") == std::string_view::npos) return;
  constexpr Tag kTags[] = {{"{php}", '{'},
                           {"[php]", '['},
                           {"[/php]", '['},
                           {"<script language=\"php\"", '<'},
                           {"<script language='php'", '<'},
                           {"<script language=php", '<'}};
  for (const Tag& tag : kTags) {
    if (text.find(tag.first) == std::string_view::npos) continue;
    const std::size_t at = ifind(text, tag.text);
    if (at == std::string_view::npos) continue;
    found.add(kPhpShortTag, at, at + tag.text.size(),
              "A tag that template engines and old PHP read as the beginning or end of code.");
  }
}

}  // namespace wafd::detect
