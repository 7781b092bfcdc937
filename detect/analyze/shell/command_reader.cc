#include "detect/analyze/shell/command_reader.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "detect/analyze/shell/paths.h"
#include "detect/analyze/shell/windows_words.h"
#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"
#include "detect/core/word_set.h"
#include "detect/core/work_counter.h"
#include "detect/decode/html_entity.h"

namespace wafd::detect::shell {
namespace {

constexpr std::size_t kMaxJoinedBytes = 256;  // no command is that long
constexpr std::size_t kMaxListBytes = 48;     // of a name in a list

// Reserved words before a command, and those behind one (POSIX.1-2017 XCU 2.4, bash manual 3.2.5).
constexpr WordSet kLeads({"if", "then", "elif", "else", "while", "until", "do", "!", "{", "coproc",
                          "function", "@"});
constexpr WordSet kEnds({"fi", "done", "esac", "}", "in"});

constexpr ByteFinder kBlanks(" \t");
constexpr ByteFinder kBlanksAndLines(" \t\n");
constexpr ByteFinder kQueryBytes("=?");
constexpr ByteFinder kPatternSigns("/*?[{^%\\");

bool is_word_byte(char c) noexcept { return is_name_byte(c) || byte(c) >= 0x80; }

// a=b: the length of the name; 0: it is no assignment.
std::size_t assigned_name(std::string_view word) noexcept {
  std::size_t size = 0;
  while (size < word.size() && is_name_byte(word[size])) ++size;
  if (size == 0 || size >= word.size() || is_digit(word[0])) return 0;
  return word[size] == '=' || (word[size] == '+' && word.substr(size).starts_with("+=")) ? size : 0;
}

// A name that two letters and more make, as columns and keys have them.
bool is_list_item(std::string_view item) noexcept {
  item = trim_space(item);
  return item.size() >= 2 && item.size() <= kMaxListBytes &&
         std::all_of(item.begin(), item.end(), [](char c) { return is_word_byte(c) || c == '-'; });
}

// Names of characters in HTML (HTML standard 13.5) that commands have, too: 2&times;4
bool is_character_name(std::string_view name) noexcept {
  static constexpr WordSet kNames(
      {"times", "copy", "reg", "sum", "top", "comp", "micro", "ll", "sc", "pr", "ac", "cap"});
  return kNames.has(name);
}

// Whether the line before opens a block of another language: it ends with a brace behind a name or a list of
// parameters, which is no list of commands.
bool opens_block(std::string_view before) noexcept {
  const auto drop_blanks = [&before] {
    while (!before.empty() && (before.back() == ' ' || before.back() == '\t' || before.back() == '\r'))
      before.remove_suffix(1);
  };
  drop_blanks();
  if (!before.ends_with('{')) return false;
  before.remove_suffix(1);
  drop_blanks();
  return before.ends_with(')') ? !before.ends_with("()") : !before.empty() && is_word_byte(before.back());
}

// &name; and &#123; that ends at `at`, a semicolon. No character's name has one letter: R&D;id
bool ends_reference(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && at - begin < 32 && (is_alnum(text[begin - 1]) || text[begin - 1] == '#')) --begin;
  if (begin + 1 >= at || begin == 0 || text[begin - 1] != '&') return false;
  if (begin > 1 && is_space(text[begin - 2])) return true;  // std::string &name;id = 5;
  std::string decoded;
  std::uint32_t flags = 0;
  return html_entity_decode(text.substr(begin - 1, at - begin + 2), decoded, flags);
}

// 1&lt;cat a.txt: the only reference in the text stands in its first word, and words follow at once.
bool is_lone_reference(std::string_view text, std::size_t end) noexcept {
  const std::size_t begin = text.find('&');
  return begin < end && text.find('&', begin + 1) == text.npos &&
         kBlanksAndLines.find(text.substr(0, begin), 0) == begin && end + 1 < text.size() &&
         is_word_byte(text[end + 1]) && kBlanks.find(text, end + 1) < text.size();
}

// Whether the word that a compound command needs next stands behind a separator: if …;then, while …;do.
bool goes_on_with(std::string_view text, std::string_view word) noexcept {
  for (std::size_t at = text.find(word, 1); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t last = text.find_last_not_of(" \t\r", at - 1);
    const std::size_t end = at + word.size();
    const bool whole = end == text.size() || !is_word_byte(text[end]);
    if (whole && last != text.npos && (text[last] == ';' || text[last] == '\n')) return true;
  }
  return false;
}

// { id;}: statements of C and its like are no names alone, lists of fields have no semicolon.
bool is_brace_group(std::string_view text) noexcept {
  text = trim_space(text);
  if (!text.starts_with('{') || !text.ends_with('}')) return false;
  text.remove_suffix(1);
  return trim_space(text).ends_with(';') && text.size() > 1 && is_space(text[1]);
}

// $(name).hide( of jQuery
bool calls_method(std::string_view rest) noexcept {
  if (!rest.starts_with('.')) return false;
  std::size_t end = 1;
  while (end < rest.size() && is_name_byte(rest[end])) ++end;
  return end > 1 && end < rest.size() && rest[end] == '(';
}

// Of the substitution whose backtick is at `at`, a shell runs nothing: it has no end (POSIX.1-2017
// XCU 2.6.3), or its first line ends in a quoted string. `word' is how manuals of Unix quote.
bool is_cut_off(std::string_view text, std::size_t at) noexcept {
  const std::string_view rest = text.substr(at + 1);
  const std::size_t close = rest.find('`');
  if (close == rest.npos) return true;
  const std::string_view line = rest.substr(0, rest.find_first_of("`\n"));
  return line.find_first_of("\\\"#") == line.npos && std::count(line.begin(), line.end(), '\'') % 2 != 0;
}

// (root) CMD (cd / && x): behind a plain word a parenthesis is an error of syntax (POSIX.1-2017 XCU 2.10.2),
// and of such a line nothing is run. @(a|b) is a pattern; case x in (a) and [[ x =~ (a) ]] have parentheses
// of their own.
bool refuses_group(std::span<const Token> words, const Token& open) noexcept {
  static constexpr WordSet kOwn(
      {"case", "[[", "((", "in", "for", "select", "function", "test", "[", "find", "let"});
  const Token& last = words.back();
  if (last.end == open.begin && std::string_view("@!?*+=$").find(
                                    last.value.empty() ? '@' : last.value.back()) != std::string_view::npos)
    return false;
  return std::none_of(words.begin(), words.end(), [](const Token& word) {
    return word.quoted || word.hidden || word.unknown || word.variable || word.open || kOwn.has(word.value);
  });
}

// for((;;)){ …; }: the body behind the two parentheses that end at `at` (bash manual 3.2.5.1).
bool begins_loop_body(std::string_view text, const Token& word, std::size_t at) noexcept {
  const std::size_t open = skip_space(text, word.end);
  const std::size_t next = skip_space(text, at);
  return word.value == "for" && text.substr(0, at).ends_with("))") && text.substr(open).starts_with("((") &&
         next < text.size() && text[next] == '{';
}

// coproc NAME { …; }, coproc NAME (…) (bash manual 3.2.6)
bool names_group(std::string_view text, std::size_t at) noexcept {
  at = skip_space(text, at);
  while (at < text.size() && is_name_byte(text[at])) ++at;
  at = skip_space(text, at);
  return at < text.size() && (text[at] == '(' || text[at] == '{');
}

char sign_byte(Sign sign) noexcept {
  switch (sign) {
    case Sign::kSemicolon:
      return ';';
    case Sign::kAmpersand:
      return '&';
    case Sign::kPipe:
      return '|';
    case Sign::kNewline:
      return '\n';
    default:
      return '\0';
  }
}

}  // namespace

