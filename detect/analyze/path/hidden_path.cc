#include "detect/analyze/path/hidden_path.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t { kHidden, kCopy, kDump, kHiddenDeep };

constexpr RuleSpec kRules[] = {
    {"hidden", "Hidden file or folder", Risk::kMedium, Sensitivity::kBalanced},
    {"copy", "Copy that an editor or backup left", Risk::kMedium, Sensitivity::kBalanced},
    {"dump", "Dump, log or key file", Risk::kMedium, Sensitivity::kStrict},
    {"hidden-deep", "Hidden file or folder below others", Risk::kLow, Sensitivity::kStrict},
};

// Hidden by name, but meant for everyone (RFC 8615), or made by build tools for pages.
constexpr WordSet kPublic({".well-known", ".netlify", ".vite", ".nuxt", ".next", ".vercel", ".auth",
                           ".output"});
constexpr WordSet kCopies({"bak", "backup", "old", "orig", "save", "swp", "swo", "copy", "tmp", "dist", "sav",
                           "bkp", "_bak", "1", "0"});
constexpr WordSet kScripts({"php", "asp", "aspx", "jsp", "inc", "conf", "config", "ini", "env", "xml", "yml",
                            "yaml", "sql", "py", "rb", "pl"});
constexpr WordSet kDumps({"sql", "sqlite", "sqlite3", "db", "mdb", "dump", "pem", "key", "pfx", "p12", "ppk",
                          "kdbx", "log", "env", "ini", "conf", "bak", "swp"});

class HiddenPathAnalyzer final : public Analyzer {
 public:
  HiddenPathAnalyzer() : rules_(make_rules("m_leak", AttackType::kInfoLeak, 6300, kRules)) {}

  std::string_view name() const noexcept override { return "leak"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::uint32_t reads_places() const noexcept override { return place_bit(Location::kUrlPath, false); }
  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array<const char*, 3> kHints = {
        R"(/\.[a-z0-9])",
        R"((\.(bak|backup|old|orig|save|swp|swo|copy|tmp|dist|sav|bkp|_bak|sql|sqlite|sqlite3|db|mdb|dump|pem|key|pfx|p12|ppk|kdbx|log|env|ini|conf)~?|~)$)",
        R"(\.(php|asp|aspx|jsp|inc|conf|config|ini|env|xml|yml|yaml|sql|py|rb|pl)(\.[a-z0-9_]+~?|~)$)"};
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (context.location != Location::kUrlPath || context.in_name) return;
    std::array<std::optional<Hit>, std::size(kRules)> found;
    const auto add = [&](std::uint16_t rule, std::size_t begin, std::size_t end, const char* reason) {
      if (!found[rule])
        found[rule] = Hit{rule, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), reason};
    };
    for (std::size_t at = text.find('/'); at != std::string_view::npos; at = text.find('/', at + 1)) {
      const std::size_t end = std::min(text.find('/', at + 1), text.size());
      const std::string_view segment = text.substr(at + 1, end - at - 1);
      if (segment.size() > 2 && segment[0] == '.' && is_alnum(segment[1]) && !kPublic.has(segment) &&
          std::all_of(segment.begin() + 1, segment.end(),
                      [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; })) {
        add(at == 0 || secret(segment) ? kHidden : kHiddenDeep, at + 1, end,
            "The path asks for a file or folder that is hidden by its name.");
      }
    }
    std::string_view file = text.substr(text.rfind('/') == std::string_view::npos ? 0 : text.rfind('/') + 1);
    const std::size_t begin = text.size() - file.size();
    const bool tilde = file.ends_with('~');
    if (tilde) file.remove_suffix(1);
    const std::size_t dot = file.rfind('.');
    if (dot != std::string_view::npos && dot > 0) {
      const std::string_view extension = file.substr(dot + 1);
      const std::string_view stem = file.substr(0, dot);
      const std::size_t inner = stem.rfind('.');
      const bool of_script = inner != std::string_view::npos && kScripts.has(stem.substr(inner + 1));
      if ((tilde && kScripts.has(extension)) || (of_script && (kCopies.has(extension) || extension == "zip" ||
                                                               extension == "gz" || extension == "txt"))) {
        add(kCopy, begin, text.size(),
            "The path asks for a copy of a script or configuration, which a server would show.");
      } else if (kDumps.has(extension) || (kCopies.has(extension) && !is_digit(extension[0]))) {
        add(kDump, begin, text.size(), "The path asks for a dump, log, key or backup.");
      }
    }
    for (std::optional<Hit>& hit : found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  // Hidden folders that hold secrets wherever they lie; browsers of source code show others.
  static bool secret(std::string_view segment) noexcept {
    static constexpr WordSet kSecret(
        {".git",   ".svn",    ".hg",       ".bzr",       ".env",      ".ssh",          ".aws",
         ".kube",  ".docker", ".htaccess", ".htpasswd",  ".ds_store", ".bash_history", ".npmrc",
         ".netrc", ".pgpass", ".idea",     ".gitconfig", ".vscode",   ".claude",       ".cursor"});
    return kSecret.has(segment) || istarts_with(segment, ".env.");
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_hidden_path_analyzer() { return std::make_unique<HiddenPathAnalyzer>(); }

}  // namespace wafd::detect
