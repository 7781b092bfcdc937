#include "detect/analyze/shell/cmd_injection.h"

#include <utility>

#include "detect/analyze/shell/cmd_findings.h"
#include "detect/analyze/shell/cmd_hints.h"
#include "detect/analyze/shell/cmd_judge.h"
#include "detect/analyze/shell/cmd_options.h"
#include "detect/analyze/shell/cmd_powershell.h"
#include "detect/analyze/shell/cmd_scan.h"
#include "detect/analyze/shell/mail_commands.h"
#include "detect/analyze/shell/shell_tricks.h"
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
    {"option", "Option by which a tool runs a program", Risk::kHigh, Sensitivity::kBalanced},
};
static_assert(std::size(kSpecs) == cmd::kRules);

// How /proc, auditd, Sysmon and the Elastic Common Schema name what a process was started with.
// A path first, and no operator by which a second command could follow.
bool reports_process(std::string_view text, const FieldContext& context) noexcept {
  if (context.location != Location::kBody || context.in_name || !text.starts_with('/')) return false;
  if (text.find_first_of(";|&`$<>\r\n") != std::string_view::npos) return false;
  return iequals(context.name, "cmdline") || iequals(context.name, "command_line");
}

class CmdInjectionAnalyzer final : public Analyzer {
 public:
  CmdInjectionAnalyzer()
      : rules_(make_rules("m_cmd", AttackType::kCmdInjection, 3000, kSpecs)), hints_(cmd::make_hints()) {}

  std::string_view name() const noexcept override { return "cmd"; }
  Trick reads_trick() const noexcept override { return Trick::kShell; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override { return hints_.expressions; }
  CommandWords hint_command_words() const noexcept override { return {hints_.words, hints_.amid_words}; }
  // What a file holds is data; uploaded scripts have an analyser of their own.
  std::uint32_t reads_places() const noexcept override {
    return kEveryPlace & ~place_bit(Location::kFile, false);
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (text.size() < 2) return;
    if (context.location == Location::kFile && !context.in_name) return;
    CmdSigns signs(context.memory);
    scan_for_commands(text, signs);
    if (signs.places.empty() && signs.tricks == 0) return;
    cmd::Findings found{text,
                        context.memory,
                        context.in_name,
                        context.location == Location::kHeader,
                        context.location == Location::kUrlPath,
                        reports_process(text, context),
                        context.location == Location::kBody || context.decode_path.ends_with("json"),
                        {}};
    Writing writing(text, context);
    cmd::Report report(found, writing);
    if (!signs.places.empty()) cmd::judge_commands(report, signs);
    cmd::read_tricks(report, signs.tricks);
    if ((signs.tricks & kTrickPowerShell) != 0) cmd::read_powershell(found);
    if ((signs.tricks & kTrickCall) != 0) cmd::read_call_operator(found);
    if ((signs.tricks & kTrickOption) != 0) cmd::read_options(found);
    if ((signs.tricks & kTrickMail) != 0) cmd::read_mail_commands(found);
    for (std::optional<Hit>& hit : found.hits) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  std::vector<Rule> rules_;
  cmd::Hints hints_;
};

}  // namespace

std::unique_ptr<Analyzer> make_cmd_injection_analyzer() { return std::make_unique<CmdInjectionAnalyzer>(); }

}  // namespace wafd::detect
