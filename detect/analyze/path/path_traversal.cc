#include "detect/analyze/path/path_traversal.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "detect/analyze/path/path_hints.h"
#include "detect/analyze/path/path_reader.h"
#include "detect/analyze/shell/shell_shape.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"
#include "detect/decode/decode_flags.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t {
  kToSensitive,
  kEscape,
  kDisguised,
  kClimb,
  kSensitive,
  kSensitiveName,
  kNulSuffix,
  kPrivate,
  kStream,
};

constexpr RuleSpec kRules[] = {
    {"to-sensitive", "Climbs to a file of the system", Risk::kHigh, Sensitivity::kLow},
    {"escape", "Climbs out of its folder", Risk::kHigh, Sensitivity::kBalanced},
    {"disguised", "Climbs by dot segments in disguise", Risk::kHigh, Sensitivity::kBalanced},
    {"climb", "Holds a parent folder", Risk::kLow, Sensitivity::kStrict},
    {"sensitive", "Names a file of the system", Risk::kHigh, Sensitivity::kBalanced},
    {"sensitive-name", "Mentions a file that holds secrets", Risk::kLow, Sensitivity::kStrict},
    {"nul-suffix", "NUL that cuts off a file extension", Risk::kHigh, Sensitivity::kBalanced},
    {"private", "Private folder of a Java application", Risk::kHigh, Sensitivity::kBalanced},
    {"stream", "Data stream of a file, by which Windows shows its source", Risk::kHigh,
     Sensitivity::kBalanced},
};

// Octets that paths in text do not hold; they end a path inside of longer text.
constexpr std::array<bool, 256> kEndsPath = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view(" \t\n\r\"'`<>|,(){}")) table[octet(c)] = true;
  return table;
}();

bool ends_path(char c) noexcept { return kEndsPath[octet(c)]; }

class PathTraversalAnalyzer final : public Analyzer {
 public:
  PathTraversalAnalyzer()
      : rules_(make_rules("m_path", AttackType::kPathTraversal, 4000, kRules)), hints_(make_path_hints()) {}

  std::string_view name() const noexcept override { return "path"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override { return hints_.expressions; }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (context.location == Location::kFile && !context.in_name) return;
    std::array<std::optional<Hit>, std::size(kRules)> found;
    const auto add = [&](std::uint16_t rule, std::size_t begin, std::size_t end, const char* reason) {
      if (found[rule]) return;
      found[rule] = Hit{rule, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), reason};
    };
    std::optional<bool> has_words;
    const auto prose = [&] { return has_words ? *has_words : *(has_words = has_prose(text)); };
    // Each run without white space and quotes is a path by itself; the whole value counts more than a part of
    // it.
    std::size_t looked = 0;
    for (std::size_t at = 0; at < text.size();) {
      while (at < text.size() && ends_path(text[at])) ++at;
      const std::size_t begin = at;
      while (at < text.size() && !ends_path(text[at])) ++at;
      if (at - begin < 3) continue;
      const std::string_view run = text.substr(begin, at - begin);
      if (!worth(run)) continue;
      if (++looked > kMaxRuns) break;
      const bool whole = trim(text.substr(0, begin)).empty() && trim(text.substr(at)).empty();
      // logfile=/var/log/a.log, a line of settings
      const bool setting = context.location == Location::kBody && !context.name.empty() && begin > 0 &&
                           text[begin - 1] == '\n';
      judge(run, begin, whole, setting, is_argument(text, begin, at), context, prose, add);
    }
    for (std::optional<Hit>& hit : found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  static constexpr std::size_t kMaxRuns = 4096;
  static constexpr std::size_t kMaxImportUps = 3;       // levels up in the import of a part of a page
  static constexpr std::size_t kMaxExtensionBytes = 8;  // with its dot
  static constexpr std::size_t kMaxCallBytes = 160;     // of a value that is a call and its argument

  // Cheap: two dots with no word between them, a NUL, or a segment of a known file.
  static bool worth(std::string_view run) noexcept {
    std::size_t dots = 0;
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (run[i] == '\0') return true;
      if (run[i] == '.' || (run[i] == '%' && istarts_with(run.substr(i, 3), "%2e"))) {
        if (++dots == 2) return true;
        if (run[i] == '%') i += 2;
      } else if (is_alnum(run[i])) {
        dots = 0;
      }
    }
    return names_stream(run) || may_be_sensitive(run);
  }

  // page.asp::$DATA, folder::$INDEX_ALLOCATION; x::$data is a class member of PHP.
  static bool names_stream(std::string_view run) noexcept {
    if (run.find(":$") == std::string_view::npos) return false;
    const std::size_t folder = ifind(run, ":$index_allocation");
    if (folder != std::string_view::npos) return folder > 0;
    const std::size_t mark = ifind(run, "::$data");
    if (mark == std::string_view::npos) return false;
    const std::string_view file = run.substr(0, mark);
    const std::string_view behind = run.substr(mark + 7);
    const std::size_t dot = file.rfind('.');
    return dot != std::string_view::npos && dot + 1 < file.size() &&
           file.size() - dot <= kMaxExtensionBytes && (behind.empty() || !is_alnum(behind[0]));
  }

