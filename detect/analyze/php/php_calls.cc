// PHP expressions that call a function or a class by its name.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "detect/analyze/php/php_reader.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr WordSet kStrong({"system", "exec", "assert", "eval", "passthru", "die", "unlink", "chmod"});
// What a probe prints.
constexpr WordSet kProbes({"print", "printf", "md5"});
// What prints, and the digest by which a probe sees that it ran.
constexpr WordSet kPrints({"print", "printf", "die", "exit", "print_r", "var_dump"});
constexpr WordSet kDigests({"md5", "sha1", "crc32", "hash", "md5_file", "phpversion", "php_uname"});
constexpr WordSet kTakesFile({"include", "require", "include_once", "require_once"});
constexpr WordSet kWordOperators({"and", "or", "xor", "instanceof", "as"});

bool takes_file(std::string_view name) noexcept { return kTakesFile.has(name); }

}  // namespace

// A comment stands between a name and its "(".
bool PhpReader::comment_before(std::size_t i) const noexcept {
  if (i == 0 || !tokens_[i].space_before) return false;
  const std::string_view gap =
      text_.substr(tokens_[i - 1].end, std::min<std::size_t>(tokens_[i].begin - tokens_[i - 1].end, 64));
  return gap.find_first_of("#/") != std::string_view::npos;
}

void PhpReader::at_word(std::size_t i) {
  const std::string_view name = tokens_[i].text;
  if (landed_ == nullptr &&
      (is_punct(i + 1, '=') || (is_punct(i + 1, '.') && is_kind(i + 2, PhpKind::kWord))))
    at_directive(i);
  if (value_ && php_class(name)) at_class(i);
  if (!is_punct(i + 1, '(')) {
    if (is_kind(i + 1, PhpKind::kVariable) && expression_start(i) &&
        (iequals(name, "include") || iequals(name, "require") || iequals(name, "include_once") ||
         iequals(name, "require_once"))) {
      add(kPhpCall, i, i + 1, "PHP includes a file that a variable names.");
    }
    return;
  }
  if (!expression_start(i)) return;
  if (takes_file(name) && is_kind(i + 2, PhpKind::kString) &&
      (tokens_[i + 2].text.find("://") != std::string_view::npos ||
       istarts_with(tokens_[i + 2].text, "data:"))) {
    add(kPhpCall, i, i + 2, "PHP includes a file from another host or through a wrapper.");
    return;
  }
  const std::uint32_t flags = php_function(name.starts_with('\\') ? name.substr(1) : name);
  if (flags == 0) return;
  if ((flags & kPhpRuns) != 0) at_runner(i);
  const bool closed = last_close_ > i;
  if ((flags & kPhpOwn) != 0) {
    const bool counts = closed && (value_ || i < 4) && !told(i + 1);
    add(counts ? kPhpCall : kPhpCallText, i, i + 2,
        fmt::format("A PHP function, {}, is called.", shown_name(name)));
    return;
  }
  if ((flags & kPhpOrdinary) == 0) return;
  const bool hidden = comment_before(i + 1) && closed;
  const bool spaced = tokens_[i + 1].space_before && tokens_[i + 1].begin - tokens_[i].end < 2;
  const bool argument = is_kind(i + 2, PhpKind::kString) || is_kind(i + 2, PhpKind::kVariable) ||
                        is_punct(i + 2, '`') || is_punct(i + 2, '@');
  const bool chain = iequals(name, "chr") && is_kind(i + 2, PhpKind::kNumber) && is_punct(i + 3, ')') &&
                     is_punct(i + 4, '.') && is_kind(i + 5, PhpKind::kWord) &&
                     iequals(tokens_[i + 5].text, "chr");
  const bool strong = kStrong.has(name) && closed && value_;
  // eval(code) runs nothing: a bare word is a constant, and one word of code no statement.
  const bool idle = (iequals(name, "eval") || iequals(name, "assert")) && is_kind(i + 2, PhpKind::kWord) &&
                    is_punct(i + 3, ')');
  const bool alone = i <= 1 && ends_value() && !is_punct(i + 2, ')') && (flags & kPhpRuns) != 0 && !idle;
  const bool probe = i == 0 && landed_ != nullptr && landed_->joint != 0 && kProbes.has(name) && !spaced &&
                     statement(i + 1) && (landed_->rejoins || landed_->joint != ',');
  // {${sleep(5)}}: inside of a string, where PHP calls what names a variable
  const bool inside =
      i >= 3 && is_punct(i - 1, '{') && is_punct(i - 2, '$') && is_punct(i - 3, '{') && closed && value_;
  // print(md5(31337)); as all of the value
  const std::size_t inner = is_punct(i + 2, '@') ? i + 3 : i + 2;
  const bool digest = i <= 1 && value_ && kPrints.has(name) && is_kind(inner, PhpKind::kWord) &&
                      kDigests.has(tokens_[inner].text) && is_punct(inner + 1, '(') && statement(i + 1) &&
                      !spaced;
  if (digest || inside || (strong && ((argument && line_ && (!spaced || i == 0)) || alone)) ||
      (hidden && value_ && i <= 1) || chain || probe) {
    add(kPhpCall, i, i + 2, fmt::format("A PHP function, {}, is called.", shown_name(name)));
  } else if (i == 0 && value_ && landed_ == nullptr) {
    add(kPhpCallText, i, i + 1,
        fmt::format("The value reads as a call of the PHP function {}.", shown_name(name)));
  }
}

