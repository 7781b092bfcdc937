#include "detect/analyze/url/inclusion_matcher.h"

#include <algorithm>
#include <array>
#include <optional>

#include "detect/analyze/url/host.h"
#include "detect/analyze/url/schemes.tsv.h"
#include "detect/analyze/url/tables.h"
#include "detect/analyze/url/url_reader.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

using url::HostKind;
using url::ParameterUse;
using url::Scheme;
using url::SchemeUse;
using url::Url;

enum class InclusionEvidence : std::uint8_t {
  kWrapper,
  kData,
  kFileUrl,
  kRemoteCode,
  kRemoteText,
  kRemoteCut,
  kNested,
  kTransfer,
  kFetch,
};
constexpr std::array<std::string_view, 9> kNames{
    "wrapper", "data", "file_url", "remote_code", "remote_text", "remote_cut", "nested", "transfer", "fetch"};

constexpr std::size_t kMaxSchemeBytes = 16;
constexpr std::size_t kMaxShownBytes = 256;
constexpr std::size_t kMinFileUrlBytes = 5;  // behind the scheme

// File endings that a server runs, and endings that another server shows without running them.
constexpr WordSet kCode({"php", "php3", "php4", "php5", "php7", "phtml", "phps",
                         "inc", "asp",  "aspx", "jsp",  "jspx", "cfm",   "cgi",
                         "pl",  "py",   "rb",   "sh",   "txt",  "text",  "log"});
constexpr WordSet kTexts({"txt", "text", "log"});
constexpr WordSet kArchives({"zip", "gz",  "tgz", "bz2", "xz",  "7z",  "rar",  "iso", "pdf", "csv",
                             "tar", "exe", "dmg", "rpm", "deb", "jpg", "jpeg", "png", "mp3", "mp4"});

std::string_view extension(std::string_view path) noexcept {
  while (path.ends_with('\0') || path.ends_with('.')) path.remove_suffix(1);
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
}

class Finder {
 public:
  Finder(std::string_view text, const FieldContext& context, EvidenceList& out) noexcept
      : text_(text),
        context_(context),
        out_(out),
        first_(static_cast<std::size_t>(
            std::find_if(text.begin(), text.end(),
                         [](char c) { return byte(c) > ' ' && c != '"' && c != '\''; }) -
            text.begin())) {}

  void run() {
    if (const auto url = url::read_url(text_)) read(*url);
    share();
    for (std::size_t at = text_.find("://"); at != std::string_view::npos; at = text_.find("://", at + 3))
      wrapper(at);
  }

 private:
  // A message that is an address, {"body": "https://…/a.php"}, names nothing that a page is made of.
  ParameterUse parameter_use() const noexcept {
    if (context_.in_name) return ParameterUse::kOther;
    const ParameterUse use = url::use_of(context_.name);
    if (use != ParameterUse::kText) return use;
    return context_.location == Location::kBody ? ParameterUse::kOther : ParameterUse::kFile;
  }

  // Their names before "://" are no words of prose; in source code they stand by right.
  void wrapper(std::size_t colon) {
    std::size_t begin = colon;
    while (begin > 0 && colon - begin < kMaxSchemeBytes &&
           (is_alnum(text_[begin - 1]) ||
            std::string_view("._+-").find(text_[begin - 1]) != std::string_view::npos))
      --begin;
    const Scheme* row = url::kSchemes.find(text_.substr(begin, colon - begin));
    if (row == nullptr || row->use < SchemeUse::kWrapper || row->use > SchemeUse::kFile) return;
    const InclusionEvidence kind = row->use == SchemeUse::kWrapper ? InclusionEvidence::kWrapper
                                   : row->use == SchemeUse::kData  ? InclusionEvidence::kData
                                                                   : InclusionEvidence::kFileUrl;
    const bool taken =
        begin > 0 && (std::string_view("=:'\"(").find(text_[begin - 1]) != std::string_view::npos ||
                      (context_.location == Location::kUrlPath && text_[begin - 1] == '/'));
    Certainty certainty = begin <= first_ ? Certainty::kCertain
                          : taken         ? Certainty::kLikely
                                          : Certainty::kPossible;
    if (!out_.wants(static_cast<std::uint8_t>(kind), certainty)) return;
    const std::string_view rest = text_.substr(colon, kMaxShownBytes);
    const std::size_t bytes = std::min(rest.find_first_of(" \t\r\n\"'<>"), rest.size());
    if (kind == InclusionEvidence::kFileUrl) {
      // A page that somebody saved, as analytics report it; nothing but the scheme, as people look for it.
      const std::string_view type = extension(rest.substr(0, bytes));
      const bool page = iequals(type, "html") || iequals(type, "htm") || bytes < kMinFileUrlBytes;
      if (page || colon + bytes != text_.size()) certainty = Certainty::kPossible;
    }
    out_.add(kind, certainty, begin, colon + bytes, row->text);
  }