  template <class Prose, class Add>
  static void judge(std::string_view run, std::size_t begin, bool whole, bool setting, bool argument,
                    const FieldContext& context, const Prose& prose, const Add& add) {
    const std::size_t end = begin + run.size();
    // What stands before the path: "file=", "url:file://host", "http://host/".
    std::size_t from = 0;
    const std::size_t scheme = run.find("://");
    if (scheme != std::string_view::npos && scheme < 24) {
      from = scheme + 3;
      const bool local = istarts_with(run.substr(scheme >= 4 ? scheme - 4 : 0), "file");
      if (!local) from = std::min(run.find('/', from), run.size());
    } else {
      const std::size_t equals = run.find('=');
      if (equals != std::string_view::npos &&
          run.substr(0, equals).find_first_of("/\\.") == std::string_view::npos) {
        from = equals + 1;
      }
    }
    std::string_view path = run.substr(from);
    // The query of a URL is not resolved, but it may hold a path of its own.
    const std::size_t question = path.find('?');
    if (question != std::string_view::npos && scheme != std::string_view::npos)
      path = path.substr(0, question);
    const PathReading reading = read_path(path);
    const bool in_url = scheme != std::string_view::npos && from > scheme + 3;
    // A drive: c:\windows
    const bool drive =
        path.size() > 3 && is_alpha(path[0]) && path[1] == ':' && (path[2] == '/' || path[2] == '\\');
    const bool rooted =
        !in_url && (path.starts_with('/') || path.starts_with('\\') || drive || reading.escape > 0);
    const bool in_path = context.location == Location::kUrlPath;

    if (reading.ups > 0 && reading.escape > 0 && sensitive_file(reading.target, true)) {
      add(kToSensitive, begin, end, "The path climbs out of its folder, to a file of the system.");
    } else if (reading.ups > 0 && in_path && reading.ups >= 2 &&
               sensitive_file(tail_after_last_up(path), true)) {
      add(kToSensitive, begin, end, "The path climbs towards a file of the system.");
    }
    if (reading.disguised && reading.ups > 0 && (reading.escape > 0 || reading.ups >= 2 || in_path) &&
        looks_like_path(path, whole)) {
      add(kDisguised, begin, end,
          "The path climbs by parent segments written so that a filter does not see them.");
    }
    if (reading.escape >= 2 || (reading.escape == 1 && in_path) ||
        (reading.escape == 1 && file_name(context))) {
      const bool plain_text =
          !whole && scheme == std::string_view::npos && from == 0 &&
          (context.location == Location::kBody || context.location == Location::kHeader || prose());
      const bool served = reading.escape <= kMaxImportUps && reading.escape == reading.ups &&
                          !reading.disguised && !in_path && from == 0 && is_served(reading.target);
      add(plain_text || served ? kClimb : kEscape, begin, end,
          "The path climbs above the folder where it starts.");
    } else if (reading.escape == 1 && whole && from == 0 && path.starts_with('/')) {
      add(kEscape, begin, end, "The path climbs above the root from which it starts.");
    } else if (reading.ups > 0 && reading.escape == 1 && whole) {
      add(kClimb, begin, end, "The value holds the parent folder.");
    }
    if (names_stream(run))
      add(kStream, begin, end,
          "The path names a data stream of a file, which passes by what it is served as.");
    if (reading.nul_suffix && path.find('.') != std::string_view::npos) {
      add(kNulSuffix, begin, end, "A NUL octet cuts off the extension that the application adds or checks.");
    }
    if (in_path && reading.ups == 0 && unmistakable(reading.target)) {
      add(kSensitive, begin, end, "The path ends in that of a file of the system.");
    }
    if (in_url || (in_path && reading.ups == 0)) {
      if (in_path && private_folder(reading.target)) {
        add(kPrivate, begin, end, "The path leads into a folder that a Java server never serves.");
      }
      return;
    }
    // /etc/init.d/../passwd: by a detour, but from the root.
    const bool known_target = reading.ups == 0 || (rooted && reading.escape == 0 && !in_path);
    if (!reading.target.empty() && known_target && sensitive_file(reading.target, rooted)) {
      const bool deep = reading.target.find('/', 1) != std::string::npos;
      const bool named = rooted && deep && !folder_of_pages(reading.target);
      const bool secret = is_secret_file(reading.target);
      const bool mount = context.location == Location::kBody && reading.ups == 0 && is_mount(path);
      const bool counts =
          (whole && !mount) || (from > 0 && (!setting || secret)) || (argument && secret && !prose());
      add(counts && (named || (deep && !rooted)) ? kSensitive : kSensitiveName, begin, end,
          counts ? "The value is the path of a file that holds secrets of the system."
                 : "The text mentions a file that holds secrets of the system.");
    } else if (whole && reading.ups == 0 && is_settings_file(reading.target)) {
      add(kSensitiveName, begin, end, "The value names a file that holds settings or a history.");
    }
  }

