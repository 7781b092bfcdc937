#include "detect/analyze/url/ssrf_matcher.h"

#include <algorithm>
#include <array>
#include <string>

#include "detect/analyze/url/connection.h"
#include "detect/analyze/url/host.h"
#include "detect/analyze/url/hosts.tsv.h"
#include "detect/analyze/url/schemes.tsv.h"
#include "detect/analyze/url/services.tsv.h"
#include "detect/analyze/url/share.h"
#include "detect/analyze/url/url_reader.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

using url::HostKind;
using url::ParameterUse;
using url::SchemeUse;
using url::Service;
using url::ServiceUse;
using url::Url;

enum class SsrfEvidence : std::uint8_t {
  kMetadata,
  kOddAddress,
  kInside,
  kOwnMachine,
  kForeignService,
  kInterface,
  kProtocol,
  kConnection,
  kConfused,
  kConfusedPath,
  kLookAlike,
  kLiteral,
  kSocket,
  kDevice,
  kShare,
};
constexpr std::array<std::string_view, 15> kNames{
    "metadata",   "odd_address", "inside",     "own_machine", "foreign_service",
    "interface",  "protocol",    "connection", "confused",    "confused_path",
    "look_alike", "literal",     "socket",     "device",      "share"};

constexpr std::size_t kMaxMentionBytes = 64;  // of a host inside of a text
constexpr std::size_t kServiceSegments = 2;   // of a row of the table

bool is_one_word(std::string_view host) noexcept {
  return !host.empty() && is_alpha(host[0]) &&
         std::all_of(host.begin(), host.end(), [](char c) { return is_alnum(c) || c == '-' || c == '_'; });
}

// Labels of letters, digits and hyphens (RFC 1123 2.1), of any script. The pattern /\.(png|gif)$/ names none.
bool is_name_of_host(std::string_view host) noexcept {
  return host.front() != '.' && std::all_of(host.begin(), host.end(), [](char c) {
           return is_alnum(c) || c == '.' || c == '-' || c == '_' || byte(c) >= 0x80;
         });
}

// "a.example", "1.2.3.4:80", "a.example%2f": what stands before an @ and looks like a host.
bool looks_like_host(std::string_view user) noexcept {
  if (user.find_first_of("%@\\/ #") != std::string_view::npos || user.find("]:") != std::string_view::npos)
    return true;
  return user.find('.') != std::string_view::npos;
}

const Service* service_of(const Url& url) noexcept {
  std::string key = ":";
  if (const Service* row = url::kServices.find(key.append(url.port.substr(0, 6)))) return row;
  const std::size_t begin = url.path.find_first_not_of("/\\");
  if (begin == std::string_view::npos) return nullptr;
  const std::string_view path = url.path.substr(begin);
  const Service* found = nullptr;
  for (std::size_t i = 0, end = 0; i < kServiceSegments && end < path.size(); ++i) {
    end = std::min(path.find('/', end == 0 ? 0 : end + 1), path.size());
    if (const Service* row = url::kServices.find(path.substr(0, end))) found = row;
  }
  return found;
}

class Finder {
 public:
  Finder(std::string_view text, const FieldContext& context, EvidenceList& out) noexcept
      : text_(text), context_(context), out_(out) {}

  void run() {
    if (const url::ShareKind share = url::read_share(text_); share != url::ShareKind::kNone) {
      const bool device = share == url::ShareKind::kDevice;
      out_.add(device ? SsrfEvidence::kDevice : SsrfEvidence::kShare,
               share == url::ShareKind::kNetwork ? Certainty::kPossible : Certainty::kCertain, 0,
               text_.size());
    }
    if (const auto url = url::read_url(text_)) {
      url_ = *url;
      read();
      mentions(url_.authority.empty() ? url_.end
                                      : static_cast<std::size_t>(url_.authority.data() - text_.data()));
    } else {
      read_bare();
      mentions(0);
    }
  }

 private:
  // A URL with words behind it is also a sentence.
  void add(SsrfEvidence kind, std::string_view detail = {}) {
    out_.add(kind, url_.alone ? Certainty::kCertain : Certainty::kLikely, url_.begin, url_.end, detail);
  }