CommandReader::CommandReader(std::string_view text, bool has_lines, std::pmr::memory_resource* memory,
                             EvidenceList& out)
    : text_(text),
      has_lines_(has_lines),
      first_blank_(kBlanksAndLines.find(text, 0)),
      first_word_(skip_space(text, 0)),
      memory_(memory),
      out_(out),
      words_(memory),
      targets_(memory),
      frames_(memory) {}

CommandReader::CommandReader(const CommandReader& outer, std::string_view text, const Origin& origin)
    : text_(text),
      has_lines_(outer.has_lines_),
      first_blank_(kBlanksAndLines.find(text, 0)),
      first_word_(skip_space(text, 0)),
      memory_(outer.memory_),
      out_(outer.out_),
      variables_(outer.variables_),
      words_(outer.memory_),
      targets_(outer.memory_),
      frames_(outer.memory_),
      origin_(&origin) {}

std::span<const Token> CommandReader::words() const noexcept {
  return std::span(words_).subspan(frames_.back().first_word);
}
std::span<const Token> CommandReader::targets() const noexcept {
  return std::span(targets_).subspan(frames_.back().first_target);
}

void CommandReader::read(std::size_t at, bool begins) {
  words_.clear();
  targets_.clear();
  redirect_ = Sign::kNone;
  lines_ = 0;
  in_row_ = compound_ = refused_ = false;
  looked_ahead_ = false;
  frames_.assign(1, {});
  frame().segment = at;
  if (origin_ != nullptr) frame().reach = origin_->reach;
  if (origin_ == nullptr) frame().reach.begin = at;
  frame().reach.dead = !begins;
  Lexer lexer(text_, at, variables_, memory_);
  bool closed = false;  // the last token ended a substitution
  while (true) {
    if (!closed && redirect_ == Sign::kNone && !frame().word_open && frame().reach.dead) lexer.skip_command();
    const Token token = lexer.next();
    if (frame().undecided && !(token.kind == TokenKind::kWord && token.joined && closed)) decide();
    closed = false;
    switch (token.kind) {
      case TokenKind::kEnd:
        for (; !frames_.empty(); frames_.pop_back()) {
          if (origin_ == nullptr && frame().reach.sign == Sign::kBacktick &&
              is_cut_off(text_, frame().reach.begin))
            frame().reach.dead = true;
          finish(text_.size());
        }
        return;
      case TokenKind::kWord:
        on_word(token);
        break;
      case TokenKind::kRedirect:
        redirect_ = token.sign;
        break;
      case TokenKind::kSeparator:
        on_separator(token);
        break;
      case TokenKind::kOpen:
        on_open(token, lexer);
        break;
      case TokenKind::kClose:
        on_close(token);
        closed = token.frames != 0;
        break;
    }
    if (token.kind == TokenKind::kWord && frame().undecided && !token.open && !decide()) lexer.skip_command();
  }
}

