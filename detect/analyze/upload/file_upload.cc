#include "detect/analyze/upload/file_upload.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "detect/analyze/upload/upload_content.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t {
  kScriptName,
  kDisguisedName,
  kServerFile,
  kPageCode,
  kSessionFile,
  kActiveName,
  kShortTag,
  kProgram,
  kDrawing,
  kArchivePath
};

constexpr RuleSpec kRules[] = {
    {"script-name", "Upload named as a server script", Risk::kHigh, Sensitivity::kBalanced},
    {"disguised-name", "Server script's extension inside a file name", Risk::kHigh, Sensitivity::kLow},
    {"server-file", "Upload named as a configuration file of the server", Risk::kHigh, Sensitivity::kLow},
    {"page-code", "Server page code in an uploaded file", Risk::kHigh, Sensitivity::kLow},
    {"session-file", "Upload named as a session file", Risk::kMedium, Sensitivity::kBalanced},
    {"active-name", "Upload that a browser or desktop would run", Risk::kLow, Sensitivity::kStrict},
    {"short-tag", "Short tag of PHP in an uploaded file", Risk::kHigh, Sensitivity::kBalanced},
    {"program", "Program in a file that says it is media", Risk::kHigh, Sensitivity::kBalanced},
    {"drawing", "Drawing instructions that read files or run", Risk::kHigh, Sensitivity::kBalanced},
    {"archive-path", "Archive entry that leaves its folder", Risk::kHigh, Sensitivity::kBalanced},
};

constexpr WordSet kScripts({"php",  "php2",  "php3",   "php4",   "php5", "php6", "php7", "php8", "phtml",
                            "pht",  "phpt",  "phps",   "phar",   "pgif", "jsp",  "jspx", "jspf", "jspa",
                            "jsw",  "jsv",   "jhtml",  "war",    "asp",  "aspx", "ashx", "asmx", "asa",
                            "ascx", "cer",   "cshtml", "vbhtml", "cdx",  "cfm",  "cfml", "cfc",  "cgi",
                            "pl",   "shtml", "shtm",   "stm",    "inc"});
constexpr WordSet kHarmless({"jpg",  "jpeg", "png",  "gif",  "bmp",  "webp", "svg", "ico", "tif",
                             "tiff", "pdf",  "txt",  "doc",  "docx", "zip",  "mp4", "mp3", "csv",
                             "xls",  "xlsx", "heic", "avif", "rar",  "7z",   "gz",  "dat", "tmp"});
constexpr WordSet kServerFiles({".htaccess", ".htpasswd", ".user.ini", "php.ini", "web.config", "web.xml",
                                ".htgroup", "httpd.conf", "wp-config.php"});
constexpr WordSet kActive({"html", "htm", "xhtml", "svg", "svgz", "js",  "exe", "bat",
                           "cmd",  "com", "scr",   "vbs", "ps1",  "hta", "msi", "sh",
                           "jar",  "lnk", "swf",   "mht", "xml",  "xsl", "py",  "rb"});

bool noise(char c) noexcept {
  return octet(c) <= ' ' || c == '.' || c == ';' || c == ':' || c == '\x7f' || c == '%' || c == '/';
}

class FileUploadAnalyzer final : public Analyzer {
 public:
  FileUploadAnalyzer() : rules_(make_rules("m_upload", AttackType::kFileUpload, 6100, kRules)) {}

