// Calls and variables whose names a variable, a string or an expression makes (PHP manual, "Variable
// functions", "Variable variables", "Bitwise Operators").
#include <algorithm>

#include "detect/analyze/php/php_reader.h"
#include "detect/analyze/php/words.tsv.h"
#include "detect/core/bytes.h"

namespace wafd::detect::php {
namespace {

constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxBackBytes = 128;
constexpr std::size_t kMaxIndexBytes = 48;

bool word_byte(char c) noexcept { return is_alnum(c) || c == '_' || byte(c) >= 0x80; }
bool one_of(char c, std::string_view set) noexcept { return set.find(c) != std::string_view::npos; }
bool noise(char c) noexcept { return byte(c) < ' ' || byte(c) >= 0x7f; }

int digit(char c, int base) noexcept {
  const int value = is_digit(c) ? c - '0' : is_alpha(c) ? to_lower(c) - 'a' + 10 : 99;
  return value < base ? value : -1;
}

// The byte that \x73, \163 or the byte itself stands for; `i` goes to the last byte of it.
char unescaped(std::string_view in, std::size_t& i) noexcept {
  if (in[i] != '\\' || i + 1 >= in.size()) return in[i];
  const bool hex = in[i + 1] == 'x';
  const int base = hex ? 16 : 8;
  std::size_t next = i + (hex ? 2 : 1);
  int value = -1;
  for (std::size_t count = 0; count < (hex ? 2u : 3u) && next < in.size() && digit(in[next], base) >= 0;
       ++count)
    value = std::max(value, 0) * base + digit(in[next++], base);
  if (value < 0) return in[i];
  i = next - 1;
  return static_cast<char>(value & 0xff);
}

}  // namespace

// A name that is put together in brackets, read from their end.
struct PhpReader::MadeName {
  std::array<char, kMaxNameBytes> bytes;
  std::size_t size = 0;  // from the end of `bytes`
  std::size_t begin = 0;
  char sign = '\0';     // combines strings byte by byte: ~ ^ | &
  bool noisy = false;   // bytes that no name has are combined
  bool joined = false;  // strings or names in brackets; an index alone is none
  bool indexed = false;
  std::string_view name() const noexcept { return {bytes.data() + bytes.size() - size, size}; }
  bool prepend(std::string_view piece) noexcept {
    std::array<char, kMaxNameBytes> made;
    std::size_t made_size = 0;
    for (std::size_t i = 0; i < piece.size() && made_size < made.size(); ++i)
      made[made_size++] = unescaped(piece, i);
    if (size + made_size > bytes.size()) return false;
    std::copy_n(made.begin(), made_size, bytes.end() - static_cast<std::ptrdiff_t>(size + made_size));
    size += made_size;
    return true;
  }
};

void PhpReader::read_dollar(std::size_t begin) {
  const std::size_t next = behind_gap(begin + 1);
  if (at(next) == '{') {
    read_braced_name(begin, next);
  } else if (word_byte(at(begin + 1)) && !is_digit(at(begin + 1))) {
    read_variable(begin, word_end(begin + 1));
  }
}

bool PhpReader::assigned(std::string_view name) const noexcept {
  return std::find(assigned_.begin(), assigned_.end(), name) != assigned_.end();
}

// The position behind up to four [...] or {...}.
std::size_t PhpReader::behind_indexes(std::size_t i, bool& indexed) const noexcept {
  for (int count = 0; count < 4 && (at(i) == '[' || at(i) == '{'); ++count) {
    const char open = at(i);
    const char close = open == '[' ? ']' : '}';
    const std::size_t limit = std::min(text_.size(), i + kMaxIndexBytes);
    std::size_t end = i;
    int depth = 0;
    for (; end < limit; ++end) {
      if (text_[end] == open) ++depth;
      if (text_[end] == close && --depth == 0) break;
    }
    if (end >= limit) return i;
    indexed = true;
    i = behind_gap(end + 1);
  }
  return i;
}

void PhpReader::read_variable(std::size_t begin, std::size_t end) {
  const std::string_view name = text_.substr(begin + 1, end - begin - 1);
  const WordRow* row = kWords.find(name);
  const std::size_t next = behind_gap(end);
  if (row != nullptr && meets(row->use, Use::kRequest)) {
    const bool read = at(next) == '[' || at(next) == '{';
    if (read || is_upper(name[0] == '_' && name.size() > 1 ? name[1] : name[0])) {
      // php $_GET undefined index: between words, of which none takes it.
      const std::size_t gap = before_gap(begin);
      const bool amid = gap < begin && gap > 0 && is_alpha(text_[gap - 1]) &&
                        expression_start(begin) == false && next > end && is_alpha(at(next));
      add(PhpEvidence::kRequest,
          read   ? Certainty::kCertain
          : amid ? Certainty::kPossible
                 : Certainty::kLikely,
          begin, next + 1, text_.substr(begin, end - begin));
      bool member = false;
      const std::size_t behind = read && starts_text(begin) ? behind_indexes(next, member) : 0;
      if (member && text_.size() <= kMaxWordBytes && ends_text(behind + (at(behind) == ';' ? 1 : 0)))
        add(PhpEvidence::kWholeVariable, Certainty::kCertain, begin, behind,
            text_.substr(begin, end - begin));
    }
    if (runs_here(begin)) add(PhpEvidence::kRunsInput, Certainty::kCertain, runner_, end);
  }
  if (at(next) == '=' && !one_of(at(next + 1), "=>")) {
    assigned_[assignments_++ % assigned_.size()] = name;
    // $_=[];$__="$_": code without letters.
    if (name.find_first_not_of('_') == std::string_view::npos && ++nameless_ >= 2)
      add(PhpEvidence::kNameless, Certainty::kCertain, begin, next + 1);
  }
  bool indexed = false;
  const std::size_t open = behind_indexes(next, indexed);
  const bool member = begin >= 2 && text_.substr(begin - 2, 2) == "->";
  // ($y)('…')
  const bool bracketed = before(begin) == '(' && at(next) == ')' && at(next + 1) == '(' &&
                         (quote(next + 2) || at(next + 2) == '$') && !word_byte(before(begin - 1));
  if (bracketed) add(PhpEvidence::kVariableCall, Certainty::kLikely, begin - 1, next + 2, name);
  if (at(open) != '(' || (!member && !expression_start(begin) && before(begin) != '$')) return;
  const std::size_t close = close_of(open);
  const std::size_t argument = behind_gap(open + 1);
  const bool argued = (quote(argument) || at(argument) == '$' || is_digit(at(argument))) && open == end &&
                      name.size() > 1 && close != kNowhere && ends_text(close + 1);
  const bool joined = close != kNowhere && at(close + 1) == '.' && at(close + 2) == '$';
  const bool statement = close != kNowhere && at(close + 1) == ';' && ends_text(close + 1);
  const bool made = indexed || member || before(begin) == '$' || before(begin) == '@' || assigned(name);
  add(PhpEvidence::kVariableCall,
      made || argued || joined || statement ? Certainty::kLikely : Certainty::kPossible, begin, open + 1,
      name);
}

// ${'x'}, ${@a}(…), ${$x}
void PhpReader::read_braced_name(std::size_t begin, std::size_t open) {
  const std::size_t end = text_.substr(0, open + kMaxIndexBytes).find('}', open + 1);
  if (end == std::string_view::npos) return;
  const std::size_t inner = behind_gap(open + 1);
  const bool string = quote(inner) || at(inner) == '@';
  const bool variable = at(inner) == '$';
  bool indexed = false;
  const std::size_t next = behind_indexes(behind_gap(end + 1), indexed);
  if (at(next) == '(' && (string || variable || indexed)) {
    add(PhpEvidence::kVariableCall, Certainty::kLikely, begin, next + 1);
  } else if (string || variable) {
    const bool all = starts_text(begin) && ends_text(end + 1);
    if (end > inner + 2 || all)
      add(PhpEvidence::kMadeVariable, string && all ? Certainty::kLikely : Certainty::kPossible, begin,
          end + 1);
  }
}

// Back from a closing bracket over what stands in it and in the brackets before it.
bool PhpReader::read_back(std::size_t close, MadeName& out) const noexcept {
  const std::size_t limit = close > kMaxBackBytes ? close - kMaxBackBytes : 0;
  int depth = 0;
  for (std::size_t i = close + 1; i-- > limit;) {
    const char c = text_[i];
    if (one_of(c, ")]}")) {
      ++depth;
    } else if (one_of(c, "([{")) {
      if (--depth > 0) continue;
      out.begin = i;
      if (depth < 0) return false;
      if (c == '(' && !out.joined) return false;
      if (c == '(') return true;
      out.indexed = true;
      if (i == 0 || !one_of(text_[i - 1], ")]}")) return c == '[' && out.joined;
    } else if (c == '\'' || c == '"') {
      const std::size_t open = i > 0 ? text_.rfind(c, i - 1) : std::string_view::npos;
      if (open == std::string_view::npos || open < limit) return false;
      const std::string_view piece = text_.substr(open + 1, i - open - 1);
      out.noisy = out.noisy || std::any_of(piece.begin(), piece.end(), noise);
      if (!out.prepend(piece)) return false;
      out.joined = true;
      i = open;
    } else if (word_byte(c)) {
      const std::string_view word = word_before(i + 1);
      const bool number = std::all_of(word.begin(), word.end(), is_digit);
      out.noisy = out.noisy || std::any_of(word.begin(), word.end(), noise);
      if (!number && !out.prepend(word)) return false;
      out.joined = out.joined || !number;
      i -= word.size() - 1;
    } else if (one_of(c, "~^|&")) {
      if (out.sign == '\0' || c == '~' || c == '^') out.sign = c;
    } else if (c == '/' && i > 1 && text_[i - 1] == '*') {
      const std::size_t open = text_.rfind("/*", i - 2);
      if (open == std::string_view::npos || open < limit) return false;
      i = open;
    } else if (!noise(c) && !one_of(c, " .\\@,")) {
      return false;
    } else if (noise(c) && !is_space(c)) {
      out.noisy = true;
    }
  }
  return false;
}

// (…)(…), [system][0](…), (name)[0](…): what stands in the brackets names a function.
void PhpReader::read_closed(std::size_t close) {
  const std::size_t open = behind_gap(close + 1);
  if (at(open) != '(' || close == 0 || one_of(text_[close - 1], "([{")) return;
  MadeName made;
  if (!read_back(close, made)) return;
  if (at(made.begin) == '[' && text_[close] != '}' &&
      text_.substr(made.begin + 1, close - made.begin - 1).find_first_of("[]") == std::string_view::npos)
    return;  // [text](/link)
  const std::size_t ahead = before_gap(made.begin);
  if (ahead > 0 && (word_byte(text_[ahead - 1]) || text_[ahead - 1] == '$') && !expression_start(made.begin))
    return;
  if (made.sign != '\0') {
    // Regular expressions and grammars have choices between quoted words.
    if (made.sign == '~' ? made.noisy : made.sign == '^' || made.noisy) {
      const bool strings =
          made.noisy || text_.substr(made.begin, close - made.begin).find_first_of("'\"") != text_.npos;
      if (strings) add(PhpEvidence::kMadeCall, Certainty::kCertain, made.begin, open + 1);
    }
    return;
  }
  std::string_view name = made.name();
  for (const std::string_view cast : {"string", "int", "array"}) {
    if (istarts_with(name, cast) && function_use(name.substr(cast.size())) != Use::kNone)
      name.remove_prefix(cast.size());
  }
  if (function_use(name) != Use::kNone) {
    add(PhpEvidence::kMadeCall, Certainty::kCertain, made.begin, open + 1, name);
  } else if (made.indexed && at(made.begin) == '(' && quote(behind_gap(open + 1)) &&
             (made.begin == 0 || before(made.begin) == ';')) {
    add(PhpEvidence::kMadeCall, Certainty::kLikely, made.begin, open + 1, name);
  }
}

}  // namespace wafd::detect::php
