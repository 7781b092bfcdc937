// PHP expressions that call something: by name, by a string, by a variable, by what brackets put together.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "detect/analyze/php_lexer.h"
#include "detect/analyze/php_names.h"
#include "detect/analyze/php_rules.h"
#include "detect/analyze/quoted_code.h"
#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxValueBytes = 256;  // of a value that may be an expression as a whole
constexpr std::size_t kMaxValueLines = 4;

constexpr WordSet kLeadIns({"echo", "print", "return", "and", "or", "xor", "new", "else", "throw", "clone",
                            "do", "try"});
constexpr WordSet kStrong({"system", "exec", "assert", "eval", "passthru", "die", "unlink", "chmod"});
// What a probe prints.
constexpr WordSet kProbes({"print", "printf", "md5"});
constexpr WordSet kWordOperators({"and", "or", "xor", "instanceof", "as"});

class Reader {
 public:
  // `text` begins at `base` of what is judged. `landed`: it would be code behind a string that it closed.
  Reader(std::string_view text, std::size_t base, const QuotedCode* landed, const FieldContext& context,
         FirstHits& found)
      : text_(text), base_(base), landed_(landed), found_(found), tokens_(context.memory) {
    read_php(text, tokens_);
    if (text.size() < kMaxValueBytes) {
      value_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) <= kMaxValueLines;
      line_ = text.find('\n') == std::string_view::npos;
    }
    for (std::size_t i = tokens_.size(); i-- > 0 && last_close_ == 0;) {
      if (is_punct(i, ')')) last_close_ = i;
    }
  }

  void run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const PhpToken& token = tokens_[i];
      switch (token.kind) {
        case PhpKind::kWord:
          at_word(i);
          break;
        case PhpKind::kVariable:
          at_variable(i);
          break;
        case PhpKind::kString:
          if (is_punct(i + 1, '(') && is_function(token.text) && !tokens_[i + 1].space_before) {
            add(kPhpStringCall, i, i + 2, fmt::format("PHP calls {} by a string.", shown_name(token.text)));
          }
          break;
        case PhpKind::kPunct:
          if (token.punct == ')' || token.punct == ']') at_closed(i);
          if (token.punct == '$') at_dollar(i);
          break;
        case PhpKind::kNumber:
          break;
      }
    }
  }

 private:
  bool is_punct(std::size_t i, char c) const noexcept {
    return i < tokens_.size() && tokens_[i].kind == PhpKind::kPunct && tokens_[i].punct == c;
  }
  bool is_kind(std::size_t i, PhpKind kind) const noexcept {
    return i < tokens_.size() && tokens_[i].kind == kind;
  }
  bool is_operand(std::size_t i) const noexcept {
    return is_kind(i, PhpKind::kString) || is_kind(i, PhpKind::kVariable) || is_kind(i, PhpKind::kNumber);
  }
  bool ends_value() const noexcept {
    return !tokens_.empty() && (is_punct(tokens_.size() - 1, ')') || is_punct(tokens_.size() - 1, ';'));
  }

  void add(PhpRule rule, std::size_t first, std::size_t last, std::string reason) {
    last = std::min(last, tokens_.size() - 1);
    found_.add(rule, base_ + tokens_[first].begin, base_ + tokens_[last].end, std::move(reason));
  }

  // An expression may begin at token i: not behind a word of prose, a member access or an operand.
  bool expression_start(std::size_t i) const noexcept {
    if (i == 0) return true;
    const PhpToken& before = tokens_[i - 1];
    if (before.kind == PhpKind::kWord) return kLeadIns.has(before.text);
    if (before.kind != PhpKind::kPunct) return false;
    if (before.punct == '>') return arrow_function(i - 1);
    return before.punct != ')' && before.punct != ']' && !(before.punct == '.' && !string_before(i - 1));
  }
  // fn($x) => f($x); JavaScript's arrows have no "fn".
  bool arrow_function(std::size_t arrow) const noexcept {
    if (arrow == 0 || !is_punct(arrow - 1, '=')) return false;
    for (std::size_t k = arrow; k-- > 0 && arrow - k < 16;) {
      if (is_kind(k, PhpKind::kWord) && iequals(tokens_[k].text, "fn")) return true;
    }
    return false;
  }
  // '.' joins strings in PHP; behind a word it is another language's member access.
  bool string_before(std::size_t dot) const noexcept {
    return dot > 0 && (tokens_[dot - 1].kind == PhpKind::kString || is_punct(dot - 1, ')') ||
                       tokens_[dot - 1].kind == PhpKind::kVariable);
  }

  static bool is_function(std::string_view name) noexcept { return php_function(name) != 0; }

  // A comment stands between a name and its "(".
  bool comment_before(std::size_t i) const noexcept {
    if (i == 0 || !tokens_[i].space_before) return false;
    const std::string_view gap =
        text_.substr(tokens_[i - 1].end, std::min<std::size_t>(tokens_[i].begin - tokens_[i - 1].end, 64));
    return gap.find_first_of("#/") != std::string_view::npos;
  }

  void at_word(std::size_t i) {
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
    if ((strong && ((argument && line_ && (!spaced || i == 0)) || alone)) || (hidden && value_ && i <= 1) ||
        chain || probe) {
      add(kPhpCall, i, i + 2, fmt::format("A PHP function, {}, is called.", shown_name(name)));
    } else if (i == 0 && value_ && landed_ == nullptr) {
      add(kPhpCallText, i, i + 1,
          fmt::format("The value reads as a call of the PHP function {}.", shown_name(name)));
    }
  }

  // The call is all that there is, or a statement of its own.
  bool statement(std::size_t open) const noexcept {
    const std::size_t close = close_of(open);
    return close != kNowhere && (close + 1 == tokens_.size() || is_punct(close + 1, ';'));
  }

  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  // The ')' that belongs to `open`, within reach.
  std::size_t close_of(std::size_t open) const noexcept {
    int depth = 0;
    for (std::size_t k = open; k < tokens_.size() && k < open + 64; ++k) {
      if (is_punct(k, '(')) ++depth;
      if (is_punct(k, ')') && --depth <= 0) return k;
    }
    return kNowhere;
  }

  // new ReflectionFunction('system'), FFI::cdef(…), Closure::fromCallable(…)
  void at_class(std::size_t i) {
    const std::size_t before = i > 0 && is_punct(i - 1, '\\') ? i - 1 : i;
    const bool made = before > 0 && is_kind(before - 1, PhpKind::kWord) &&
                      iequals(tokens_[before - 1].text, "new") && is_punct(i + 1, '(') &&
                      (is_operand(i + 2) || is_punct(i + 2, '(') || is_kind(i + 2, PhpKind::kWord));
    const bool called = is_punct(i + 1, ':') && is_punct(i + 2, ':') && is_kind(i + 3, PhpKind::kWord) &&
                        is_punct(i + 4, '(');
    if (!made && !called) return;
    add(kPhpCall, i, i + 4,
        fmt::format("PHP's class {} calls or opens what it is given.", shown_name(tokens_[i].text)));
  }

  // "f(): failed", "f() in x.php": no operator that PHP has follows the call, so somebody writes about it.
  bool told(std::size_t open) const noexcept {
    const std::size_t close = close_of(open);
    if (close == kNowhere) return false;
    if (is_kind(close + 1, PhpKind::kWord)) return !kWordOperators.has(tokens_[close + 1].text);
    return is_punct(close + 1, ':') && !is_punct(close + 2, ':') && is_kind(close + 2, PhpKind::kWord) &&
           !chosen(open);
  }
  // A '?' stands before: the ':' belongs to it.
  bool chosen(std::size_t i) const noexcept {
    for (std::size_t k = i; k-- > 0 && i - k < 32;) {
      if (is_punct(k, '?')) return true;
    }
    return false;
  }

  // What runs its argument, and an argument that says where from: eval(base64_decode(…)), system($_GET[…]),
  // array_map('system', …).
  void at_runner(std::size_t i) {
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
      if (token.kind == PhpKind::kString && kStrong.has(token.text) && is_punct(k + 1, ',') &&
          tokens_[i].text.find('_') != std::string_view::npos) {
        add(kPhpNested, i, k, "PHP is told to call a function that runs commands or code.");
        return;
      }
    }
  }

  void at_variable(std::size_t i) {
    const PhpToken& token = tokens_[i];
    if (php_request_variable(token.text)) {
      if (is_punct(i + 1, '[') || is_punct(i + 1, '{')) {
        add(kPhpRequestVariable, i, i + 3, fmt::format("PHP code reads ${}.", shown_name(token.text)));
      } else if (token.begin + 2 < text_.size() && is_upper(text_[token.begin + 2])) {
        add(kPhpRequestName, i, i, fmt::format("The text names PHP's ${}.", shown_name(token.text)));
      }
    }
    // ($y)('…')
    if (i > 0 && is_punct(i - 1, '(') && is_punct(i + 1, ')') && is_punct(i + 2, '(') && is_operand(i + 3) &&
        value_ && (i < 2 || !is_kind(i - 2, PhpKind::kWord))) {
      add(kPhpVariableCall, i, i + 3, "A function is called whose name a variable holds.");
    }
    // $x['f'](…), $x{0}(…), $x(…), $x->$y(…)
    bool indexed = false;
    std::size_t k = after_index(i + 1, indexed);
    if (!is_punct(k, '(') || !expression_start_or_member(i) || !value_) return;
    const bool doubled = i > 0 && is_punct(i - 1, '$');
    const bool member = i > 1 && is_punct(i - 1, '>') && is_punct(i - 2, '-');
    const bool quiet = i > 0 && is_punct(i - 1, '@');
    const bool argued =
        is_operand(k + 1) && ends_value() && !tokens_[k].space_before && tokens_[i].text.size() > 1;
    if (indexed || doubled || quiet || member || assigned_before(i) || ends_statement(k) || argued ||
        (concatenated(k) && !tokens_[k].space_before)) {
      add(kPhpVariableCall, i, k, "A function is called whose name a variable holds.");
    } else {
      add(kPhpVariableText, i, k, "The text reads as a call through a variable.");
    }
  }

  bool expression_start_or_member(std::size_t i) const noexcept {
    return expression_start(i) ||
           (i > 2 && is_punct(i - 1, '>') && is_punct(i - 2, '-') && is_kind(i - 3, PhpKind::kVariable));
  }

  // The token behind up to four [...] or {...} from k on.
  std::size_t after_index(std::size_t k, bool& indexed) const noexcept {
    for (int count = 0; count < 4 && (is_punct(k, '[') || is_punct(k, '{')); ++count) {
      const char open = tokens_[k].punct;
      const char close = open == '[' ? ']' : '}';
      std::size_t end = k + 1;
      int depth = 1;
      for (; end < tokens_.size() && end - k < 16; ++end) {
        if (is_punct(end, open)) ++depth;
        if (is_punct(end, close) && --depth == 0) break;
      }
      if (depth != 0) break;
      k = end + 1;
      indexed = true;
    }
    return k;
  }

  // $f(101).$f(120)
  bool concatenated(std::size_t open) const noexcept {
    for (std::size_t k = open + 1; k < tokens_.size() && k < open + 12; ++k) {
      if (is_punct(k, ')')) return is_punct(k + 1, '.') && is_kind(k + 2, PhpKind::kVariable);
    }
    return false;
  }

  // $x = 'sys'.'tem'; $x('id')
  bool assigned_before(std::size_t i) const noexcept {
    for (std::size_t k = 0; k + 1 < i && k < 64; ++k) {
      if (tokens_[k].kind == PhpKind::kVariable && tokens_[k].text == tokens_[i].text &&
          (is_punct(k + 1, '=') || is_punct(k + 2, '='))) {
        return true;
      }
    }
    return false;
  }

  // The call is a statement of its own: $x(…);
  bool ends_statement(std::size_t open) const noexcept {
    for (std::size_t k = open + 1; k < tokens_.size() && k < open + 24; ++k) {
      if (is_punct(k, ')')) return is_punct(k + 1, ';') && k + 2 == tokens_.size();
    }
    return false;
  }

  // (…)(…), [system][0](…) and (name)[0](…): what stands in the brackets, put together, names a function.
  void at_closed(std::size_t close) {
    std::size_t call = close + 1;
    if (is_punct(call, '{')) {
      while (call < tokens_.size() && call < close + 6 && !is_punct(call, '}')) ++call;
      ++call;
    }
    if (!is_punct(call, '(') || close == 0) return;
    if (at_bitwise(close, call)) return;
    std::string name;
    std::size_t k = close;
    std::size_t begin = close;
    for (std::size_t looked = 0; looked < 24 && k > 0; ++looked) {
      --k;
      const PhpToken& token = tokens_[k];
      if (token.kind == PhpKind::kString || token.kind == PhpKind::kWord) {
        name.insert(0, token.text);
        begin = k;
      } else if (token.kind == PhpKind::kNumber ||
                 (token.kind == PhpKind::kPunct &&
                  std::string_view("()[].{}").find(token.punct) != std::string_view::npos)) {
        begin = k;
      } else {
        break;
      }
      if (name.size() > 64) return;
    }
    while (begin < close && tokens_[begin].kind != PhpKind::kPunct) ++begin;
    if (!is_punct(begin, '(') && !is_punct(begin, '[')) return;
    if (is_punct(begin, '[') && !indexed_between(begin, close)) return;  // [text](/link)
    if (begin > 0 && tokens_[begin - 1].kind == PhpKind::kWord && !kLeadIns.has(tokens_[begin - 1].text))
      return;
    for (const std::string_view cast : {"string", "int", "array"}) {
      if (istarts_with(name, cast) && is_function(std::string_view(name).substr(cast.size())))
        name.erase(0, cast.size());
    }
    if (is_function(name)) {
      add(kPhpStringCall, begin, call + 1,
          fmt::format("PHP calls {} through an expression that puts its name together.", shown_name(name)));
    } else if (value_ && is_punct(begin, '(') && is_punct(close, ']') && joined_constant(begin) &&
               is_kind(call + 1, PhpKind::kString)) {
      add(kPhpStringCall, begin, call + 1, "PHP calls what an element of a constant names.");
    }
  }

  // (~"…")(…), ("…"^"…")(…), ("…"|"…")(…): strings put together octet by octet name a function.
  bool at_bitwise(std::size_t close, std::size_t call) {
    std::size_t begin = close;
    char sign = 0;
    bool noise = false;
    for (std::size_t looked = 0; looked < 24 && begin > 0; ++looked) {
      const PhpToken& token = tokens_[--begin];
      const bool high = token.kind == PhpKind::kWord && std::any_of(token.text.begin(), token.text.end(),
                                                                    [](char c) { return octet(c) >= 0x80; });
      if (token.kind == PhpKind::kString || high) {
        noise = noise || high || std::any_of(token.text.begin(), token.text.end(), [](char c) {
                  return octet(c) < ' ' || octet(c) >= 0x7f;
                });
      } else if (token.kind == PhpKind::kPunct &&
                 std::string_view("~^|&").find(token.punct) != std::string_view::npos) {
        if (sign == 0 || token.punct == '~' || token.punct == '^') sign = token.punct;
      } else if (is_punct(begin, '(')) {
        if (begin > 0 && is_punct(begin - 1, '(')) continue;
        break;
      } else if (!is_punct(begin, ')') && !is_punct(begin, '.')) {
        return false;
      }
    }
    // Regular expressions and grammars have choices between quoted words.
    if (!is_punct(begin, '(') || sign == 0 || !(sign == '~' || sign == '^' || noise) || !value_) return false;
    if (begin > 0 && tokens_[begin - 1].kind == PhpKind::kWord && !kLeadIns.has(tokens_[begin - 1].text))
      return false;
    add(kPhpStringCall, begin, call + 1, "PHP calls what strings combined octet by octet name.");
    return true;
  }

  // A list is called by an element of it alone: another bracket closes before the last.
  bool indexed_between(std::size_t open, std::size_t close) const noexcept {
    for (std::size_t k = open + 1; k < close; ++k) {
      if (is_punct(k, ']') || is_punct(k, '[')) return true;
    }
    return is_punct(close + 1, '{');
  }

  // (z)[0]…
  bool joined_constant(std::size_t open) const noexcept {
    return is_kind(open + 1, PhpKind::kWord) && is_punct(open + 2, ')') && is_punct(open + 3, '[') &&
           (open == 0 || is_punct(open - 1, ';'));
  }

  // ${'x'}, ${@a}(…), $ {…}
  void at_dollar(std::size_t i) {
    if (!is_punct(i + 1, '{')) return;
    std::size_t end = i + 2;
    while (end < tokens_.size() && end < i + 16 && !is_punct(end, '}')) ++end;
    if (!is_punct(end, '}')) return;
    const bool strings = is_kind(i + 2, PhpKind::kString) || is_punct(i + 2, '@');
    const bool variable = is_kind(i + 2, PhpKind::kVariable);
    bool indexed = false;
    const std::size_t k = after_index(end + 1, indexed);
    if (is_punct(k, '(') && value_ && (strings || indexed || variable)) {
      add(kPhpVariableCall, i, k, "A function is called whose name an expression in ${} makes.");
    } else if (strings && i == 0 && value_ && (end + 1 == tokens_.size() || is_punct(end + 1, ';'))) {
      add(kPhpVariableCall, i, end, "A PHP variable is named by an expression.");
    } else if ((strings && tokens_[end].end - tokens_[i].begin > 4) || (variable && i == 0 && value_)) {
      add(kPhpVariableText, i, end, "A PHP variable is named by an expression.");
    }
  }

  void at_directive(std::size_t i) {
    std::size_t last = i;
    std::string_view name = tokens_[i].text;
    if (is_punct(i + 1, '.') && is_kind(i + 2, PhpKind::kWord) && is_punct(i + 3, '=')) {
      last = i + 2;
      name = text_.substr(tokens_[i].begin, tokens_[last].end - tokens_[i].begin);
    }
    if (!is_punct(last + 1, '=') || is_punct(last + 2, '=')) return;
    const int known = php_directive(name);
    if (known == 0 || (known == 1 && !plainly_set(name, last))) return;
    const bool option =
        i >= 2 && is_kind(i - 1, PhpKind::kWord) && tokens_[i - 1].text == "d" && is_punct(i - 2, '-');
    if (option || (known == 2 && value_ && i < 4)) {
      add(kPhpDirective, i, last + 2,
          fmt::format("The PHP configuration directive {} is set.", shown_name(name)));
    } else if (i == 0 && line_ && configuration_value(text_.substr(tokens_[last + 1].end))) {
      add(kPhpDirectiveText, i, last + 2, fmt::format("A setting that PHP has too, {}.", shown_name(name)));
    }
  }

  // As in php.ini: no other octet in the name, no comment before the sign behind token `last`.
  bool plainly_set(std::string_view name, std::size_t last) const noexcept {
    const std::size_t end = tokens_[last].end;
    const std::string_view gap = text_.substr(end, tokens_[last + 1].begin - end);
    return gap.find_first_not_of(std::string_view(" \t\0", 3)) == gap.npos &&
           std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '_' || c == '.'; });
  }

  // What a line of php.ini has behind "=": a switch, a number, a file.
  static bool configuration_value(std::string_view value) noexcept {
    value = trim(value);
    constexpr WordSet kSwitches({"on", "off", "true", "false", "yes", "no", "none", "null"});
    if (kSwitches.has(value) || value.ends_with(".so") || value.ends_with(".dll")) return true;
    if (value.empty()) return false;
    return value[0] == '/' ? value.size() > 1 : std::all_of(value.begin(), value.end(), is_digit);
  }

  std::string_view text_;
  std::size_t base_ = 0;
  const QuotedCode* landed_ = nullptr;
  FirstHits& found_;
  std::pmr::vector<PhpToken> tokens_;
  std::size_t last_close_ = 0;  // token
  bool value_ = false;          // short enough to be one expression
  bool line_ = false;           // and without a line end
};

}  // namespace

std::string shown_name(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 40)) {
    if (is_alnum(c) || c == '_' || c == '.') out.push_back(c);
  }
  return out;
}

void read_php_code(std::string_view text, const FieldContext& context, FirstHits& found) {
  Reader(text, 0, nullptr, context, found).run();
  if (text.size() > kMaxValueBytes) return;
  QuotedReadings readings(text);
  for (QuotedCode landed; readings.next(landed);)
    Reader(landed.code, static_cast<std::size_t>(landed.code.data() - text.data()), &landed, context, found)
        .run();
}

}  // namespace wafd::detect
