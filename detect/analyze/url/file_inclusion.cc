#include "detect/analyze/url/file_inclusion.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "detect/analyze/path/path_reader.h"
#include "detect/analyze/url/url_reader.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t {
  kWrapper,
  kDataWrapper,
  kFileUrl,
  kFileUrlWeak,
  kRemoteScript,
  kRemoteCut,
  kForeignScheme,
  kRemoteFile
};

constexpr RuleSpec kRules[] = {
    {"wrapper", "Stream wrapper that reads, unpacks or runs", Risk::kHigh, Sensitivity::kLow},
    {"data-wrapper", "data: URL in place of a file", Risk::kHigh, Sensitivity::kBalanced},
    {"file-url", "URL of a local file", Risk::kHigh, Sensitivity::kBalanced},
    {"file-url-weak", "URL of a local file in a text", Risk::kLow, Sensitivity::kStrict},
    {"remote-script", "Script fetched from elsewhere", Risk::kHigh, Sensitivity::kBalanced},
    {"remote-cut", "Remote address that cuts off what is added", Risk::kMedium, Sensitivity::kStrict},
    {"foreign-scheme", "Address with a scheme that web pages do not use", Risk::kMedium,
     Sensitivity::kBalanced},
    {"remote-file", "Address of a script or a text where a file is named", Risk::kMedium,
     Sensitivity::kStrict},
};

// PHP's wrappers (manual, "Supported Protocols and Wrappers") that do more than fetch; Java's and Python's
// names for files that filters of "file:" do not know.
constexpr WordSet kWrappers({"php", "expect", "phar", "zip", "compress.zlib", "compress.bzip2", "glob", "rar",
                             "ogg", "ssh2", "ssh2.shell", "ssh2.exec", "ssh2.tunnel", "ssh2.sftp", "ssh2.scp",
                             "zlib", "netdoc", "mailto+php", "local_file"});
constexpr WordSet kFetching({"ftp", "ftps", "sftp", "tftp", "smb", "cifs", "jar", "nfs", "rsync"});

// Parameters that name what a page is made of.
constexpr WordSet kFileNames({"file",    "filename", "page",     "include", "inc",  "path",   "template",
                              "tpl",     "module",   "mod",      "root",    "load", "view",   "layout",
                              "config",  "conf",     "cfg",      "style",   "dir",  "folder", "lang",
                              "locale",  "language", "theme",    "skin",    "body", "main",   "pg",
                              "section", "cat",      "document", "doc"});

// Those of them that name code or what a page is built from: nobody gives an address there. A page or a file
// may be one.
constexpr WordSet kCodeNames({"include", "inc", "template", "tpl", "module", "mod", "layout", "config",
                              "conf", "cfg", "dir", "folder", "lang", "locale", "language", "theme", "skin",
                              "root"});

std::string_view extension(std::string_view path) noexcept {
  while (path.ends_with('\0') || path.ends_with('.')) path.remove_suffix(1);
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
}

// What a server of the attacker serves without running it, for the other to run.
bool text_path(std::string_view path) noexcept {
  static constexpr WordSet kTexts({"txt", "text", "log"});
  return kTexts.has(extension(path));
}

bool script_path(std::string_view path) noexcept {
  static constexpr WordSet kScripts(
      {"php", "php3", "php4", "php5", "phtml", "inc", "asp", "aspx", "jsp", "cgi", "pl", "sh"});
  return kScripts.has(extension(path));
}

class FileInclusionAnalyzer final : public Analyzer {
 public:
  FileInclusionAnalyzer() : rules_(make_rules("m_inclusion", AttackType::kFileInclusion, 4200, kRules)) {}