void CommandReader::on_word(const Token& token) {
  Frame& now = frame();
  if (redirect_ != Sign::kNone) {
    // <<?php …: a tag of PHP behind what it is a part of
    if (redirect_ == Sign::kHereDocument && words().empty() && (token.value == "?php" || token.value == "?="))
      now.reach.dead = true;
    targets_.push_back(token);
    targets_.back().sign = redirect_;
    redirect_ = Sign::kNone;
    return;
  }
  if (now.word_open && token.joined && words_.size() > now.first_word) {
    // The rest of a word that a substitution was a part of.
    Token& word = words_.back();
    word.end = token.end;
    now.word_open = token.open;
    if (word.value.size() > kMaxJoinedBytes) return;
    char* joined = static_cast<char*>(memory_->allocate(word.value.size() + token.value.size() + 1, 1));
    if (!word.value.empty()) std::memcpy(joined, word.value.data(), word.value.size());
    if (!token.value.empty()) std::memcpy(joined + word.value.size(), token.value.data(), token.value.size());
    word.value = {joined, word.value.size() + token.value.size()};
    word.end = token.end;
    word.hidden = true;
    now.word_open = token.open;
    return;
  }
  now.word_open = token.open;
  now.split = now.split || (token.split && (words_.size() > now.first_word || !token.value.empty()));
  const bool nothing = token.value.empty() && !token.quoted && !token.unknown && !token.open && !token.hidden;
  if (nothing) return;
  now.assigned = {};
  words_.push_back(token);
  if (words_.size() == now.first_word + 1) now.undecided = true;
}