  // /etc/nginx:/etc/nginx:ro, a folder of the host and where a container sees it: neither is secret.
  static bool is_mount(std::string_view path) noexcept {
    const std::size_t colon = path.find(":/");
    if (colon == std::string_view::npos || colon + 2 >= path.size() || !is_alpha(path[colon + 2]))
      return false;
    const bool plain = std::all_of(path.begin(), path.end(), [](char c) {
      return is_alnum(c) || std::string_view("/:._-").find(c) != std::string_view::npos;
    });
    if (!plain || path.find("//") != std::string_view::npos) return false;
    for (const std::string_view side : {path.substr(0, colon), path.substr(colon + 1)}) {
      if (is_secret_file(side)) return false;
      for (const std::string_view part : {"/proc", "/sys"}) {
        if (istarts_with(side, part) && (side.size() == part.size() || !is_alnum(side[part.size()])))
          return false;
      }
      for (const std::string_view part : {".pem", ".key", "environ"}) {
        if (ifind(side, part) != std::string_view::npos) return false;
      }
    }
    return path.starts_with('/');
  }

  // ../../lib/util.js: parts of a page name each other so, and anybody may have them.
  static bool is_served(std::string_view target) noexcept {
    static constexpr WordSet kServed({"css", "gif", "ico", "jpeg", "jpg", "js", "jsx", "less", "mjs", "png",
                                      "scss", "svg", "ts", "tsx", "vue", "webp", "woff", "woff2"});
    const std::size_t dot = target.rfind('.');
    return dot != std::string_view::npos && kServed.has(target.substr(dot + 1));
  }

  // include('/etc/passwd'), {fetch file="/etc/passwd"}: in quotes, of a call or an attribute, in a value of
  // one line.
  static bool is_argument(std::string_view text, std::size_t begin, std::size_t end) noexcept {
    if (begin < 2 || end >= text.size() || text.size() > kMaxCallBytes) return false;
    const char quote = text[begin - 1];
    if ((quote != '\'' && quote != '"') || text[end] != quote) return false;
    std::size_t at = begin - 1;
    while (at > 0 && text[at - 1] == ' ') --at;
    if (at == 0 || text.find('\n') != std::string_view::npos) return false;
    // Words behind it are somebody's who writes about the call.
    std::size_t words = 0;
    for (std::size_t i = end + 1; i + 1 < text.size(); ++i)
      words += text[i] == ' ' && is_alpha(text[i + 1]) ? 1u : 0u;
    if (words > 1) return false;
    const std::string_view ahead = text.substr(0, at);
    return text[at - 1] == '(' || text[at - 1] == '=' || ahead.ends_with("include") ||
           ahead.ends_with("require");
  }

  static bool file_name(const FieldContext& context) noexcept {
    return context.location == Location::kFile && context.in_name;
  }

  // Dots and slashes make up what is not letters; "wait...;" and "a../b" in prose are no paths.
  static bool looks_like_path(std::string_view path, bool whole) noexcept {
    return whole || path.find("/") != std::string_view::npos || path.find('\\') != std::string_view::npos;
  }

  static std::string tail_after_last_up(std::string_view path) {
    std::size_t last = path.rfind("..");
    if (last == std::string_view::npos) return {};
    while (last < path.size() && !is_alpha(path[last])) ++last;
    return read_path(path.substr(last)).target;
  }

  // No application has a path of its own that ends so.
  static bool unmistakable(std::string_view target) noexcept {
    for (const std::string_view file :
         {"/etc/passwd", "/etc/shadow", "/etc/master.passwd", "/proc/self/environ", "/windows/win.ini",
          "/.ssh/id_rsa", "/.aws/credentials", "/windows/system32/drivers/etc/hosts"}) {
      if (target.ends_with(file)) return true;
    }
    return false;
  }

  // /var/www/shop/public: where the pages are is no secret; a file among them is what an include asks for.
  static bool folder_of_pages(std::string_view target) noexcept {
    if (!target.starts_with("/var/www/") && !target.starts_with("/var/htdocs/")) return false;
    const std::string_view last = target.substr(target.rfind('/'));
    return last.find('.') == std::string_view::npos || last.ends_with(".html") || is_served(last);
  }

  static bool private_folder(std::string_view target) noexcept {
    return target.find("/web-inf/") != std::string_view::npos ||
           target.find("/meta-inf/") != std::string_view::npos || target.ends_with("/web-inf") ||
           target.ends_with("/meta-inf");
  }

  std::vector<Rule> rules_;
  PathHints hints_;
};

}  // namespace

std::unique_ptr<Analyzer> make_path_traversal_analyzer() { return std::make_unique<PathTraversalAnalyzer>(); }

}  // namespace wafd::detect