// The call is all that there is, or a statement of its own.
bool PhpReader::statement(std::size_t open) const noexcept {
  const std::size_t close = close_of(open);
  return close != kNowhere && (close + 1 == tokens_.size() || is_punct(close + 1, ';'));
}

// new ReflectionFunction('system'), FFI::cdef(…), Closure::fromCallable(…)
void PhpReader::at_class(std::size_t i) {
  const std::size_t before = i > 0 && is_punct(i - 1, '\\') ? i - 1 : i;
  const bool made = before > 0 && is_kind(before - 1, PhpKind::kWord) &&
                    iequals(tokens_[before - 1].text, "new") && is_punct(i + 1, '(') &&
                    (is_operand(i + 2) || is_punct(i + 2, '(') || is_kind(i + 2, PhpKind::kWord));
  const bool called =
      is_punct(i + 1, ':') && is_punct(i + 2, ':') && is_kind(i + 3, PhpKind::kWord) && is_punct(i + 4, '(');
  if (!made && !called) return;
  add(kPhpCall, i, i + 4,
      fmt::format("PHP's class {} calls or opens what it is given.", shown_name(tokens_[i].text)));
}

// "f(): failed", "f() in x.php": no operator that PHP has follows the call, so somebody writes about it.
bool PhpReader::told(std::size_t open) const noexcept {
  const std::size_t close = close_of(open);
  if (close == kNowhere) return false;
  if (is_kind(close + 1, PhpKind::kWord)) return !kWordOperators.has(tokens_[close + 1].text);
  // Why @fopen($file)? At the end it chooses nothing.
  if (is_punct(close + 1, '?') && close + 2 == tokens_.size()) return true;
  const std::size_t next = is_punct(close + 2, '+') ? close + 3 : close + 2;  // in a form as it was sent
  return is_punct(close + 1, ':') && (is_kind(next, PhpKind::kWord) || is_punct(next, '(')) && !chosen(open);
}

// A '?' stands before: the ':' belongs to it.
bool PhpReader::chosen(std::size_t i) const noexcept {
  for (std::size_t k = i; k-- > 0 && i - k < 32;) {
    if (is_punct(k, '?')) return true;
  }
  return false;
}

// What runs its argument, and an argument that says where from: eval(base64_decode(…)), system($_GET[…]),
// array_map('system', …).
void PhpReader::at_runner(std::size_t i) {
  const std::size_t stop = std::min(tokens_.size(), i + 24);
  for (std::size_t k = i + 2; k < stop && !is_punct(k, ';'); ++k) {
    const PhpToken& token = tokens_[k];
    if (token.kind == PhpKind::kWord && is_punct(k + 1, '(') &&
        (php_function(token.text) & kPhpDecodes) != 0) {
      add(kPhpNested, i, k + 1, "PHP runs what it decodes from a disguise.");
      return;
    }
    if (token.kind == PhpKind::kVariable && php_request_variable(token.text)) {
      add(kPhpNested, i, k + 1, "PHP runs what it is sent in a request.");
      return;
    }
    const bool callback = is_punct(k + 1, ',') ? tokens_[i].text.find('_') != std::string_view::npos
                                               : is_punct(k + 1, ')') && is_punct(k - 1, ',');
    if (token.kind == PhpKind::kString && kStrong.has(token.text) && callback) {
      add(kPhpNested, i, k, "PHP is told to call a function that runs commands or code.");
      return;
    }
  }
}

}  // namespace wafd::detect