  void read() {
    const url::Scheme* row = url::kSchemes.find(url_.scheme);
    const bool relative = url_.scheme.empty();
    if (relative ? !url_.alone : row == nullptr) {
      if (url_.authority.empty() && url_.slashes == 0) return read_bare();
      // local:// and others: whatever reads the scheme, the number is a disguise.
      if (read_host() == HostKind::kMetadata) add(SsrfEvidence::kMetadata, host_);
      return;
    }
    const SchemeUse use = relative ? SchemeUse::kWeb : row->use;
    if (use == SchemeUse::kSocket || url_.authority == "unix:") {
      if (url_.path.size() > 1 || url_.authority.find('%') != std::string_view::npos) read_socket();
      return;
    }
    const bool wide = read_host_text();
    if (wide) add(SsrfEvidence::kLookAlike, host_);
    const HostKind kind = url::host_kind(host_, url_.bracketed);
    if (use >= SchemeUse::kProtocol && url_.slashes < 2) return;
    if (use >= SchemeUse::kProtocol) {
      const bool setting = url_.alone && !wide && is_connection(url_, *row, kind, context_);
      // Behind "/_" gopher sends what stands there, with spaces, too.
      const bool sends = url_.path.starts_with("/_");
      out_.add(setting ? SsrfEvidence::kConnection : SsrfEvidence::kProtocol,
               url_.alone || sends ? Certainty::kCertain : Certainty::kLikely, url_.begin, url_.end,
               url_.scheme);
      if (kind == HostKind::kMetadata) add(SsrfEvidence::kMetadata, host_);
      return;
    }
    if (use != SchemeUse::kWeb && use != SchemeUse::kTransfer && use != SchemeUse::kFetch &&
        use != SchemeUse::kNest) {
      if (kind == HostKind::kMetadata) add(SsrfEvidence::kMetadata, host_);
      return;
    }
    judge_host(kind, relative);
    if (use == SchemeUse::kWeb && !relative) find_confusion(kind);
    // "/\a.example" is no path to a browser.
    if (relative && url_.backslash && kind == HostKind::kName &&
        url_.path.find('\\') == std::string_view::npos && text_[url_.begin] != text_[url_.begin + 1] &&
        host_.find('.') != std::string::npos && is_name_of_host(host_))
      add(SsrfEvidence::kConfused, host_);
  }

  // True: the host was spelt in characters that become ASCII.
  bool read_host_text() {
    const bool plain = std::all_of(url_.host.begin(), url_.host.end(),
                                   [](char c) { return byte(c) > ' ' && byte(c) < 0x80 && c != '%'; });
    const bool wide = !plain && url::plain_host(url_.host, host_);
    if (plain) host_ = url_.host;
    return wide;
  }
  HostKind read_host() {
    read_host_text();
    return url::host_kind(host_, url_.bracketed);
  }

  void judge_host(HostKind kind, bool relative) {
    const Service* service = service_of(url_);
    const SsrfEvidence service_kind = service != nullptr && service->use == ServiceUse::kForeign
                                          ? SsrfEvidence::kForeignService
                                          : SsrfEvidence::kInterface;
    switch (kind) {
      case HostKind::kMetadata:
      case HostKind::kLinkLocal:
        return add(SsrfEvidence::kMetadata, host_);
      case HostKind::kOdd:
        // "//10" and "//10.5" may be anything.
        if (!relative || url_.bracketed || std::count(host_.begin(), host_.end(), '.') >= 3 ||
            is_alpha(host_.back()) || istarts_with(host_, "0x"))
          add(SsrfEvidence::kOddAddress, host_);
        return;
      case HostKind::kLoopback:
      case HostKind::kPrivate:
        if (service != nullptr && !istarts_with(url_.scheme, "ws")) {
          add(service_kind, host_);
        } else if (!url_.user.empty() && looks_like_host(url_.user)) {
          add(SsrfEvidence::kConfused, host_);
        } else if (kind == HostKind::kLoopback && is_own_machine() && use() != ParameterUse::kWayBack) {
          add(SsrfEvidence::kOwnMachine, host_);
        } else {
          add(SsrfEvidence::kInside, host_);
        }
        return;
      case HostKind::kPublic:
        if (url_.bracketed) add(SsrfEvidence::kLiteral, host_);
        return;
      case HostKind::kName:
        // A name of one word is one of the server's network.
        if (service != nullptr && !relative && istarts_with(url_.scheme, "http") && url_.user.empty() &&
            !url_.port.empty() && is_one_word(host_))
          add(service_kind, host_);
        return;
    }
  }

  ParameterUse use() const noexcept {
    if (context_.in_name) return ParameterUse::kOther;
    const ParameterUse use = url::use_of(context_.name);
    // {"page": {"url": …}}, {"$current_url": …}: where the browser is that tells what happened there
    const bool page =
        iequals(context_.parent, "page") || ifind(context_.name, "current") != std::string_view::npos;
    return use == ParameterUse::kAddress && page ? ParameterUse::kWayBack : use;
  }