  void read(const Url& url) {
    const Scheme* row = url::kSchemes.find(url.scheme);
    const bool nested = url.first.data() != url.scheme.data();
    if (row == nullptr || (!url.alone && row->use != SchemeUse::kData)) return;
    const auto add = [&](InclusionEvidence kind, Certainty certainty) {
      out_.add(kind, certainty, url.begin, url.end, url.first);
    };
    const Scheme* first = url::kSchemes.find(url.first);
    if (nested && first != nullptr && first->use == SchemeUse::kNest)
      add(InclusionEvidence::kNested, Certainty::kCertain);
    const ParameterUse use = parameter_use();
    const bool code_name = use == ParameterUse::kCode || use == ParameterUse::kFile;
    const Certainty by_name = code_name                       ? Certainty::kCertain
                              : use == ParameterUse::kAddress ? Certainty::kPossible
                                                              : Certainty::kLikely;
    if (row->use == SchemeUse::kData && url.slashes == 0 && holds_code(url.path))
      add(InclusionEvidence::kData, std::max(by_name, Certainty::kLikely));
    if (url.authority.empty()) return;
    const HostKind host = url::host_kind(url.host, url.bracketed);
    const std::string_view type = extension(url.path);
    if (row->use == SchemeUse::kTransfer) {
      // ftp.debian.example/pub: a public archive by its name (RFC 2219)
      const bool archive = istarts_with(url.host, "ftp.") && !code_name && !kCode.has(type);
      const bool offered = host == HostKind::kName && url.user.empty() && (archive || kArchives.has(type));
      if (!offered) add(InclusionEvidence::kTransfer, by_name);
    } else if (row->use == SchemeUse::kFetch) {
      // smb://nas/photos: a machine of the own network, as settings of backups have it.
      const bool own =
          url.user.empty() && url.host.find('.') == std::string_view::npos && host == HostKind::kName;
      add(InclusionEvidence::kFetch, own && !kCode.has(type) ? Certainty::kPossible : Certainty::kCertain);
    } else if (row->use == SchemeUse::kWeb) {
      web(url, host, type, use);
    }
  }

  // \\evil.example\share\x.php, //evil.example/share/x.php: Windows opens it as a file.
  void share() {
    const std::string_view path = text_.substr(first_);
    if (path.size() > kMaxShownBytes || !(path.starts_with("\\\\") || path.starts_with("//"))) return;
    const std::size_t end = std::min(path.find_first_of("/\\", 2), path.size());
    const std::string_view host = path.substr(2, end - 2);
    const std::string_view type = extension(path.substr(end));
    if (host.find('.') == std::string_view::npos || !kCode.has(type)) return;
    const ParameterUse use = parameter_use();
    if (use == ParameterUse::kCode || (use == ParameterUse::kFile && !kTexts.has(type)))
      out_.add(InclusionEvidence::kRemoteCode, Certainty::kCertain, first_, text_.size(), host);
  }

  // text/plain and what has no type is for who runs it.
  static bool holds_code(std::string_view data) noexcept {
    for (const std::string_view type :
         {"text/plain", ",", ";", "text/php", "application/x-httpd", "application/x-php"}) {
      if (istarts_with(data, type)) return true;
    }
    return false;
  }

  void web(const Url& url, HostKind host, std::string_view type, ParameterUse use) {
    // "?" and NUL cut off what is added behind.
    const std::size_t tail = url.query.find_first_not_of('?');
    const bool cut = (url.has_query && tail == std::string_view::npos) ||
                     (url.path.ends_with('\0') && !url.path.starts_with('\0'));
    bool code = kCode.has(type);
    for (std::size_t at = url.path.find('/', 1); at < kMaxShownBytes && !code;
         at = url.path.find('/', at + 1))
      code = kCode.has(extension(url.path.substr(0, at)));
    if (code) {
      const bool by_address = host != HostKind::kName && !kTexts.has(type);
      const bool queried = url.has_query && !cut;  // a page of somebody's
      // A text on another host is no page that anybody is led to; for what names an address it may be wanted.
      const bool text = kTexts.has(type) && context_.location == Location::kQuery && !context_.in_name &&
                        use == ParameterUse::kOther && !queried;
      const bool taken =
          use == ParameterUse::kCode || (use == ParameterUse::kFile && (!queried || kTexts.has(type)));
      if (text && !cut)
        return out_.add(InclusionEvidence::kRemoteText, Certainty::kCertain, url.begin, url.end, url.host);
      out_.add(InclusionEvidence::kRemoteCode,
               cut || by_address || taken   ? Certainty::kCertain
               : use == ParameterUse::kFile ? Certainty::kLikely
                                            : Certainty::kPossible,
               url.begin, url.end, url.host);
    } else if (cut) {
      out_.add(InclusionEvidence::kRemoteCut, Certainty::kCertain, url.begin, url.end, url.host);
    } else if (use == ParameterUse::kCode && type.empty() && !context_.in_name) {
      // include=http://a.example/x: what the application adds behind it names the file.
      out_.add(InclusionEvidence::kRemoteCode, Certainty::kLikely, url.begin, url.end, url.host);
    }
  }

  std::string_view text_;
  const FieldContext& context_;
  EvidenceList& out_;
  const std::size_t first_;  // byte that is no white space and no quote
};

class InclusionMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "inclusion"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }
  std::uint32_t reads_places() const noexcept override {
    return kEveryPlace & ~place_bit(Location::kFile, false);
  }
  bool reads_kept_plus() const noexcept override { return false; }
  Needs needs() const override {
    return {{any_literal({"://", ":/", ":\\", "data:", "http:", "//", "\\\\"})}};
  }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    Finder(text, context, out).run();
  }
};

}  // namespace

std::unique_ptr<Matcher> make_inclusion_matcher() { return std::make_unique<InclusionMatcher>(); }

}  // namespace wafd::detect
