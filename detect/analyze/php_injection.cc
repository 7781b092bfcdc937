#include "detect/analyze/php_injection.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "detect/analyze/php_lexer.h"
#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t {
  kOpenTag,
  kShortTag,
  kRequestVariable,
  kRequestName,
  kNested,
  kCall,
  kCallText,
  kStringCall,
  kVariableCall,
  kVariableText,
  kDirective,
  kFileCode,
};

constexpr RuleSpec kRules[] = {
    {"open-tag", "PHP open tag", Risk::kHigh, Sensitivity::kLow},
    {"short-tag", "Short PHP open tag with code", Risk::kHigh, Sensitivity::kBalanced},
    {"request-variable", "PHP reading a request variable", Risk::kHigh, Sensitivity::kLow},
    {"request-name", "Name of a PHP request variable", Risk::kMedium, Sensitivity::kBalanced},
    {"nested", "PHP that decodes and runs", Risk::kHigh, Sensitivity::kLow},
    {"call", "Call of a PHP function", Risk::kHigh, Sensitivity::kBalanced},
    {"call-text", "Text that reads as a PHP call", Risk::kLow, Sensitivity::kStrict},
    {"string-call", "PHP call through a string", Risk::kHigh, Sensitivity::kBalanced},
    {"variable-call", "PHP call through a variable", Risk::kHigh, Sensitivity::kBalanced},
    {"variable-text", "Text that reads as a PHP variable expression", Risk::kLow, Sensitivity::kStrict},
    {"directive", "PHP configuration directive that loads or allows code", Risk::kHigh,
     Sensitivity::kBalanced},
    {"file-code", "PHP code in an uploaded file", Risk::kHigh, Sensitivity::kLow},
};

// They run what they are given: a command or code.
constexpr WordSet kRunners({"system",
                            "exec",
                            "shell_exec",
                            "passthru",
                            "popen",
                            "proc_open",
                            "pcntl_exec",
                            "eval",
                            "assert",
                            "create_function",
                            "call_user_func",
                            "call_user_func_array",
                            "preg_replace",
                            "mb_ereg_replace",
                            "preg_replace_callback",
                            "include",
                            "include_once",
                            "require",
                            "require_once",
                            "array_map",
                            "array_filter",
                            "usort",
                            "uasort",
                            "uksort",
                            "array_walk",
                            "register_shutdown_function",
                            "register_tick_function",
                            "forward_static_call",
                            "forward_static_call_array",
                            "ob_start",
                            "iterator_apply",
                            "set_error_handler",
                            "dl"});
constexpr WordSet kDecoders({"base64_decode", "gzinflate", "gzuncompress", "gzdecode", "str_rot13", "strrev",
                             "hex2bin", "convert_uudecode", "rawurldecode", "urldecode", "chr", "pack",
                             "unserialize", "implode", "file_get_contents", "gzdeflate", "bzdecompress",
                             "base_convert", "stripslashes"});
// Names that other languages and prose do not have.
constexpr WordSet kTelltale({"phpinfo",
                             "phpversion",
                             "shell_exec",
                             "passthru",
                             "popen",
                             "pclose",
                             "fsockopen",
                             "pfsockopen",
                             "fwrite",
                             "fputs",
                             "fopen",
                             "fpassthru",
                             "readfile",
                             "move_uploaded_file",
                             "getenv",
                             "putenv",
                             "getcwd",
                             "scandir",
                             "opendir",
                             "readdir",
                             "unserialize",
                             "gzinflate",
                             "gzuncompress",
                             "gzdecode",
                             "gzdeflate",
                             "strrev",
                             "hex2bin",
                             "escapeshellcmd",
                             "escapeshellarg",
                             "htmlspecialchars",
                             "simplexml_load_string",
                             "getmyuid",
                             "getmypid",
                             "gethostbyname",
                             "checkdnsrr",
                             "dns_get_record",
                             "openlog",
                             "syslog",
                             "parse_str",
                             "extract",
                             "ini_set",
                             "ini_get",
                             "var_dump",
                             "print_r",
                             "strtolower",
                             "gzopen",
                             "bzopen",
                             "uniqid",
                             "is_callable",
                             "function_exists",
                             "realpath",
                             "fileperms",
                             "tempnam",
                             "tmpfile",
                             "array_diff",
                             "symlink",
                             "strip_tags",
                             "substr_replace",
                             "addslashes",
                             "mysql_query",
                             "pg_query",
                             "pg_connect",
                             "pg_exec",
                             "pg_execute",
                             "disk_free_space",
                             "eval_hook",
                             "zend_version",
                             "connection_status",
                             "header_remove"});