  // By its number and at the web's own port, or by another name than browsers on it use: pages of
  // applications in a shell of their own stand at http://localhost, and callbacks of programs (RFC 8252 7.3).
  bool is_own_machine() const noexcept {
    const bool web_port = url_.port.empty() || url_.port == "80" || url_.port == "443";
    if (url_.bracketed || is_digit(host_[0])) return web_port || use() == ParameterUse::kAddress;
    if (iequals(host_, "localhost"))
      return use() == ParameterUse::kAddress && !is_setting_of_tests() && !names_its_receiver();
    // A container asks its developer's machine, at a port of his own.
    const bool developers =
        iequals(host_, "host.docker.internal") || iequals(host_, "host.containers.internal");
    return !developers || (!url_.port.empty() && (url_.port.size() < 4 || url_.port[0] == '0')) ||
           ifind(url_.path, "admin") != std::string_view::npos;
  }

  // {"jest": {"testURL": …}}: a package's document says where its tests find the page that they run in.
  bool is_setting_of_tests() const noexcept {
    static constexpr WordSet kTools({"cypress", "e2e", "jest", "karma", "nightwatch", "playwright",
                                     "testenvironmentoptions", "testoptions", "webdriver"});
    return context_.location == Location::kBody && !context_.in_name && kTools.has(context_.parent);
  }

  // <samlp:Response Destination="…">: a message of SAML names the address that it is sent to (saml-core-2.0
  // section 3.2), which its receiver compares with its own.
  bool names_its_receiver() const noexcept {
    static constexpr WordSet kAddresses({"assertionconsumerserviceurl", "destination", "recipient"});
    static constexpr WordSet kMessages({"artifactresolve", "artifactresponse", "assertion", "authnrequest",
                                        "logoutrequest", "logoutresponse", "response",
                                        "subjectconfirmationdata"});
    const std::string_view element = context_.parent.substr(context_.parent.find(':') + 1);
    return context_.location == Location::kBody && kMessages.has(element) && kAddresses.has(context_.name);
  }

  void find_confusion(HostKind kind) {
    const std::string_view value = text_.substr(url_.begin, url_.end - url_.begin);
    const bool inner = kind == HostKind::kLoopback || kind == HostKind::kPrivate;
    if ((url_.slashes != 2 || url_.backslash) && inner) add(SsrfEvidence::kConfused, host_);
    // At the very end it is one that a program in C left there.
    const std::size_t nul = url_.authority.find('\0');
    if (nul != std::string_view::npos &&
        url_.authority.find_first_not_of('\0', nul) != std::string_view::npos)
      add(SsrfEvidence::kConfused, host_);
    if (inner && url_.host.find('%') != std::string_view::npos && !url_.bracketed)
      add(SsrfEvidence::kConfused, host_);
    // https://first.last@host/x.git is how repositories are named.
    if (!url_.user.empty() && kind != HostKind::kMetadata && looks_like_host(url_.user) &&
        !url_.path.ends_with(".git"))
      add(SsrfEvidence::kConfused, host_);
    // http://good.example#@evil.example/: for one reader a fragment, for another a user's name
    const std::size_t end =
        static_cast<std::size_t>(url_.authority.data() + url_.authority.size() - value.data());
    if (end + 2 < value.size() && value[end + 1] == '@' && value[end] != '/') {
      const std::string_view other = value.substr(end + 2, value.find_first_of("/\\?#:", end + 2) - end - 2);
      const HostKind other_kind = url::host_kind(other, false);
      if (other_kind == HostKind::kMetadata || other_kind == HostKind::kLinkLocal) {
        add(SsrfEvidence::kMetadata, other);
      } else if (other_kind != HostKind::kName || other.find('.') != std::string_view::npos) {
        add(SsrfEvidence::kConfused, other);
      }
    }
    // http://good.example/@evil.example/: for a check that takes all before the @ for a user's name
    const std::string_view first = url_.path.substr(0, url_.path.find('/', 1));
    const std::size_t sign = first.find('@');
    const std::size_t dot = first.rfind('.');
    if (sign != std::string_view::npos && dot != std::string_view::npos && dot > sign + 1 &&
        first.size() - dot > 2 && is_alpha(first[dot + 1]) && url_.alone)
      add(SsrfEvidence::kConfusedPath, first);
  }

  // Of Docker, of PHP, of databases; logs and settings name some.
  void read_socket() {
    const std::string_view value = text_.substr(url_.begin, url_.end - url_.begin);
    bool runs = !iequals(url_.scheme, "unix");
    for (const std::string_view name : {"docker", "containerd", "podman", "crio", "fpm", "systemd"})
      runs = runs || ifind(value, name) != std::string_view::npos;
    out_.add(SsrfEvidence::kSocket, runs && url_.alone ? Certainty::kCertain : Certainty::kLikely, url_.begin,
             url_.end, value);
  }

