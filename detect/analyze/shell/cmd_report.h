// Findings about commands, weighed by what stands around them. Internal to cmd_injection.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "detect/analyze/shell/cmd_findings.h"
#include "detect/analyze/shell/cmd_surroundings.h"
#include "detect/analyze/shell/shell_commands.h"
#include "detect/analyze/shell/shell_lexer.h"

namespace wafd::detect::cmd {

// How much a command says by itself, wherever it stands.
enum class Harm : std::uint8_t {
  kNone,
  kLook,    // looks around the system: whoami; no tool of developers
  kSecret,  // reads a file of secrets, hands over to a shell or connects one to the network
};

Harm harm_of(CommandKind kind, std::string_view name, const ShellCommand& command) noexcept;

// In a line of a tool, in documents and in inline code a command weighs less; unless its harm says otherwise.
class Report {
 public:
  Report(Findings& out, Writing& writing) noexcept : out_(out), surroundings_(out.text, writing) {}

  std::string_view text() const noexcept { return out_.text; }
  Findings& findings() noexcept { return out_; }

  // More line ends than a value has.
  bool many_lines() noexcept { return surroundings_.line_ends() > kFewLines; }

  // Whether a finding at `place` weighs less than by itself.
  bool weighs_less(std::size_t place, Harm harm) noexcept;
  // `rule`, or the one that stands for suspicion in its place.
  Rule weighed(Rule rule, std::size_t place, Harm harm) noexcept;
  void add(Rule rule, std::size_t begin, std::size_t end, std::string reason) {
    out_.add(rule, begin, end, std::move(reason));
  }

 private:
  static constexpr std::size_t kFewLines = 2;

  Findings& out_;
  Surroundings surroundings_;
};

// The name of a command, to be shown: letters alone, lower case, cut.
std::string shown(std::string_view word);

// By the word as a whole: shells named by a variable, options that hold a command, what closes a template.
CommandKind kind_of(const ShellWord& word) noexcept;

// A kind that runs something.
bool is_command(CommandKind kind) noexcept;

}  // namespace wafd::detect::cmd