  std::string_view name() const noexcept override { return "inclusion"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::uint32_t reads_places() const noexcept override {
    return kEveryPlace & ~place_bit(Location::kFile, false);
  }
  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array<const char*, 5> kHints = {
        R"((php|expect|phar|zip|compress\.zlib|compress\.bzip2|glob|rar|ogg|ssh2|ssh2\.[a-z]+|zlib|netdoc|mailto\+php|local_file|file|data)://)",
        R"(^[\x00-\x20]*([a-z][a-z0-9+._-]*:)*(data|file|jar|url|netdoc):)",
        R"(^[\x00-\x20]*([a-z][a-z0-9+._-]*:)*(ftps?|sftp|tftp|smb|cifs|nfs|rsync):)",
        R"(^[\x00-\x20]*([a-z][a-z0-9+._-]*:)*https?:[^ \t\r\n]*\.(php[345]?|phtml|inc|aspx?|jsp|cgi|pl|sh|txt|text|log)[.\x00]*($|[?#]))",
        R"(^[\x00-\x20]*([a-z][a-z0-9+._-]*:)*https?:[^ \t\r\n]*\?(#|$))",
    };
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (context.location == Location::kFile && !context.in_name) return;
    std::array<std::optional<Hit>, std::size(kRules)> found;
    const auto add = [&](std::uint16_t rule, std::size_t begin, const char* reason) {
      if (found[rule]) return;
      const std::size_t end = std::min(text.find_first_of(" \t\r\n\"'<>", begin), text.size());
      found[rule] = Hit{rule, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), reason};
    };
    read_whole(text, context, add);
    // Wrappers count anywhere: their names before "://" are no words of prose.
    std::size_t looked = 0;
    for (std::size_t at = text.find("://"); at != std::string_view::npos && looked < 4096;
         at = text.find("://", at + 3)) {
      ++looked;
      std::size_t begin = at;
      while (begin > 0 && at - begin < 16 &&
             (is_alnum(text[begin - 1]) || text[begin - 1] == '.' || text[begin - 1] == '_'))
        --begin;
      const std::string_view scheme = text.substr(begin, at - begin);
      if (kWrappers.has(scheme))
        add(kWrapper, begin, "A stream wrapper reads, unpacks or runs what the address names.");
      if (iequals(scheme, "file")) local_file(text, begin, at + 3, context, add);
      if (iequals(scheme, "data")) add(kDataWrapper, begin, "A data: stream holds the file itself.");
    }
    for (std::optional<Hit>& hit : found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  template <class Add>
  static void local_file(std::string_view text, std::size_t begin, std::size_t path_begin,
                         const FieldContext& context, const Add& add) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n\"'<>", path_begin), text.size());
    const PathReading path = read_path(text.substr(path_begin, end - path_begin));
    const bool sensitive = sensitive_file(path.target, true) || path.escape > 0;
    const bool value = begin == 0 && context.location != Location::kBody;
    // A page that somebody saved, as analytics report it.
    const bool page = path.target.ends_with(".html") || path.target.ends_with(".htm");
    if (sensitive || (value && end == text.size() && !page)) {
      add(kFileUrl, begin, "A file: URL makes the server read a file of its own.");
    } else {
      add(kFileUrlWeak, begin, "A file: URL names a file of the server or of the sender.");
    }
  }

  template <class Add>
  static void read_whole(std::string_view text, const FieldContext& context, const Add& add) {
    if (text.size() > 4096 || text.find_first_of(" \t\r\n") != std::string_view::npos) return;
    const std::optional<UrlParts> url = read_url(text);
    if (!url) return;
    const bool nested = url->scheme.find(':') != std::string::npos;
    const std::string_view last = nested ? std::string_view(url->scheme).substr(url->scheme.rfind(':') + 1)
                                         : std::string_view(url->scheme);
    if (url->scheme == "data" && url->path.empty() == false) {
      const bool code = istarts_with(url->path, "text/plain") || istarts_with(url->path, ",") ||
                        istarts_with(url->path, ";base64") || istarts_with(url->path, "application/x-httpd");
      if (code && plain_value(context)) add(kDataWrapper, 0, "A data: URL holds the file itself.");
      return;
    }
    if (url->authority.empty() && last != "file" && !kFetching.has(last)) return;
    if (nested && (istarts_with(url->scheme, "url:") || istarts_with(url->scheme, "jar:"))) {
      add(kForeignScheme, 0,
          "A nested scheme, as Java's URL handlers take it, leads past checks of the address.");
    } else if (kFetching.has(last)) {
      if (plain_value(context) && !(last == "ftp" && download(*url)) && !names_storage(*url, last))
        add(kForeignScheme, 0, "The address has a scheme that makes the server fetch from elsewhere.");
    } else if (last == "file" && url->authority.empty() && url->path.starts_with('/')) {
      if (sensitive_file(read_path(url->path).target, true)) {
        add(kFileUrl, 0, "A file: URL makes the server read a file of its own.");
      }
    }
    if (last != "http" && last != "https") return;
    // x.txt%00: what is added behind it is cut off.
    const bool ends_early = url->path.ends_with('\0') && !url->path.starts_with('\0');
    const std::string_view parameter = context.name.substr(context.name.rfind('.') + 1);  // npos + 1 is 0
    const bool by_address = host_kind(url->host, url->bracketed) != HostKind::kName;
    const bool cut = url->has_query && url->query.empty();
    const bool script = script_path(url->path);
    if (((script && (by_address || cut)) || ((cut || ends_early) && (script || text_path(url->path))) ||
         ((script || text_path(url->path)) && !context.in_name && kCodeNames.has(parameter))) &&
        plain_value(context)) {
      add(kRemoteScript, 0,
          "The value is the address of a script elsewhere, for a parameter that names code, on a server "
          "named by its address alone, or one that cuts off what follows.");
    } else if ((script || text_path(url->path)) && plain_value(context) && !context.in_name &&
               kFileNames.has(parameter)) {
      add(kRemoteFile, 0, "A parameter that names a file holds the address of one elsewhere.");
    } else if (cut && context.location == Location::kQuery) {
      add(kRemoteCut, 0, "The address ends in a question mark, which cuts off an extension that is added.");
    }
  }

  // ftp://ftp.example.org/pub/a.zip: something to be downloaded, from a server with a name.
  static bool download(const UrlParts& url) {
    static constexpr WordSet kFiles({"zip", "gz",  "tgz", "bz2", "xz",  "7z",  "rar",  "iso", "pdf", "csv",
                                     "tar", "exe", "dmg", "rpm", "deb", "jpg", "jpeg", "png", "mp3", "mp4"});
    return url.user.empty() && host_kind(url.host, url.bracketed) == HostKind::kName &&
           kFiles.has(extension(url.path));
  }

  // smb://nas/photos, nfs://nas/backup: a machine of the own network, as settings of backups have it.
  static bool names_storage(const UrlParts& url, std::string_view scheme) {
    static constexpr WordSet kShares({"smb", "cifs", "nfs", "rsync"});
    return kShares.has(scheme) && url.user.empty() && url.host.find('.') == std::string_view::npos &&
           host_kind(url.host, url.bracketed) == HostKind::kName && !script_path(url.path);
  }

  static bool plain_value(const FieldContext& context) noexcept {
    return context.location == Location::kQuery || context.location == Location::kBody ||
           context.location == Location::kCookie;
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_file_inclusion_analyzer() { return std::make_unique<FileInclusionAnalyzer>(); }

}  // namespace wafd::detect