// The first word is whole: a reserved word or an assignment leads to the next. False if nothing is to be
// known of what follows up to the next sign.
bool CommandReader::decide() {
  Frame& now = frame();
  now.undecided = false;
  const Token word = words_.back();
  if (now.reach.dead) return false;
  if (now.named) {
    now.named = false;
    words_.pop_back();
    return true;
  }
  if (!word.quoted && !word.hidden && !word.open && read_keyword(word.value)) return !now.reach.dead;
  if (read_assignment(word)) return true;
  const std::string_view value = word.value;
  if (word.variable || word.unknown || word.hidden || word.open || value.empty()) return true;
  if (find_command(value).row != nullptr || value == "for" || value == "select" || value == "case" ||
      value == "if")
    return true;
  if (kPatternSigns.find(value, 0) < value.size() || value[0] == '.' || value[0] == ':') return true;
  // An unknown program with options; none is called 1.
  if (is_digit(value[0])) return false;
  const std::size_t next = skip_space(text_, word.end);
  return now.reach.apart && next + 2 < text_.size() && text_[next] == '-' && text_[next + 1] == '-';
}

bool CommandReader::read_keyword(std::string_view word) {
  Frame& now = frame();
  if (now.in_case && word == "esac") now.in_case = false;
  if (kEnds.has(word)) {
    words_.pop_back();
    now.reach.dead = true;
    return true;
  }
  compound_ = compound_ || word == "for" || word == "select" || word == "case";
  // if and for of cmd.exe are read where they stand.
  if (!kLeads.has(word) || is_batch_statement(text_, words_.back().begin)) return false;
  const std::size_t at = words_.back().end;
  words_.pop_back();
  // then, do: of a compound command that began, in the text or before the quote that it closes
  static constexpr WordSet kBranches({"then", "elif", "else", "do"});
  if (!kBranches.has(word)) {
    compound_ = true;
  } else if (!compound_ && origin_ == nullptr) {
    now.reach.dead = true;
  }
  now.named = word == "function" || (word == "coproc" && names_group(text_, at));
  // if id;then …: at the beginning of a text no sentence goes on so.
  const std::string_view next = word == "if"                         ? "then"
                                : word == "while" || word == "until" ? "do"
                                : word == "{"                        ? "}"
                                                                     : "";
  if (!next.empty()) lead_by(next);
  return true;
}

// A compound command at the beginning of the text: the grammar tells it from a sentence as well as a
// separator does. Asked once, since it looks through the text.
void CommandReader::lead_by(std::string_view next) noexcept {
  if (looked_ahead_ || origin_ != nullptr || frame().reach.sign != Sign::kNone) return;
  looked_ahead_ = true;
  if (next == "}" ? !is_brace_group(text_) : !goes_on_with(text_, next)) return;
  frame().reach.sign = Sign::kSemicolon;
  frame().reach.apart = true;
}

bool CommandReader::read_assignment(const Token& word) {
  const std::size_t size = assigned_name(word.value);
  if (size == 0) return false;
  const std::string_view name = word.value.substr(0, size);
  const bool added = word.value[size] == '+';
  std::string_view value = word.value.substr(size + (added ? 2 : 1));
  if (added && value.size() <= Variables::kMaxValueBytes) {
    const std::string_view old = variables_.get(name);
    char* joined = static_cast<char*>(memory_->allocate(old.size() + value.size() + 1, 1));
    if (!old.empty()) std::memcpy(joined, old.data(), old.size());
    if (!value.empty()) std::memcpy(joined + old.size(), value.data(), value.size());
    value = {joined, old.size() + value.size()};
  }
  if (!word.open) variables_.set(name, value);
  // ?a=1&b="…">: parameters of a URL in an attribute
  if (word.quoted && frame().reach.sign == Sign::kAmpersand) frame().reach.dead = true;
  words_.pop_back();
  frame().assigned = value.empty() ? name : std::string_view();
  return true;
}

void CommandReader::push(const Reach& reach, std::size_t segment) {
  Frame& made = frames_.emplace_back();
  made.first_word = words_.size();
  made.first_target = targets_.size();
  made.segment = segment;
  made.reach = reach;
}