// Families of PHP's standard extensions (function reference).
constexpr std::array<std::string_view, 33> kFamilies = {
    "posix_", "pcntl_",     "proc_",  "get_defined_", "get_loaded_", "get_current_", "apache_",
    "curl_",  "mysqli_",    "mysql_", "file_",        "ini_",        "ob_",          "array_",
    "str_",   "preg_",      "mb_",    "base64_",      "openssl_",    "sodium_",      "zend_",
    "tidy_",  "call_user_", "spl_",   "stream_",      "session_",    "ftp_",         "socket_",
    "php_",   "assert_",    "shmop_", "sqlite_",      "function_"};
// Ordinary words too: they count as a whole value only.
constexpr WordSet kOrdinary({"system", "exec",     "eval",    "assert",    "passthru", "include",   "require",
                             "copy",   "touch",    "mail",    "range",     "file",     "pi",        "substr",
                             "intval", "unpack",   "pack",    "checkdate", "header",   "die",       "exit",
                             "glob",   "link",     "rename",  "stat",      "chr",      "ord",       "implode",
                             "unlink", "chmod",    "chown",   "mkdir",     "rmdir",    "serialize", "crypt",
                             "md5",    "is_dir",   "is_file", "readlink",  "dir",      "fread",     "fgets",
                             "fclose", "filesize", "echo",    "define",    "constant", "list"});
constexpr WordSet kRequestVariables({"_get", "_post", "_request", "_cookie", "_server", "_files", "_env",
                                     "_session", "globals", "http_raw_post_data", "http_get_vars",
                                     "http_post_vars", "http_cookie_vars", "http_server_vars",
                                     "http_post_files", "argv"});
constexpr WordSet kDirectives({"allow_url_include",
                               "allow_url_fopen",
                               "auto_prepend_file",
                               "auto_append_file",
                               "disable_functions",
                               "disable_classes",
                               "open_basedir",
                               "safe_mode",
                               "extension",
                               "extension_dir",
                               "zend_extension",
                               "enable_dl",
                               "sendmail_path",
                               "include_path",
                               "unserialize_callback_func",
                               "error_prepend_string",
                               "user_ini.filename",
                               "cgi.force_redirect",
                               "cgi.redirect_status_env",
                               "suhosin.simulation",
                               "memory_limit",
                               "short_open_tag",
                               "opcache.enable_cli",
                               "opcache.preload",
                               "session.save_path",
                               "mbstring.func_overload",
                               "assert.active",
                               "default_charset",
                               "error_log",
                               "log_errors"});
constexpr WordSet kLeadIns({"echo", "print", "return", "and", "or", "xor", "new", "else", "throw", "clone",
                            "do", "try"});

bool php_name(std::string_view name) noexcept {
  if (kTelltale.has(name)) return true;
  for (const std::string_view family : kFamilies) {
    if (name.size() > family.size() + 1 && istarts_with(name, family)) return true;
  }
  return kRunners.has(name) && name.find('_') != std::string_view::npos;
}

class Judge {
 public:
  using Found = std::array<std::optional<Hit>, std::size(kRules)>;

  Judge(std::string_view text, Found& found) : text_(text), found_(found) { read_php(text, tokens_); }

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
          if (is_punct(i + 1, '(') && !tokens_[i + 1].space_before) at_string_call(i, token.text);
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

  void add(std::uint16_t rule, std::size_t first, std::size_t last, std::string reason) {
    if (found_[rule]) return;
    last = std::min(last, tokens_.size() - 1);
    found_[rule] = Hit{rule, tokens_[first].begin, tokens_[last].end, std::move(reason)};
  }

