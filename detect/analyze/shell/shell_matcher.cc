#include "detect/analyze/shell/shell_matcher.h"

#include <array>
#include <string>

#include "detect/analyze/shell/command_reader.h"
#include "detect/analyze/shell/command_table.h"
#include "detect/analyze/shell/evidence_kinds.h"
#include "detect/analyze/shell/mail_commands.h"
#include "detect/analyze/shell/mail_commands.tsv.h"
#include "detect/analyze/shell/nouns.tsv.h"
#include "detect/analyze/shell/option_reader.h"
#include "detect/analyze/shell/shell_forms.h"
#include "detect/analyze/shell/verbs.tsv.h"
#include "detect/analyze/shell/windows_words.h"
#include "detect/core/byte_finder.h"

namespace wafd::detect {
namespace {

using namespace shell;

// By ShellEvidence.
constexpr std::array<std::string_view, 22> kNames{
    "command",      "substituted",     "next_line",  "command_line", "hidden",   "split_word",
    "network",      "function_import", "function",   "alias",        "redirect", "expansion",
    "program_path", "client_command",  "powershell", "batch",        "option",   "mail_command",
    "mail_word",    "command_name",    "code_span",  "inner_option"};
static_assert(kNames.size() == static_cast<std::size_t>(ShellEvidence::kInnerOption) + 1);

constexpr std::string_view kSigns = ";|&\n\r`$(<>";

// Get-
detect::Sign verbs_of_cmdlets() {
  detect::Sign sign{detect::SignKind::kLiterals, {}};
  for (const auto& row : kVerbs.rows()) sign.parts.push_back(std::string(row.text) + '-');
  return sign;
}

class ShellMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "cmd"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }

  // A file's content is data; uploaded scripts have a matcher of their own.
  std::uint32_t reads_places() const noexcept override {
    return kEveryPlace & ~place_bit(Location::kFile, false);
  }

  bool reads_kept_plus() const noexcept override { return false; }
  Needs needs() const override {
    const detect::Sign signs = any_byte(kSigns);
    const auto named = [](const CommandRow& row) { return row.text.size() > 1 || is_alpha(row.text[0]); };
    Needs needs{
        {any_word(commands(),
                  [=](const CommandRow& row) { return named(row) && row.usage == Usage::kTerm; })},
        // A name that is another word too says something behind a sign or with arguments.
        {any_word(commands(), [=](const CommandRow& row) { return named(row) && row.usage != Usage::kTerm; }),
         any_byte(";|&\n\r`$(<> \t\v\f")},
        {any_literal({"ld-"})},
        // Words that quotes, expansions and patterns hide
        {any_byte("'\"\\$`^?*[{%")},
        {any_literal({"<(", ">("})},
        // Programs that no table knows
        {signs, any_literal({"./", "/tmp/", "/dev/shm/", "/var/tmp/", " --"})},
        {any_literal({"bin/", "/libexec/", "/busybox/", "system32", "syswow64"})},
        {verbs_of_cmdlets(), any_word(kNouns)},
        {any_literal({". /", ".\t/", " ./", "\t./"})},
        // Redirections without a command
        {any_byte("<>"), any_byte("/.")},
        {any_literal({"()"}), any_byte("{")},
        {any_literal({"()(", "() (", "()\n(", "()\t("}), any_byte(";&\n")},
        {any_byte("<>"), any_literal({"/tcp/", "/udp/"})},
        {any_first("!~")},
        {any_literal({".shell ", ".system ", ".sh ", ".shell\t", ".system\t", ".sh\t", ":!"})},
        {any_word({"if"}), any_word({"exist", "defined", "errorlevel", "cmdextversion", "equ", "neq", "lss",
                                     "leq", "gtr", "geq"})},
        {any_word({"if"}), any_literal({"=="})},
        {any_byte("("), any_word({"downloadstring", "downloadfile", "downloaddata", "downloadstringasync",
                                  "downloadfileasync", "frombase64string", "invokescript", "invoke"})},
        {any_byte("("), any_literal({"]::"})},
        {any_literal({"ext::"})},
        {any_byte("\r\n"), any_word(kMailCommands)},
        {any_byte("\r\n"), any_word({"mail", "rcpt", "data"})},
    };
    for (Need& need : needs_of_options()) needs.push_back(std::move(need));
    return needs;
  }

  std::uint32_t units_a_token() const noexcept override { return 6; }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    if (text.size() < 2) return;
    const bool whole =
        context.uncut.empty() && (context.whole.empty() || context.whole.size() == text.size());
    const bool begins = !context.front_cut &&
                        (whole || context.whole.empty() || context.whole.data() == text.data()) &&
                        context.location != Location::kUrlPath;
    const bool has_lines = context.location == Location::kBody || context.location == Location::kFile;
    CommandReader reader(text, has_lines, context.memory, out);
    reader.read(0, begins);
    if (context.location == Location::kUrlPath && whole) read_segment(text, context, out);
    for (const char quote : {'\'', '"'}) {
      const std::size_t at = text.find(quote);
      if (at != std::string_view::npos) reader.read(at + 1, false);
    }
    read_functions(text, out);
    read_torn_words(text, out);
    read_network(text, out);
    read_powershell(text, out);
    read_mail_commands(text, out);
    if (begins) read_options(text, out);
    if (begins && whole) read_whole(text, out);
  }

 private:
  static void read_segment(std::string_view text, const FieldContext& context, EvidenceList& out);
};

// No file is called so: an option of letters, a path from the root, a URL, an expansion. photo -1.jpg is one.
bool is_line_of_shell(std::string_view segment) noexcept {
  if (segment.find('$') != segment.npos || segment.find("://") != segment.npos) return true;
  for (std::size_t at = 1; at + 1 < segment.size(); ++at) {
    if (segment[at + 1] == '/' && (segment[at] == ' ' || segment[at] == '<')) return true;
  }
  const std::size_t option = segment.find(" -");
  if (option == segment.npos || option + 2 >= segment.size() || !is_alpha(segment[option + 2])) return false;
  const std::size_t dot = segment.rfind('.');
  const bool file = dot != segment.npos && segment.size() - dot <= 5 && dot + 1 < segment.size() &&
                    is_alpha(segment[dot + 1]);
  return !file;
}

// Reads a path segment that a router passes to the application as a parameter. A single name is a page; a
// slash inside of a word that is neither an absolute path nor a URL ends the name of a folder.
void ShellMatcher::read_segment(std::string_view text, const FieldContext& context, EvidenceList& out) {
  if (text[0] != '/' || text.find_first_of(" $<") == std::string_view::npos) return;
  static constexpr ByteFinder kBreaks(" <>;|&}\"'`");
  std::size_t word = 1;
  bool relative = true;
  std::size_t end = 1;
  for (; end < text.size(); ++end) {
    if (kBreaks.has(text[end])) {
      word = end + 1;
      relative = true;
    } else if (text[end] == '/' && relative) {
      if (end > word && text[end - 1] != ':') break;
      relative = false;
    }
  }
  const std::string_view segment = text.substr(0, end);
  if (is_line_of_shell(segment)) CommandReader(segment, false, context.memory, out).read(1, true);
}

}  // namespace

std::unique_ptr<Matcher> make_shell_matcher() { return std::make_unique<ShellMatcher>(); }

}  // namespace wafd::detect
