#include "detect/analyze/shell/batch_reader.h"

#include "detect/analyze/shell/shell_commands.h"
#include "detect/core/octets.h"

namespace wafd::detect::cmd {
namespace {

constexpr std::size_t kMaxWords = 10;
constexpr std::size_t kMaxWordBytes = 256;

struct Words {
  std::string_view items[kMaxWords];
  std::size_t size = 0;

  std::string_view operator[](std::size_t i) const noexcept {
    return i < size ? items[i] : std::string_view();
  }
};

// Words of text[at..), quotes kept.
Words words_from(std::string_view text, std::size_t at) noexcept {
  Words out;
  while (out.size < kMaxWords) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    const std::size_t begin = at;
    while (at < text.size() && !is_space(text[at]) && at - begin < kMaxWordBytes) ++at;
    if (at == begin) break;
    out.items[out.size++] = text.substr(begin, at - begin);
    if (at - begin == kMaxWordBytes) break;
  }
  return out;
}

bool compares(std::string_view word) noexcept {
  for (const std::string_view sign : {"==", "===", "equ", "neq", "lss", "leq", "gtr", "geq"}) {
    if (iequals(word, sign)) return true;
  }
  return false;
}

bool variable_or_quoted(std::string_view word) noexcept {
  return word.find_first_of("%\"!") != std::string_view::npos;
}

// A line of a longer script that somebody shows is no statement put into a value.
Rule rule_at(Report& out, std::size_t at) noexcept {
  return out.weighs_less(at, Harm::kNone) ? kInjectedWeak : kBatch;
}

void read_for(Report& out, std::size_t at) {
  const Words words = words_from(out.text(), at + 3);
  for (std::size_t i = 0; i + 2 < words.size; ++i) {
    if (words[i].size() < 2 || words[i].size() > 24 || words[i][0] != '%') continue;
    if (iequals(words[i + 1], "in") && words[i + 2].starts_with('(')) {
      out.add(rule_at(out, at), at, out.text().size(),
              "A batch loop, for %variable in (set) do, runs a command.");
      return;
    }
  }
}

void read_if(Report& out, std::size_t at) {
  const Words words = words_from(out.text(), at + 2);
  std::size_t i = 0;
  bool sure = false;
  if (iequals(words[i], "/i")) {
    sure = true;
    ++i;
  }
  if (iequals(words[i], "not")) ++i;
  if (i >= words.size) return;
  std::size_t behind = 0;
  if (iequals(words[i], "exist") || iequals(words[i], "defined") || iequals(words[i], "errorlevel") ||
      iequals(words[i], "cmdextversion")) {
    behind = i + 2;
  } else if (words[i].find("==") != std::string_view::npos) {
    sure = sure || variable_or_quoted(words[i]);
    behind = i + 1;
  } else if (compares(words[i + 1])) {
    sure = sure || variable_or_quoted(words[i]);
    behind = i + 3;
  } else if (words[i].starts_with('(') && compares(words[i + 1])) {
    sure = true;
    behind = i + 3;
  }
  if (behind == 0 || behind >= words.size) return;
  std::string_view command = words[behind];
  while (command.starts_with('@') || command.starts_with('(')) command.remove_prefix(1);
  while (command.ends_with(')')) command.remove_suffix(1);
  const bool runs = command_kind(command) != CommandKind::kUnknown || words[behind].starts_with('(') ||
                    iequals(command, "goto") || iequals(command, "exit");
  if (runs || sure)
    out.add(rule_at(out, at), at, out.text().size(), "A batch condition, if … command, runs a command.");
}

}  // namespace

void read_batch_statement(Report& out, std::size_t at) {
  const std::string_view rest = out.text().substr(at);
  const std::size_t word = istarts_with(rest, "for") ? 3 : 2;
  if (rest.size() <= word || (rest[word] != ' ' && rest[word] != '\t')) return;
  if (word == 3) {
    read_for(out, at);
  } else {
    read_if(out, at);
  }
}

}  // namespace wafd::detect::cmd