  // An expression may begin at token i: not behind a word of prose, a member access or an operand.
  bool expression_start(std::size_t i) const noexcept {
    if (i == 0) return true;
    const PhpToken& before = tokens_[i - 1];
    if (before.kind == PhpKind::kWord) return kLeadIns.has(before.text);
    if (before.kind != PhpKind::kPunct) return false;
    return before.punct != ')' && before.punct != ']' && before.punct != '>' &&
           !(before.punct == '.' && !string_before(i - 1));
  }
  // '.' joins strings in PHP; behind a word it is another language's member access.
  bool string_before(std::size_t dot) const noexcept {
    return dot > 0 && (tokens_[dot - 1].kind == PhpKind::kString || is_punct(dot - 1, ')') ||
                       tokens_[dot - 1].kind == PhpKind::kVariable);
  }

  bool whole_value() const noexcept {
    return text_.size() < 256 && text_.find('\n') == std::string_view::npos;
  }

  void at_word(std::size_t i) {
    const std::string_view name = tokens_[i].text;
    if (is_punct(i + 1, '=') || (is_punct(i + 1, '.') && is_kind(i + 2, PhpKind::kWord))) at_directive(i);
    if (!is_punct(i + 1, '(')) {
      // include $_GET['x'], include 'http://…'
      if ((iequals(name, "include") || iequals(name, "require") || iequals(name, "include_once") ||
           iequals(name, "require_once")) &&
          is_kind(i + 1, PhpKind::kVariable) && expression_start(i)) {
        add(kCall, i, i + 1, "PHP includes a file that a variable names.");
      }
      return;
    }
    if (!expression_start(i)) return;
    const bool runs = kRunners.has(name);
    if (runs) {
      const std::size_t stop = std::min(tokens_.size(), i + 24);
      for (std::size_t k = i + 2; k < stop && !is_punct(k, ';'); ++k) {
        const PhpToken& token = tokens_[k];
        const bool decodes =
            token.kind == PhpKind::kWord && kDecoders.has(token.text) && is_punct(k + 1, '(');
        const bool reads = token.kind == PhpKind::kVariable && kRequestVariables.has(token.text);
        if (decodes || reads) {
          add(kNested, i, k + 1,
              fmt::format("PHP runs what it {}.",
                          reads ? "is sent in a request" : "decodes from a disguise"));
          break;
        }
      }
    }
    const bool closed =
        std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(i), tokens_.end(),
                    [](const PhpToken& t) { return t.kind == PhpKind::kPunct && t.punct == ')'; });
    if (php_name(name)) {
      const bool counts = closed && (whole_value() || i < 4);
      add(counts ? kCall : kCallText, i, i + 2, fmt::format("A PHP function, {}, is called.", shown(name)));
      return;
    }
    if (!kOrdinary.has(name)) return;
    const bool spaced = tokens_[i + 1].space_before && tokens_[i + 1].begin - tokens_[i].end < 2;
    const bool argument = is_kind(i + 2, PhpKind::kString) || is_kind(i + 2, PhpKind::kVariable) ||
                          is_punct(i + 2, '`') || is_punct(i + 2, '@');
    const bool strong = iequals(name, "system") || iequals(name, "exec") || iequals(name, "assert") ||
                        iequals(name, "eval") || iequals(name, "passthru") || iequals(name, "die") ||
                        iequals(name, "unlink") || iequals(name, "chmod");
    if (strong && argument && closed && whole_value() && (!spaced || i == 0)) {
      add(kCall, i, i + 2, fmt::format("A function that runs commands or code, {}, is called.", shown(name)));
    } else if (i == 0 && whole_value()) {
      add(kCallText, i, i + 1, fmt::format("The value reads as a call of the PHP function {}.", shown(name)));
    }
  }

  void at_variable(std::size_t i) {
    const PhpToken& token = tokens_[i];
    if (kRequestVariables.has(token.text) && token.text != "argv") {
      const bool indexed = is_punct(i + 1, '[') || is_punct(i + 1, '{');
      if (indexed) {
        add(kRequestVariable, i, i + 3, fmt::format("PHP code reads ${}.", shown(token.text)));
      } else if (is_upper(text_[token.begin + 2 < text_.size() ? token.begin + 2 : token.begin])) {
        add(kRequestName, i, i, fmt::format("The text names PHP's ${}.", shown(token.text)));
      }
    }
    // $x['f'](…), $x{0}(…), $x(…)
    std::size_t k = i + 1;
    bool indexed = false;
    for (int depth = 0; depth < 4 && (is_punct(k, '[') || is_punct(k, '{')); ++depth) {
      const char close = is_punct(k, '[') ? ']' : '}';
      std::size_t end = k + 1;
      while (end < tokens_.size() && end - k < 12 && !is_punct(end, close)) ++end;
      if (!is_punct(end, close)) break;
      k = end + 1;
      indexed = true;
    }
    if (is_punct(k, '(') && expression_start(i) && whole_value()) {
      const bool doubled = i > 0 && is_punct(i - 1, '$');
      if (indexed || doubled || assigned_before(i) || ends_statement(k)) {
        add(kVariableCall, i, k, "A function is called whose name a variable holds.");
      } else {
        add(kVariableText, i, k, "The text reads as a call through a variable.");
      }
    }
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

  // 'system'('id')
  void at_string_call(std::size_t i, std::string_view name) {
    if (is_function(name)) add(kStringCall, i, i + 2, fmt::format("PHP calls {} by a string.", shown(name)));
  }

  static bool is_function(std::string_view name) noexcept {
    return php_name(name) || kRunners.has(name) || kOrdinary.has(name) || kDecoders.has(name);
  }

  // (…)(…) and [system][0](…): what stands in the brackets, put together, names a function.
  void at_closed(std::size_t close) {
    std::size_t call = close + 1;
    if (is_punct(call, '{')) {
      while (call < tokens_.size() && call < close + 6 && !is_punct(call, '}')) ++call;
      ++call;
    }
    if (!is_punct(call, '(') || close == 0) return;
    // A call needs an argument or a statement's end behind it, or prose in brackets would do.
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
    // A cast or a comment word may stand before it.
    for (const std::string_view cast : {"string", "int", "array"}) {
      if (istarts_with(name, cast) && is_function(std::string_view(name).substr(cast.size())))
        name.erase(0, cast.size());
    }
    if (!is_function(name)) return;
    if (begin > 0 && tokens_[begin - 1].kind == PhpKind::kWord && !kLeadIns.has(tokens_[begin - 1].text))
      return;
    add(kStringCall, begin, call + 1,
        fmt::format("PHP calls {} through an expression that puts its name together.", shown(name)));
  }

  // ${'x'}, ${@a}(…), $ {…}
  void at_dollar(std::size_t i) {
    if (is_punct(i + 1, '{')) {
      std::size_t end = i + 2;
      while (end < tokens_.size() && end < i + 16 && !is_punct(end, '}')) ++end;
      if (!is_punct(end, '}')) return;
      const bool strings = is_kind(i + 2, PhpKind::kString) || is_punct(i + 2, '@');
      std::size_t k = end + 1;
      const bool indexed = is_punct(k, '[');
      if (indexed) {
        while (k < tokens_.size() && k < end + 8 && !is_punct(k, ']')) ++k;
        ++k;
      }
      if (is_punct(k, '(') && whole_value() && (strings || indexed || is_kind(i + 2, PhpKind::kVariable))) {
        add(kVariableCall, i, k, "A function is called whose name an expression in ${} makes.");
      } else if (strings && tokens_[end].end - tokens_[i].begin > 4) {
        add(kVariableText, i, end, "A PHP variable is named by an expression.");
      }
    }
  }

  void at_directive(std::size_t i) {
    std::size_t last = i;
    std::string_view name = tokens_[i].text;
    if (is_punct(i + 1, '.') && is_kind(i + 2, PhpKind::kWord) && is_punct(i + 3, '=')) {
      last = i + 2;
      name = text_.substr(tokens_[i].begin, tokens_[last].end - tokens_[i].begin);
    }
    if (!kDirectives.has(name) || !is_punct(last + 1, '=')) return;
    const bool unmistakable =
        name.find('_') != std::string_view::npos || name.find('.') != std::string_view::npos;
    const bool opt =
        i >= 2 && is_kind(i - 1, PhpKind::kWord) && tokens_[i - 1].text == "d" && is_punct(i - 2, '-');
    if (opt || (unmistakable && whole_value())) {
      add(kDirective, i, last + 2, fmt::format("The PHP configuration directive {} is set.", shown(name)));
    }
  }

  static std::string shown(std::string_view name) {
    std::string out;
    for (const char c : name.substr(0, 40)) {
      if (is_alnum(c) || c == '_' || c == '.') out.push_back(c);
    }
    return out;
  }

  std::string_view text_;
  Found& found_;
  std::vector<PhpToken> tokens_;
};