void CommandReader::on_open(const Token& token, Lexer& lexer) {
  Frame& outer = frame();
  const std::size_t count = words().size();
  if (token.frames == 0 || frames_.size() == kMaxFrames) {
    finish(token.begin);
    frame().reach = {token.sign, token.begin, false, false, true, Pipe::kNone};
    return;
  }
  Reach reach{token.sign, token.begin, false, false, false, Pipe::kNone};
  if (token.sign == Sign::kGroup) {
    const std::size_t inside = skip_space(text_, token.end);
    if (count == 1 && inside < text_.size() && text_[inside] == ')') {
      // name() …: what follows is its body.
      words_.pop_back();
      outer.undecided = false;
      lexer.next();
      return;
    }
    const std::string_view array = token.joined ? outer.assigned : std::string_view();
    const bool begins = count == 0 && !outer.reach.dead && targets().empty();
    reach = outer.reach;
    reach.dead = !begins;
    outer.broken = outer.broken || (!begins && array.data() == nullptr);
    refused_ = refused_ || (count != 0 && array.data() == nullptr && refuses_group(words(), token));
    // A group at the beginning of a text may be anything.
    reach.weak = reach.weak || array.data() != nullptr || (reach.sign == Sign::kNone && origin_ == nullptr);
    push(reach, token.end);
    frame().alternative = !begins || reach.weak;
    frame().array = array;
    return;
  }
  // It is a word, or a part of one.
  if (redirect_ != Sign::kNone) {
    redirect_ = Sign::kNone;
  } else if (!(token.joined && outer.word_open)) {
    Token word = token;
    word.kind = TokenKind::kWord;
    word.open = true;
    words_.push_back(word);
    if (count == 0) outer.undecided = true;
    outer.word_open = true;
  }
  // In the place of a command, or of what a known one is given.
  const bool behind_sign = !outer.reach.dead && outer.reach.sign != Sign::kNone &&
                           outer.reach.sign != Sign::kNewline && !in_row_ &&
                           (count == 0 || find_command(words().front().value).row != nullptr);
  const char before = token.begin == 0 ? '=' : text_[token.begin - 1];
  reach.apart = token.sign != Sign::kBacktick || behind_sign || is_word_byte(before) ||
                std::string_view("=/:@-$").find(before) != std::string_view::npos;
  push(reach, token.end);
}

void CommandReader::on_close(const Token& token) {
  if (token.frames == 0) {
    const bool in_case = frame().in_case || (!words().empty() && words().front().value == "case");
    if (in_case) {
      // case x in x)
      drop_words();
      frame().in_case = true;
      frame().reach.dead = false;
      lead_by("esac");
      return;
    }
    finish(token.begin);
    frame().reach.dead = true;
    return;
  }
  for (std::size_t left = token.frames; left > 0 && frames_.size() > 1; --left) {
    Reach& reach = frame().reach;
    if (reach.sign == Sign::kBacktick && token.sign == Sign::kBacktick) {
      const char behind = token.end < text_.size() ? text_[token.end] : ' ';
      const bool whole = reach.begin == 0 && token.end == text_.size();
      // `word` among words is how Markdown and SQL write names; `a`.`b` is no other's.
      reach.apart = reach.apart || is_word_byte(behind);
      reach.dead = reach.dead || text_.substr(token.end).starts_with(".`") ||
                   text_.substr(0, reach.begin).ends_with("`.");
      reach.weak = reach.weak || (!reach.apart && !whole);
      reach.apart = reach.apart || whole;
    }
    if (reach.sign == Sign::kSubstitution && calls_method(text_.substr(token.end))) reach.weak = true;
    if (frame().array.data() != nullptr && !words().empty() && !words().front().open)
      variables_.set(frame().array, words().front().value);
    finish(token.begin);
    const bool group = reach.sign == Sign::kGroup || frame().alternative;
    frames_.pop_back();
    if (frame().in_case || (!words().empty() && words().front().value == "case")) {
      drop_words();
      frame().in_case = true;
      frame().broken = frame().reach.dead = false;
    }
    if (group && words().size() == 1 && begins_loop_body(text_, words().front(), token.end)) {
      drop_words();
      frame().broken = false;
      continue;
    }
    if (group && words().empty()) frame().reach.dead = frame().reach.dead || !frame().in_case;
  }
}

void CommandReader::drop_words() noexcept {
  words_.resize(frame().first_word);
  frame().undecided = false;  // without words there is nothing to decide
  targets_.resize(frame().first_target);
}

