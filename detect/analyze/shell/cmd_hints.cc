#include "detect/analyze/shell/cmd_hints.h"

#include <algorithm>
#include <utility>

#include "detect/analyze/shell/shell_commands.h"
#include "detect/core/octets.h"

namespace wafd::detect::cmd {
namespace {

// What stands in a text for its own: nothing of it is a command's name.
constexpr const char* kHints[] = {
    // A word that begins the text or stands behind an operator, with something inside that a shell removes.
    R"((^|[;|&`(\r\n])[ \t@{(!]*(['"]+[ \t]+)?[a-z0-9_/.*?-]*([\\^`]|\$|[<>]\(\))['"\\^`$@*!<>(){a-z0-9_/.-]*[a-z0-9])",
    // Quotes: inside of the word, or around its beginning.
    R"((^|[;|&`(\r\n])[ \t@{(!]*([a-z0-9_/.*?-]+['"]|['"]+[a-z0-9_/.-]+['"\\^`$])['"\\^`$@*!<>(){a-z0-9_/.-]*[a-z0-9])",
    R"((^|[;|&`(\r\n{])[ \t]*\$[a-z_]+[ \t])",
    R"((^|[;|&`(\r\n{])[ \t]*\$[$@*!?#])",
    R"([;|&`(][ \t]*['"]+\$[a-z_])",
    R"(\$'[^'\s]*\\|[<>]\(\)[a-z0-9_/]|[{,]\.[,}])",
    R"(^[ \t\r\n"']*[;|&])",
    R"(\$\(\(|\$\[|\$\{?ifs|\$\{[a-z0-9_]+:[0-9])",
    R"([<>][^\s]*/(tcp|udp)/)",
    R"(\(\)\s*\{)",
    R"(downloadstring|downloadfile|downloaddata|frombase64string|%comspec%)",
    R"((^|[\s'"=;|&`(])/?(usr/|opt/)?(local/|xpg4/)?s?bin/[a-z0-9_.+\[-])",
    R"(/(system/x?bin|usr/libexec|snap/bin|opt/homebrew/bin)/|(system32|syswow64)[/\\])",
    R"(for[ \t][^\r\n]*%[^\s]+[ \t]+in[ \t]+\()",
    R"(if[ \t]+(/i[ \t]+)?(not[ \t]+)?(exist|defined|errorlevel|cmdextversion)[ \t])",
    R"(if[ \t][^\r\n]*(==|[ \t](equ|neq|lss|leq|gtr|geq)[ \t]))",
    // . FILE; . shell
    R"((^|[;|&`(\r\n{'"@^!<>\\ \t])\.([^a-z0-9_.,:/+~-]|$))",
    // A list in braces whose command is disguised: {,i\d}
    R"(\{,[^}\s:;({]*['"\\])",
    // Patterns that name a command or a file: /???/c?t
    R"((^|[\s;|&`'"(=]|\$[$@*!?#0-9])/([bsuetohldrvm?*\[\\'"][a-z0-9?*\[\]!^/'"\\-]*[?*\[]|[?*][a-z0-9]+/))",
    // Clients and mail protocols
    R"((^|[;\r\n])[\s'"]*(\.[ \t]*(shell|system|import|load|once|excel|output|log|trace|sh|open|read|dump|restore|save|backup|clone|archive|ar|cd)\s|\\!|:!))",
    R"([\r\n][ \t]*(mail[ \t]+from:|rcpt[ \t]+to:|[a-z0-9][0-9]+[ \t]+[a-z]))",
    R"([\r\n][ \t]*(rset|noop|quit|starttls|uidl|capa|stls|data)[ \t]*([\r\n]|$))",
    R"([\r\n][ \t]*(retr|dele|top|list|uidl)[ \t]+[0-9])",
    R"([\r\n][ \t]*(helo|ehlo|vrfy|expn|auth|user|pass|apop|bdat|etrn)[ \t])",
    R"(^[ \t]*(~[+\-0-9]|!!|!-[0-9]))",
    R"((^|\r)[ \t]*[0-9&]?>)",
    // Options, PowerShell's call operator, what it calls
    R"(^['" ]?--?[a-z])",
    R"(://-)",
    R"([&.][ \t]?\([ \t]*['"])",
    // A file put in the place of a substitution
    R"((\$\(|`)[ \t]*<)",
    R"((^|[;|&`(\r\n'"])[ \t]*\$\{?0)",
};

std::string joined(const std::vector<std::string_view>& words) {
  std::string out;
  for (const std::string_view word : words) {
    if (!out.empty()) out += '|';
    out += word;
  }
  return out;
}

void add_expression(Hints& out, std::string text) {
  out.expressions.push_back(out.texts.emplace_back(std::move(text)).c_str());
}

}  // namespace

Hints make_hints() {
  Hints out;
  for (const char* hint : kHints) out.expressions.push_back(hint);
  for (const std::string_view name : command_names()) {
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '_'; });
    if (!plain) {  // apt-get, g++: literals
      if (name.size() < 2) continue;
      std::string text;
      for (const char c : name) {
        if (!is_alnum(c)) text += '\\';
        text += c;
      }
      add_expression(out, std::move(text));
    } else {
      // A word of everyday language that is all of the text is none (cmd_scan.cc).
      (is_ordinary_word(name) ? out.amid_words : out.words).push_back(name);
    }
  }
  add_expression(out, "(" + joined(cmdlet_verbs()) + ")-(" + joined(cmdlet_nouns()) + ")");
  return out;
}

}  // namespace wafd::detect::cmd