class PhpInjectionAnalyzer final : public Analyzer {
 public:
  PhpInjectionAnalyzer() : rules_(make_rules("m_php", AttackType::kCodeInjection, 5000, kRules)) {}

  std::string_view name() const noexcept override { return "php"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  bool reads_binary() const noexcept override { return true; }
  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array<const char*, 4> kHints = {
        R"(<\?|[\[{]\s*/?php|language\s*=\s*['"]?php|([a-z_\x80-\xff][0-9]*|['")}\]/])[\s\x00]*\(|(#|//).*[\r\n][\s\x00]*\()",
        R"(\$[\s\x00]*(/\*.*\*/[\s\x00]*)?\{)",
        R"(\$(_(get|post|request|cookie|server|files|env|session)|globals|http_))",
        R"((allow_url|auto_(pre|ap)pend|disable_|open_basedir|safe_mode|extension|enable_dl|sendmail_path|include|require|unserialize_callback|prepend_string|user_ini|cgi\.|suhosin|memory_limit|open_tag|opcache|session\.|mbstring|assert\.|default_charset|error_log|log_errors))",
    };
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    Judge::Found found;
    read_tags(text, context, found);
    if (context.location != Location::kFile || context.in_name) {
      if (text.size() <= kMaxCodeBytes) Judge(text, found).run();
    }
    for (std::optional<Hit>& hit : found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  // Injected expressions are short; longer texts are judged by their tags.
  static constexpr std::size_t kMaxCodeBytes = 65536;

  static void read_tags(std::string_view text, const FieldContext& context, Judge::Found& found) {
    const bool file = context.location == Location::kFile && !context.in_name;
    const auto add = [&](std::uint16_t rule, std::size_t begin, std::size_t end, const char* reason) {
      if (file) {
        if (rule != kOpenTag) return;
        rule = kFileCode;
      }
      if (!found[rule])
        found[rule] = Hit{rule, static_cast<std::uint32_t>(begin),
                          static_cast<std::uint32_t>(std::min(end, text.size())), reason};
    };
    for (std::size_t at = text.find("<?"); at != std::string_view::npos; at = text.find("<?", at + 2)) {
      std::string_view rest = text.substr(at + 2);
      const bool spaced = !rest.empty() && is_space(rest[0]);
      const std::size_t first = rest.find_first_not_of(" \t\r\n");
      if (first == std::string_view::npos) continue;
      const std::string_view code = rest.substr(first, 256);
      if (istarts_with(code, "php") && (code.size() == 3 || !is_alnum(code[3]))) {
        add(kOpenTag, at, at + 64, "A PHP open tag: what follows would run on the server.");
        break;
      }
      if (rest.starts_with('=') && rest.size() > 2 &&
          (is_space(rest[1]) || std::string_view("$@'\"`(").find(rest[1]) != std::string_view::npos ||
           is_alpha(rest[1]))) {
        add(kShortTag, at, at + 64, "A short PHP open tag prints the value of an expression.");
      }
      if (spaced && (code[0] == '$' || code[0] == '@' || call_or_echo(code))) {
        add(kShortTag, at, at + 64, "A short PHP open tag with code behind it.");
      }
      if (istarts_with(rest, "xml:")) add(kShortTag, at, at + 64, "A tag that an odd PHP reads as code.");
    }
    for (const std::string_view tag : {"{php}", "[php]", "[/php]", "<script language=\"php\"",
                                       "<script language='php'", "<script language=php"}) {
      const std::size_t at = ifind(text, tag);
      if (at != std::string_view::npos && !file)
        add(kShortTag, at, at + tag.size(), "A tag that template engines and old PHP read as code.");
    }
  }

  static bool call_or_echo(std::string_view code) noexcept {
    if (istarts_with(code, "echo") || istarts_with(code, "print") || istarts_with(code, "eval") ||
        istarts_with(code, "include"))
      return true;
    std::size_t at = 0;
    while (at < code.size() && (is_alnum(code[at]) || code[at] == '_')) ++at;
    return at > 1 && at < code.size() && code[at] == '(';
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_php_injection_analyzer() { return std::make_unique<PhpInjectionAnalyzer>(); }

}  // namespace wafd::detect