void CommandReader::on_separator(const Token& token) {
  if (token.sign == Sign::kTag) {
    drop_words();
    frame().undecided = frame().word_open = false;
    frame().reach.dead = true;
    return;
  }
  // case a in a|b): a pattern goes on behind the sign
  if (token.sign == Sign::kPipe && !words().empty() && words().front().value == "case") {
    drop_words();
    frame().in_case = true;
  }
  const bool in_case = frame().in_case;
  const Reach reach = reach_of(token);
  if (token.sign == Sign::kNewline) {
    // | name | `id` |: no line of a shell begins so (POSIX.1-2017 XCU 2.10.2)
    const std::size_t next = text_.find_first_not_of(" \t", token.end);
    in_row_ = next != text_.npos && text_[next] == '|' && !text_.substr(next).starts_with("||");
  }
  finish(token.begin);
  if (token.sign == Sign::kNewline) {
    ++lines_;
    refused_ = false;
  }
  Frame& now = frame();
  now.reach = reach;
  if (reach.sign == Sign::kPipe) now.reach.pipe = now.feeds ? Pipe::kFed : Pipe::kBehind;
  now.segment = token.end;
  now.in_case = in_case;
  now.reach.dead = reach.dead || token.sign == Sign::kComment || (in_case && token.sign == Sign::kCaseEnd);
}

Reach CommandReader::reach_of(const Token& token) const {
  const Frame& now = frames_.back();
  Reach reach{token.sign, token.begin, false, false, now.alternative, Pipe::kNone};
  const std::string_view before = trim_space(text_.substr(now.segment, token.begin - now.segment));
  const char last = before.empty() ? '\0' : before.back();
  const char behind = token.end < text_.size() ? text_[token.end] : ' ';
  const bool close = token.begin > 0 && !is_space(text_[token.begin - 1]) && !is_space(behind);
  reach.apart = close || token.sign == Sign::kAnd || token.sign == Sign::kOr || last == '\'' || last == '"' ||
                kBlanks.find(before, 0) == before.size();
  // Lines are told from those of a list by nothing but what stands before all of them.
  if (token.sign == Sign::kNewline && first_blank_ < token.begin) reach.apart = first_word_ >= token.begin;
  if (token.sign == Sign::kNewline && opens_block(text_.substr(0, token.begin)) &&
      text_.find('}', token.end) != text_.npos)
    reach.weak = true;
  if (token.sign == Sign::kSemicolon && ends_reference(text_, token.begin)) {
    reach.weak = !is_lone_reference(text_, token.begin);
    reach.apart = false;
  }
  const bool bar = in_row_ && token.sign == Sign::kPipe;
  const std::size_t next = bar ? kBlanks.find_other(text_, token.end) : text_.size();
  const bool cell = next < text_.size() && text_[next] == '`';
  std::size_t name_end = token.end;
  while (token.sign == Sign::kAmpersand && name_end < text_.size() && is_alnum(text_[name_end])) ++name_end;
  const bool reference = token.sign == Sign::kAmpersand && name_end < text_.size() &&
                         is_character_name(text_.substr(token.end, name_end - token.end));
  // No separator, but HTML for a character
  reach.dead = cell || (reference && text_[name_end] == ';');
  if (token.sign == Sign::kAmpersand && close) {
    reach.weak = reach.weak || (reference && !is_space(text_[name_end]));
    // Between the parameters of a URL.
    if (kQueryBytes.find(before, 0) < before.size()) reach.apart = false;
    const bool goes_on = now.reach.sign == Sign::kAmpersand && now.reach.weak;
    const bool begins = before.find("://") != std::string_view::npos;
    reach.of_url = (begins && !reach.weak) || (goes_on && now.reach.of_url);
    reach.queried = goes_on ? now.reach.queried : before.find('?') != std::string_view::npos;
    reach.weak = reach.weak || begins || goes_on;
  }
  if (origin_ != nullptr) {
    reach.begin = origin_->begin;
    reach.apart = reach.apart || origin_->reach.apart;
  }
  return reach;
}

