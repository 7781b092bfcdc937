#include "detect/analyze/cmd_injection.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "detect/analyze/cmd_findings.h"
#include "detect/analyze/cmd_judge.h"
#include "detect/analyze/cmd_scan.h"
#include "detect/analyze/mail_commands.h"
#include "detect/analyze/shell_commands.h"
#include "detect/analyze/shell_lexer.h"
#include "detect/analyze/shell_tricks.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr RuleSpec kSpecs[] = {
    {"injected-sure", "Command with telling arguments behind a separator", Risk::kHigh, Sensitivity::kLow},
    {"injected", "Command behind a separator", Risk::kHigh, Sensitivity::kBalanced},
    {"injected-weak", "Word that is a command behind a separator", Risk::kMedium, Sensitivity::kStrict},
    {"command-line", "Value that is a command line", Risk::kHigh, Sensitivity::kBalanced},
    {"command-word", "Value that may be a command line", Risk::kLow, Sensitivity::kStrict},
    {"network-redirect", "Shell connected to the network", Risk::kHigh, Sensitivity::kLow},
    {"function-import", "Function definition for a shell's environment", Risk::kHigh, Sensitivity::kLow},
    {"disguised", "Command hidden by shell syntax", Risk::kHigh, Sensitivity::kBalanced},
    {"script-redirect", "Command output written to a script", Risk::kHigh, Sensitivity::kBalanced},
    {"powershell", "PowerShell or cmd.exe made to run code", Risk::kHigh, Sensitivity::kBalanced},
    {"batch", "Batch statement that runs a command", Risk::kHigh, Sensitivity::kBalanced},
    {"function", "Shell function that is defined and called", Risk::kHigh, Sensitivity::kBalanced},
    {"alias", "Command under another name", Risk::kHigh, Sensitivity::kBalanced},
    {"expansion", "Value that a shell would expand", Risk::kLow, Sensitivity::kStrict},
    {"mail-command", "Command of a mail protocol behind a line end", Risk::kHigh, Sensitivity::kBalanced},
    {"mail-word", "Line that may be a command of a mail protocol", Risk::kLow, Sensitivity::kStrict},
    {"client-command", "Shell escape of an interactive client", Risk::kHigh, Sensitivity::kBalanced},
    {"redirect", "Redirection to a file of the system", Risk::kHigh, Sensitivity::kBalanced},
    {"program-path", "Path of a program", Risk::kHigh, Sensitivity::kBalanced},
};
static_assert(std::size(kSpecs) == cmd::kRules);

// What stands in a text for its own: nothing of it is a command's name.
constexpr const char* kHints[] = {
    // A word that begins the text or stands behind an operator, with something inside that a shell removes.
    R"((^|[;|&`(\r\n])[ \t@{(!]*[a-z0-9_/.-]*(['"\\^`]|\$|[<>]\(\))['"\\^`$@*!<>(){a-z0-9_]*[a-z0-9])",
    R"((^|[;|&`(\r\n{])[ \t]*\$[a-z_]+[ \t])",
    R"(^[ \t]*[;|&])",
    R"(\$\(\(|\$\[|\$\{?ifs|\$\{[a-z0-9_]+:[0-9])",
    R"([<>][^\s]*/(tcp|udp)/)",
    R"(\(\)\s*\{)",
    R"(downloadstring|downloadfile|downloaddata|frombase64string|%comspec%)",
    R"((^|[\s'"=;|&`(])/?(usr/|opt/)?(local/|xpg4/)?s?bin/[a-z0-9])",
    R"(/(system/x?bin|usr/libexec|snap/bin|opt/homebrew/bin)/|(system32|syswow64)[/\\])",
    R"(for[ \t][^\r\n]*%[^\s]+[ \t]+in[ \t]+\()",
    R"(if[ \t]+(/i[ \t]+)?(not[ \t]+)?(exist|defined|errorlevel|cmdextversion)[ \t])",
    R"(if[ \t][^\r\n]*(==|[ \t](equ|neq|lss|leq|gtr|geq)[ \t]))",
    // Patterns that name a command or a file: /???/c?t
    R"((^|[\s;|&`'"(=])/[bsuetohldrvm?*\[][a-z0-9?*\[\]!^/'"\\-]*[?*\[])",
    // Clients and mail protocols
    R"((^|[;\r\n])[\s'"]*(\.[ \t]*(shell|system|import|load|once|excel|output|log|trace|sh|open|read|dump|restore|save|backup|clone|archive|ar|cd)[ \t]|\\!|:!))",
    R"([\r\n][ \t]*(mail[ \t]+from:|rcpt[ \t]+to:|[a-z0-9][0-9]+[ \t]+[a-z]))",
    R"([\r\n][ \t]*(rset|noop|quit|starttls|uidl|capa|stls)[ \t]*([\r\n]|$))",
    R"([\r\n][ \t]*(retr|dele|top|list|uidl)[ \t]+[0-9])",
    R"([\r\n][ \t]*(helo|ehlo|vrfy|expn|auth|user|pass|apop|bdat|etrn)[ \t])",
    R"(^[ \t]*(~[+\-0-9]|!!|!-[0-9]))",
    R"(^[ \t]*[0-9&]?>)",
};

std::string joined(const std::vector<std::string_view>& words) {
  std::string out;
  for (const std::string_view word : words) {
    if (!out.empty()) out += '|';
    out += word;
  }
  return out;
}

class CmdInjectionAnalyzer final : public Analyzer {
 public:
  CmdInjectionAnalyzer() : rules_(make_rules("m_cmd", AttackType::kCmdInjection, 3000, kSpecs)) {
    for (const char* hint : kHints) hints_.push_back(hint);
    std::string odd_names;
    for (const std::string_view name : command_names()) {
      if (std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '_'; })) {
        words_.push_back(name);
      } else if (name.size() > 1) {  // apt-get, g++: literals
        std::string& text = odd_names_.emplace_back();
        for (const char c : name) {
          if (!is_alnum(c)) text += '\\';
          text += c;
        }
      }
    }
    odd_names_.push_back("(" + joined(cmdlet_verbs()) + ")-(" + joined(cmdlet_nouns()) + ")");
    for (const std::string& text : odd_names_) hints_.push_back(text.c_str());
  }

  std::string_view name() const noexcept override { return "cmd"; }
  Trick reads_trick() const noexcept override { return Trick::kShell; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override { return hints_; }
  std::span<const std::string_view> hint_words() const noexcept override { return words_; }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (text.size() < 2) return;
    // What a file holds is data; uploaded scripts have an analyser of their own.
    if (context.location == Location::kFile && !context.in_name) return;
    CmdSigns signs(context.memory);
    scan_for_commands(text, signs);
    if (signs.places.empty() && signs.tricks == 0) return;
    cmd::Findings found{text,
                        context.memory,
                        context.in_name,
                        context.location == Location::kHeader,
                        context.location == Location::kUrlPath,
                        {}};
    if (!signs.places.empty()) cmd::judge_commands(found, signs);
    cmd::read_tricks(found, signs.tricks);
    if ((signs.tricks & kTrickPowerShell) != 0) cmd::read_powershell(found);
    if ((signs.tricks & kTrickMail) != 0) cmd::read_mail_commands(found);
    for (std::optional<Hit>& hit : found.hits) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  std::vector<Rule> rules_;
  std::vector<std::string> odd_names_;
  std::vector<const char*> hints_;
  std::vector<std::string_view> words_;
};

}  // namespace

std::unique_ptr<Analyzer> make_cmd_injection_analyzer() { return std::make_unique<CmdInjectionAnalyzer>(); }

}  // namespace wafd::detect