  std::string_view name() const noexcept override { return "upload"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  bool reads_binary() const noexcept override { return true; }
  std::uint32_t reads_places() const noexcept override {
    return place_bit(Location::kFile, false) | place_bit(Location::kFile, true);
  }
  std::span<const char* const> hints() const noexcept override {
    // An extension that a server runs, anywhere; one that a browser or desktop runs, at the end.
    static constexpr std::array<const char*, 13> kHints = {
        R"(\.[^a-z0-9]{0,8}(ph[pt]|phar|pgif|jsp|jsw|jsv|jhtml|war|as[apch]|asmx|cer|cshtml|vbhtml|cdx|cf[mc]|cgi|pl|shtm|stm|inc)([^a-z]|[a-z]{1,3}([^a-z]|$)|$))",
        R"(\.[^a-z0-9]{0,8}(x?html?|svgz?|js|exe|bat|cmd|com|scr|vbs|ps1|hta|msi|sh|jar|lnk|swf|mht|xml|xsl|py|rb)([\x00-\x20.;:\x7f%]|$))",
        R"(\.user\.ini|php\.ini|web\.(config|xml)|\.ht(access|passwd|group)|httpd\.conf|wp-config\.php)",
        R"(<%|runat=)",
        R"(<\?[=\x00-\x20])",
        R"(^(MZ|\x7fELF|#!|dex\x0a0))",
        R"(^(\xca\xfe\xba\xbe|\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe))",
        R"(^[\x00-\x20]*%!PS)",
        R"(push graphic-context|<read)",
        R"(['"(](msl|ephemeral|mvg|vid|pango|label|caption|text|info|inline|fd):[@/.])",
        R"(PK\x03\x04)",
        R"(ustar)",
        R"(sess_)",
    };
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    std::array<std::optional<Hit>, std::size(kRules)> found;
    const auto add = [&](std::uint16_t rule, std::size_t begin, std::size_t end, const char* reason) {
      if (found[rule]) return;
      found[rule] = Hit{rule, static_cast<std::uint32_t>(begin),
                        static_cast<std::uint32_t>(std::min(end, text.size())), reason};
    };
    if (context.location == Location::kFile && !context.in_name) {
      read_content(text, context.media, add);
    } else if (context.location == Location::kFile) {
      read_name(text, add);
    }
    for (std::optional<Hit>& hit : found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  template <class Add>
  static void read_name(std::string_view text, const Add& add) {
    std::string_view name = text;
    const std::size_t slash = name.find_last_of("/\\");
    if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
    while (!name.empty() && octet(name.front()) <= ' ') name.remove_prefix(1);
    // What file systems drop from the end, or cut at.
    std::string_view bare = name;
    const std::size_t stream = bare.find("::$");
    const bool cut = stream != std::string_view::npos || bare.find('\0') != std::string_view::npos;
    if (stream != std::string_view::npos) bare = bare.substr(0, stream);
    const std::size_t full = bare.size();
    while (!bare.empty() && noise(bare.back())) bare.remove_suffix(1);
    const bool trailing = bare.size() != full || cut;
    if (kServerFiles.has(bare)) {
      add(kServerFile, 0, text.size(), "The upload is named as a file that configures the web server.");
      return;
    }
    if (istarts_with(bare, "sess_") && bare.size() >= 25 &&
        std::all_of(bare.begin() + 5, bare.end(), is_alnum)) {
      add(kSessionFile, 0, text.size(), "The upload is named as a session file of PHP.");
    }
    // Each part behind a dot, without the noise at its ends.
    bool last = true;
    bool script_inside = false;
    for (std::size_t end = bare.size(); end > 0;) {
      const std::size_t dot = bare.rfind('.', end - 1);
      if (dot == std::string_view::npos) break;
      std::string_view part = bare.substr(dot + 1, end - dot - 1);
      bool dirty = false;
      while (!part.empty() && noise(part.back())) {
        part.remove_suffix(1);
        dirty = true;
      }
      while (!part.empty() && noise(part.front())) {
        part.remove_prefix(1);
        dirty = true;
      }
      // "php;", "php%00": the part ends where a reader would cut.
      const std::size_t cut_at = part.find_first_of(std::string_view(";:%\0", 4));
      if (cut_at != std::string_view::npos) {
        part = part.substr(0, cut_at);
        dirty = true;
      }
      std::string_view letters = part;
      while (!letters.empty() && is_digit(letters.back())) letters.remove_suffix(1);
      const bool script = kScripts.has(part) || (letters.size() >= 3 && kScripts.has(letters));
      if (script && last) {
        add(trailing || dirty ? kDisguisedName : kScriptName, 0, text.size(),
            trailing || dirty ? "The extension of a server script hides behind what file systems drop."
                              : "The upload has the extension of a server script.");
      } else if (script) {
        script_inside = true;
      } else if (last && !kHarmless.has(part) && kActive.has(part)) {
        add(kActiveName, 0, text.size(), "The upload has an extension that a browser or desktop would run.");
      }
      last = false;
      if (dot == 0) break;
      end = dot;
    }
    if (script_inside) {
      add(kDisguisedName, 0, text.size(),
          "The extension of a server script stands inside the file name, where some servers look.");
    }
  }

  template <class Add>
  static void read_content(std::string_view text, bool media, const Add& add) {
    const auto take = [&add](RuleIndex rule, const UploadFinding& found) {
      if (found.sign != UploadSign::kNone) add(rule, found.begin, found.end, found.reason);
    };
    take(kPageCode, find_page_code(text));
    take(kShortTag, find_short_tag(text));
    if (media) take(kProgram, find_program(text));
    take(kDrawing, find_drawing(text, media));
    take(kArchivePath, find_archive_path(text));
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_file_upload_analyzer() { return std::make_unique<FileUploadAnalyzer>(); }

}  // namespace wafd::detect