// a;id;b|…: names between signs of one kind, at least two beside this one.
bool CommandReader::in_list(const Reach& reach, std::size_t end) const noexcept {
  const char sign = sign_byte(reach.sign);
  if (sign == '\0' || origin_ != nullptr ||
      !is_list_item(text_.substr(reach.begin + 1, end - reach.begin - 1)))
    return false;
  // ;ls;a;b: no list begins so
  if (sign != '|' && sign != '\n' && trim_space(text_.substr(0, reach.begin)).empty()) return false;
  // | path | node |
  const std::string_view line = text_.substr(0, reach.begin);
  const std::size_t last = line.find_last_not_of(" \t");
  if (sign == '|' && end < text_.size() && text_[end] == '|' &&
      (last == std::string_view::npos || line[last] == '\n') &&
      text_.substr(end + 1, kMaxListBytes).find('|') != std::string_view::npos)
    return true;
  // { id, name } of GraphQL, a line each: the braces end a list, too.
  const auto is_end = [sign](std::string_view other, char brace) {
    other = trim_space(other);
    return sign == '\n' && !other.empty() && (brace == '}' ? other.front() : other.back()) == brace;
  };
  std::size_t names = 0;
  std::size_t at = end;
  for (int i = 0; i < 2 && at < text_.size() && text_[at] == sign; ++i) {
    const std::string_view rest = text_.substr(at + 1, kMaxListBytes + 2);
    const std::size_t size = rest.find(sign);
    if (names > 0 && is_end(rest.substr(0, size), '}')) ++names;
    if (!is_list_item(rest.substr(0, size))) break;
    ++names;
    at += 1 + std::min(size, rest.size());
  }
  at = reach.begin;
  for (int i = 0; i < 2 && at > 0; ++i) {
    const std::size_t from = at > kMaxListBytes + 2 ? at - kMaxListBytes - 2 : 0;
    const std::string_view before = text_.substr(from, at - from);
    const std::size_t begin = before.rfind(sign);
    const std::string_view item = before.substr(begin == std::string_view::npos ? 0 : begin + 1);
    if (names > 0 && is_end(item, '{')) ++names;
    if (!is_list_item(item)) break;
    ++names;
    if (begin == std::string_view::npos) break;
    at = from + begin;
    // | name | id |: a row of a table
    if (i == 0 && sign == '|' && (at == 0 || text_[at - 1] == '\n') && end < text_.size() &&
        text_[end] == '|')
      return true;
  }
  return names >= 2;
}

void CommandReader::finish(std::size_t end) {
  count_steps(80);
  Frame& now = frame();
  now.feeds = false;
  if (!now.reach.dead) {
    if (words().empty()) {
      if (!targets().empty()) judge_targets(end);
    } else if (!judge_braces(words(), end)) {
      now.feeds = judge(words(), end, false);
    }
  }
  drop_words();
  now.word_open = now.undecided = now.split = now.broken = now.named = false;
  now.assigned = {};
  redirect_ = Sign::kNone;
}

void CommandReader::emit(int weight, bool hidden, std::size_t end, bool secret) {
  const Reach& reach = frame().reach;
  if (hidden) weight = std::min(weight + 1, 3);
  if (weight <= 0 || (weight == 1 && reach.weak)) return;
  Certainty certainty = Certainty::kPossible;
  if (weight == 3) {
    // As all of a value, a command line may be what the value is for.
    certainty =
        reach.weak || (reach.sign == Sign::kNone && !secret) ? Certainty::kLikely : Certainty::kCertain;
  } else if (!reach.weak && (weight == 2 || reach.apart)) {
    certainty = Certainty::kLikely;
  }
  ShellEvidence kind = ShellEvidence::kCommand;
  switch (reach.sign) {
    case Sign::kNone:
      kind = ShellEvidence::kCommandLine;
      break;
    case Sign::kNewline:
      kind = ShellEvidence::kNextLine;
      break;
    case Sign::kSubstitution:
    case Sign::kBacktick:
    case Sign::kInput:
    case Sign::kOutput:
      kind = ShellEvidence::kSubstituted;
      break;
    default:
      break;
  }
  if (hidden && kind != ShellEvidence::kNextLine) kind = ShellEvidence::kHidden;
  const std::size_t first = words().empty() ? reach.begin : words().front().begin;
  // A block of code that a document quotes begins behind the line end.
  const std::size_t begin = kind == ShellEvidence::kNextLine ? first : reach.begin;
  const std::size_t from = origin_ != nullptr ? origin_->begin : begin;
  const std::size_t to = origin_ != nullptr ? origin_->end : end;
  out_.add(kind, certainty, from, std::max(from, to),
           trim_space(text_.substr(first, std::max(first, end) - first)));
}

}  // namespace wafd::detect::shell