  // localhost/admin, 169.254.169.254/latest: addresses without a scheme.
  void read_bare() {
    const std::size_t begin = skip_space(text_, 0);
    const std::size_t end = std::min(text_.find_first_of("/:?# \t\r\n\\,;", begin), text_.size());
    if (end - begin > kMaxMentionBytes || end == begin) return;
    const std::string_view host = text_.substr(begin, end - begin);
    url_.begin = begin;
    url_.end = end;
    url_.alone = std::none_of(text_.begin() + static_cast<std::ptrdiff_t>(end), text_.end(), is_space);
    const HostKind kind = url::host_kind(host, false);
    if (kind == HostKind::kMetadata && (host.find('.') != std::string_view::npos) &&
        host != "metadata.google")
      return add(SsrfEvidence::kMetadata, host);
    const bool goes_on = end < text_.size() && (text_[end] == '/' || text_[end] == ':');
    if (kind == HostKind::kLoopback && goes_on && url_.alone && !is_digit(host[0]))
      add(text_[end] == '/' ? SsrfEvidence::kOwnMachine : SsrfEvidence::kInside, host);
  }

  // In a text, and in the query of another address.
  void mentions(std::size_t from) {
    for (std::size_t at = text_.find("//", from); at != std::string_view::npos;
         at = text_.find("//", at + 2)) {
      Url url;
      const std::string_view rest = text_.substr(at + 2, kMaxMentionBytes);
      url::read_authority(rest.substr(0, rest.find_first_of("/\\?# \t\r\n\"'<>)&")), url);
      if (url.host.empty() || url::host_kind(url.host, url.bracketed) != HostKind::kMetadata) continue;
      out_.add(SsrfEvidence::kMetadata, loads_in_tag(at) ? Certainty::kLikely : Certainty::kPossible, at,
               at + 2 + url.authority.size(), url.host);
    }
  }

  // <iframe src=http://169.254.169.254/>: the value of an attribute by which an element that is no link
  // loads.
  bool loads_in_tag(std::size_t at) const noexcept {
    constexpr std::size_t kMaxTagBytes = 256;
    const std::size_t from = at > kMaxTagBytes ? at - kMaxTagBytes : 0;
    const std::string_view before = text_.substr(from, at - from);
    const std::size_t open = before.rfind('<');
    if (open == before.npos || before.find('>', open) != before.npos || open + 2 >= before.size())
      return false;
    const std::string_view tag = before.substr(open + 1);
    std::string_view value = tag.substr(0, tag.find_last_not_of("htpsHTPS:") + 1);
    while (!value.empty() && (value.back() == '"' || value.back() == '\'' || value.back() == ' '))
      value.remove_suffix(1);
    if (!is_alpha(tag[0]) || istarts_with(tag, "a ") || !value.ends_with('=')) return false;
    value.remove_suffix(1);
    const std::size_t blank = value.find_last_of(" \t\n");
    static constexpr WordSet kNames(
        {"src", "href", "xlink:href", "data", "poster", "action", "srcset", "background"});
    return blank != value.npos && kNames.has(value.substr(blank + 1));
  }

  std::string_view text_;
  const FieldContext& context_;
  EvidenceList& out_;
  Url url_;
  std::string host_;
};

class SsrfMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "ssrf"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }
  std::uint32_t reads_places() const noexcept override {
    return kEveryPlace & ~(place_bit(Location::kFile, false) | place_bit(Location::kFile, true) |
                           place_bit(Location::kHeader, true));
  }
  bool reads_kept_plus() const noexcept override { return false; }
  Needs needs() const override {
    Sign words{SignKind::kWords, {}};
    for (const url::HostName& row : url::kHosts.rows()) {
      if (row.kind == HostKind::kLoopback || row.kind == HostKind::kMetadata)
        words.parts.emplace_back(longest_word(row.text));
    }
    return {{any_literal({"//", "/\t", "/\n", "/\r", "\\\\", "/\\", "\\/",
                          "http:", "https:", "unix:", "npipe:", "169.254.", "100.100.100.200"})},
            {std::move(words), any_byte("/:.")}};
  }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    if (context.location != Location::kUrlPath || context.in_name) return Finder(text, context, out).run();
    // An application may take the rest of a path for an address: /fetch/http://host/a
    const std::size_t begin = url::address_in_path(text);
    if (begin == text.size()) return;
    EvidenceList found;
    Finder(text.substr(begin), context, found).run();
    for (Evidence item : found.items()) {
      item.begin += static_cast<std::uint32_t>(begin);
      item.end += static_cast<std::uint32_t>(begin);
      out.add(std::move(item));
    }
  }
};

}  // namespace

std::unique_ptr<Matcher> make_ssrf_matcher() { return std::make_unique<SsrfMatcher>(); }

}  // namespace wafd::detect
