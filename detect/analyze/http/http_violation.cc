#include "detect/analyze/http/http_violation.h"

#include <algorithm>
#include <charconv>

#include "detect/analyze/base/analyzer.h"
#include "detect/analyze/http/chunk_reader.h"
#include "detect/analyze/http/field_grammar.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t {
  kLengthAndChunks,
  kLengthBesideEncoding,
  kLengthsDiffer,
  kLengthInvalid,
  kLengthRepeated,
  kEncodingDisguised,
  kEncodingUnknown,
  kChunkedNotLast,
  kFramingName,
  kSpaceBeforeColon,
  kFolding,
  kNulOrCr,
  kControl,
  kFieldName,
  kHostsDiffer,
  kHostRepeated,
  kHostAbsolute,
  kRequestLine,
  kVersion,
  kMethodToken,
  kMethodDiagnostic,
  kMethodOverride,
  kTooManyFields,
  kRequestBehindChunks,
  kChunkExtension,
  kRanges,
  kHostInvalid,
  kRangeOdd,
  kExpectUnknown,
  kConnectionDrops,
  kMediaTypesDiffer,
  kCharsetHides,
  kProxyField,
  kTargetForm,
  kEscapeBroken,
  kEscapedNul,
};

constexpr auto kBalanced = Sensitivity::kBalanced;
constexpr auto kStrict = Sensitivity::kStrict;
constexpr RuleSpec kRules[] = {
    {"length-and-chunks", "Content-Length and Transfer-Encoding contradict each other", Risk::kHigh,
     kBalanced},
    {"length-beside-encoding", "Content-Length beside Transfer-Encoding", Risk::kMedium, kStrict},
    {"lengths-differ", "Content-Length with two values", Risk::kHigh, kBalanced},
    {"length-invalid", "Content-Length that is no number", Risk::kMedium, kBalanced},
    {"length-repeated", "Content-Length given twice", Risk::kLow, kStrict},
    {"encoding-disguised", "Transfer-Encoding that only some servers read as chunked", Risk::kHigh,
     kBalanced},
    {"encoding-unknown", "Transfer-Encoding that no request can have", Risk::kMedium, kStrict},
    {"chunked-not-last", "Transfer-Encoding with chunked twice or not at the end", Risk::kHigh, kBalanced},
    {"framing-name", "Name of a framing header in disguise", Risk::kHigh, kBalanced},
    {"space-before-colon", "White space between the name of a header and its colon", Risk::kMedium, kStrict},
    {"folding", "Header value folded over several lines", Risk::kLow, kStrict},
    {"nul-or-cr", "NUL or bare CR in the head", Risk::kMedium, kBalanced},
    {"control", "Control byte in the head", Risk::kLow, kStrict},
    {"field-name", "Header line without a valid name", Risk::kLow, kStrict},
    {"hosts-differ", "Two Host headers that differ", Risk::kHigh, kBalanced},
    {"host-repeated", "Host header given twice", Risk::kMedium, kStrict},
    {"host-absolute", "Request target and Host header name different hosts", Risk::kMedium, kStrict},
    {"request-line", "Malformed request line", Risk::kLow, kStrict},
    {"version", "HTTP version that does not exist", Risk::kLow, kStrict},
    {"method-token", "Method with bytes that no method has", Risk::kMedium, kStrict},
    {"method-diagnostic", "Method for diagnostics or tunnels", Risk::kLow, kStrict},
    {"method-override", "Header that turns the method into another one", Risk::kMedium, kStrict},
    {"too-many-fields", "More header fields than are read", Risk::kLow, kStrict},
    {"request-behind-chunks", "A second request behind the last chunk of the body", Risk::kHigh, kBalanced},
    {"chunk-extension", "Chunk with an extension", Risk::kLow, kStrict},
    {"ranges", "Range header with very many ranges", Risk::kMedium, kBalanced},
    {"host-invalid", "Host header that is no host", Risk::kMedium, kBalanced},
    {"range-odd", "Range header that is malformed or asks for the same bytes again", Risk::kLow, kStrict},
    {"expect-unknown", "Expect header that asks for what HTTP does not have", Risk::kLow, kStrict},
    {"connection-drops", "Connection header that has a proxy drop another header", Risk::kHigh, kBalanced},
    {"media-types-differ", "Two Content-Type headers that differ", Risk::kMedium, kStrict},
    {"charset-hides", "Body in a charset that no browser writes", Risk::kLow, kStrict},
    {"proxy-field", "Proxy header, which programs take for a setting of theirs", Risk::kMedium, kBalanced},
    {"target-form", "Request target in a form that no client sends", Risk::kLow, kStrict},
    {"escape-broken", "Percent sign in the path that escapes nothing", Risk::kLow, kStrict},
    {"escaped-nul", "Escaped NUL in the path", Risk::kMedium, kBalanced},
};

constexpr WordSet kTransferCodings({"chunked", "compress", "x-compress", "deflate", "gzip", "x-gzip",
                                    "identity"});
constexpr WordSet kOverrides({"x-http-method", "x-method-override", "x-http-method-override"});

// The framing headers that were met.
struct Seen {
  const HeaderField* length = nullptr;
  const HeaderField* encoding = nullptr;
  const HeaderField* host = nullptr;
  const HeaderField* media_type = nullptr;
  std::string_view length_value;  // the first one
  bool chunked = false;           // the last coding
  bool any_chunked = false;
  bool identity = false;
};

bool is_number(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// Letters alone, in lower case, compared with `word`: what a server that forgives much might read.
bool reads_as(std::string_view name, std::string_view word) noexcept {
  std::size_t at = 0;
  for (const char c : name) {
    if (!is_alpha(c)) continue;
    if (at == word.size() || to_lower(c) != word[at]) return false;
    ++at;
  }
  return at == word.size();
}

class ViolationReader {
 public:
  ViolationReader(const Request& request, const RequestHead& head, std::vector<RequestHit>& hits)
      : request_(request), head_(head), hits_(hits) {}

  void read() {
    for (const HeaderField& field : head_.fields) read_field(field);
    finish_framing();
    read_target();
    if (head_.flags != 0) read_flags();
  }

 private:
  void add(std::uint16_t rule, Location location, std::string_view name, std::string_view piece,
           const char* reason) {
    for (const RequestHit& hit : hits_) {
      if (hit.rule == rule) return;
    }
    hits_.push_back({rule, location, name, piece, reason});
  }
  void add(std::uint16_t rule, const HeaderField& field, const char* reason) {
    const std::string_view piece = field.value.empty() ? field.name : field.value;
    add(rule, Location::kHeader, field.name, piece, reason);
  }

  void read_field(const HeaderField& field) {
    switch (field.name.size()) {
      case 4:
        if (iequals(field.name, "Host")) read_host(field);
        break;
      case 5:
        if (iequals(field.name, "Range")) read_range(field);
        if (iequals(field.name, "Proxy"))
          add(kProxyField, field, "Programs run by the server find it as HTTP_PROXY and send through it.");
        break;
      case 6:
        if (iequals(field.name, "Expect") && !field.value.empty() && !iequals(field.value, "100-continue"))
          add(kExpectUnknown, field, "There is no expectation but 100-continue.");
        break;
      case 10:
        if (iequals(field.name, "Connection") && !dropped_field(field.value).empty())
          add(kConnectionDrops, field, "A proxy that obeys takes away what the application relies on.");
        break;
      case 12:
        if (iequals(field.name, "Content-Type")) read_media_type(field);
        break;
      case 13:
      case 22:
        read_override(field);
        break;
      case 14:
        if (iequals(field.name, "Content-Length")) {
          read_length(field);
        } else if (field.name[7] == '_' && reads_as(field.name, "contentlength")) {
          add_disguised(field);
        }
        break;
      case 17:
        if (iequals(field.name, "Transfer-Encoding")) {
          read_encoding(field);
        } else if (field.name[8] == '_' && reads_as(field.name, "transferencoding")) {
          add_disguised(field);
        } else {
          read_override(field);
        }
        break;
      default:
        break;
    }
  }

  void add_disguised(const HeaderField& field) {
    add(kFramingName, Location::kHeader, field.name, field.name,
        "One server takes this for a header that frames the message, the next one does not.");
  }

  // RFC 9110 section 8.6: digits; the same value several times may be taken for one.
  void read_length(const HeaderField& field) {
    std::string_view rest = field.value;
    while (true) {
      const std::size_t comma = rest.find(',');
      const std::string_view value = trim(rest.substr(0, comma));
      std::uint64_t bytes = 0;
      const char* const end = value.data() + value.size();
      if (is_number(value) && std::from_chars(value.data(), end, bytes).ec != std::errc()) {
        add(kLengthInvalid, field, "No body is that long; a server that counts over reads another length.");
      } else if (!is_number(value)) {
        if (!field.value.empty()) add(kLengthInvalid, field, "Content-Length holds more than digits.");
      } else if (seen_.length_value.empty()) {
        seen_.length_value = value;
      } else if (value != seen_.length_value) {
        add(kLengthsDiffer, field, "Two servers may take different lengths for the body of this request.");
      } else {
        add(kLengthRepeated, field, "Content-Length is there more than once.");
      }
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    if (seen_.length == nullptr) seen_.length = &field;
  }

  // RFC 9112 section 6.1: in a request the last coding is chunked, and that only once.
  void read_encoding(const HeaderField& field) {
    std::string_view rest = field.value;
    if (seen_.encoding == nullptr) seen_.encoding = &field;
    while (true) {
      const std::size_t comma = rest.find(',');
      const std::string_view coding = trim(rest.substr(0, comma));
      const bool chunked = iequals(coding, "chunked");
      seen_.identity = seen_.identity || iequals(coding, "identity");
      if (chunked && seen_.any_chunked)
        add(kChunkedNotLast, field, "The body cannot be chunked twice.");
      else if (!chunked && seen_.chunked && !coding.empty())
        add(kChunkedNotLast, field, "Something stands behind chunked, so the end of the body is not known.");
      if (!kTransferCodings.has(coding) && !coding.empty()) {
        if (ifind(coding, "chunked") != std::string_view::npos) {
          add(kEncodingDisguised, field,
              "A strict server refuses this coding, a forgiving one takes it for chunked.");
        } else {
          add(kEncodingUnknown, field, "There is no such transfer coding.");
        }
      }
      if (!coding.empty()) seen_.chunked = chunked;
      seen_.any_chunked = seen_.any_chunked || chunked;
      if (seen_.identity && chunked)
        add(kEncodingDisguised, field, "A server that reads identity alone does not see the chunks.");
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }

  void read_host(const HeaderField& field) {
    if (!is_host_field(field.value))
      add(kHostInvalid, field, "Applications that build links or choose a site by it get something else.");
    if (seen_.host == nullptr) {
      seen_.host = &field;
    } else if (iequals(field.value, seen_.host->value)) {
      add(kHostRepeated, field, "The Host header is there more than once.");
    } else {
      add(kHostsDiffer, field, "Two servers may take this request for different hosts.");
    }
  }

  void read_range(const HeaderField& field) {
    const RangeForm form = range_form(field.value);
    if (form == RangeForm::kMany) add(kRanges, field, "So many ranges only make a server work.");
    if (form == RangeForm::kOdd) add(kRangeOdd, field, "No client asks for these ranges.");
  }

  void read_media_type(const HeaderField& field) {
    if (seen_.media_type == nullptr) {
      seen_.media_type = &field;
    } else if (!iequals(field.value, seen_.media_type->value)) {
      add(kMediaTypesDiffer, field, "Two servers may read the body in two different ways.");
    }
    if (hides_ascii(field.value))
      add(kCharsetHides, field, "What the body says shows only to who decodes this charset.");
  }

  // POST that stands for PUT, PATCH or DELETE is the ordinary use.
  void read_override(const HeaderField& field) {
    if (!kOverrides.has(field.name)) return;
    static constexpr WordSet kOdd({"trace", "track", "debug", "connect"});
    const bool safe = iequals(head_.method, "GET") || iequals(head_.method, "HEAD");
    const bool to_safe = iequals(field.value, "GET") || iequals(field.value, "HEAD");
    const bool token = std::all_of(field.value.begin(), field.value.end(),
                                   [](char c) { return is_alpha(c) || c == '-' || c == '_'; });
    if (!token || kOdd.has(field.value) || (safe && !to_safe))
      add(kMethodOverride, field, "What was let through as one method is carried out as another one.");
  }

  void finish_framing() {
    if (seen_.encoding != nullptr && seen_.encoding->value.empty())
      add(kEncodingUnknown, *seen_.encoding, "Transfer-Encoding is empty.");
    else if (seen_.encoding != nullptr && !seen_.any_chunked)
      add(kEncodingUnknown, *seen_.encoding, "The last transfer coding of a request must be chunked.");
    // An unchunked body under Transfer-Encoding is the work of a gateway. What is still chunked came so.
    if (seen_.encoding == nullptr && !request_.body.starts_with("0\r\n")) return;
    const Chunks chunks = read_chunks(request_.body);
    if (chunks.ended && looks_like_request(chunks.rest)) {
      add(kRequestBehindChunks, Location::kBody, {}, chunks.rest.substr(0, chunks.rest.find('\n')),
          "Behind the last chunk begins another request, which a second server would answer.");
    }
    if (seen_.encoding == nullptr) return;
    if (chunks.extension)
      add(kChunkExtension, Location::kBody, {}, request_.body.substr(0, 32), "A chunk has an extension.");
    if (seen_.length == nullptr) return;
    add(kLengthBesideEncoding, *seen_.encoding,
        "Transfer-Encoding overrides Content-Length, if a server knows that.");
    std::uint64_t length = 0;
    const std::string_view text = seen_.length_value;
    const bool number = std::from_chars(text.data(), text.data() + text.size(), length).ec == std::errc();
    const bool whole = !request_.body_truncated && !request_.body_abandoned && !request_.body.empty();
    if (chunks.begun || (whole && (!number || length != request_.body.size()))) {
      add(kLengthAndChunks, *seen_.length,
          "Content-Length and Transfer-Encoding end the body at different places.");
    }
  }

  void read_target() {
    const std::string_view method = head_.method;
    static constexpr WordSet kDiagnostic({"trace", "track", "debug", "connect"});
    if (method.size() >= 5 && kDiagnostic.has(method))
      add(kMethodDiagnostic, Location::kUrlPath, {}, method, "Applications do not serve this method.");
    if (!head_.version.empty() && !known_version(head_.version))
      add(kVersion, Location::kUrlPath, {}, head_.version, "There is no such version of HTTP.");
    const std::string_view path = head_.target.substr(0, head_.target.find('?'));
    if (!broken_escape(path).empty())
      add(kEscapeBroken, Location::kUrlPath, {}, head_.target, "Servers read it in different ways.");
    if (path.find("%00") != std::string_view::npos)
      add(kEscapedNul, Location::kUrlPath, {}, head_.target, "Some programs end the name of a file there.");
    if (head_.target.find('#') != std::string_view::npos)
      add(kTargetForm, Location::kUrlPath, {}, head_.target, "A fragment is never sent.");
    if (head_.target.starts_with('/')) return;
    const std::size_t begin = head_.target.find("://");
    const bool no_url = begin == std::string_view::npos || begin > head_.target.find_first_of("/?#");
    if (no_url && !head_.target.empty() && head_.target != "*" && !iequals(method, "CONNECT"))
      add(kTargetForm, Location::kUrlPath, {}, head_.target, "The target is neither a path nor a URL.");
    if (seen_.host == nullptr) return;
    if (begin == std::string_view::npos || begin > head_.target.find_first_of("/?#")) return;
    std::string_view host = seen_.host->value;
    host = host.substr(0, host.starts_with('[') ? host.find(']') + 1 : host.find(':'));
    if (!iequals(without_dot(head_.host()), without_dot(host))) {
      add(kHostAbsolute, Location::kUrlPath, {}, head_.target,
          "The target of the request and its Host header name two different hosts.");
    }
  }

  static std::string_view without_dot(std::string_view host) noexcept {
    if (host.ends_with('.')) host.remove_suffix(1);
    return host;
  }

  // Gateways write HTTP/2 and HTTP/3 in either way.
  static bool known_version(std::string_view version) noexcept {
    if (!version.starts_with("HTTP/")) return false;
    version.remove_prefix(5);
    return version == "1.1" || version == "1.0" || version == "2.0" || version == "2" || version == "3" ||
           version == "3.0" || version == "0.9";
  }

  // The rest is rare: the head has something irregular.
  void read_flags() {
    const std::uint32_t flags = head_.flags;
    if ((flags & kHeadBadRequestLine) != 0) read_request_line();
    if ((flags & kHeadControlByte) != 0) read_controls();
    if ((flags & (kHeadBadFieldName | kHeadNoColon | kHeadObsFold)) != 0) read_odd_fields();
    if ((flags & kHeadTooManyFields) != 0 && !head_.fields.empty())
      add(kTooManyFields, head_.fields.back(), "The head goes on behind this field and is not read further.");
  }

  void read_request_line() {
    const bool token = std::all_of(head_.method.begin(), head_.method.end(), [](char c) {
      return is_alnum(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
    if (!token || head_.method.empty()) {
      add(kMethodToken, Location::kUrlPath, {}, head_.request_line, "The method is no token.");
    } else {
      add(kRequestLine, Location::kUrlPath, {}, head_.request_line,
          "The request line is not a method, a target without spaces and a version.");
    }
  }

  void read_controls() {
    for_each_control(head_.request_line, Location::kUrlPath, {});
    for (const HeaderField& field : head_.fields) {
      // From the first byte of the name to the last of the line.
      const char* begin = field.name.data() != nullptr ? field.name.data() : field.value.data();
      const char* end = field.value.data() + field.value.size();
      const char* head_end = request_.head.data() + request_.head.size();
      while (end < head_end && *end != '\n') ++end;
      std::string_view line(begin, static_cast<std::size_t>(end - begin));
      if (line.ends_with('\r')) line.remove_suffix(1);
      for_each_control(line, Location::kHeader, field.name);
    }
  }

  void for_each_control(std::string_view line, Location location, std::string_view name) {
    for (const char c : line) {
      if ((byte(c) >= 0x20 && byte(c) != 0x7f) || c == '\t') continue;
      if (c == '\0' || c == '\r') {
        add(kNulOrCr, location, name, line,
            "Some servers end the value or the line at this byte, others do not.");
      } else {
        add(kControl, location, name, line, "A control byte has no place in the head of a request.");
      }
    }
  }

  void read_odd_fields() {
    const HeaderField* before = nullptr;
    for (const HeaderField& field : head_.fields) {
      const bool framing = reads_as(field.name, "transferencoding") || reads_as(field.name, "contentlength");
      if (field.name.data() == nullptr) {
        const bool folded = field.value.data() > request_.head.data() &&
                            (field.value.data()[-1] == ' ' || field.value.data()[-1] == '\t');
        if (folded && before != nullptr &&
            (reads_as(before->name, "transferencoding") || reads_as(before->name, "contentlength"))) {
          add_disguised(*before);
        }
        if (folded) {
          add(kFolding, Location::kHeader, before == nullptr ? field.name : before->name, field.value,
              "The value goes on in the next line, which servers read differently.");
        } else {
          add(kFieldName, Location::kHeader, {}, field.value, "A line of the head has no colon.");
        }
        continue;
      }
      before = &field;
      const char* end = field.name.data() + field.name.size();
      const bool spaced = end < request_.head.data() + request_.head.size() && *end != ':';
      const bool regular = iequals(field.name, "Transfer-Encoding") || iequals(field.name, "Content-Length");
      if (framing && (spaced || !regular)) add_disguised(field);
      if (spaced) {
        add(kSpaceBeforeColon, Location::kHeader, field.name, field.name,
            "Between the name and its colon stands white space.");
      } else if (!std::all_of(field.name.begin(), field.name.end(),
                              [](char c) { return byte(c) > 0x20 && byte(c) < 0x7f; }) ||
                 field.name.find_first_of("\"(),/:;<=>?@[\\]{}") != std::string_view::npos ||
                 field.name.empty()) {
        add(kFieldName, Location::kHeader, field.name, field.name.empty() ? field.value : field.name,
            "The name of the header is no token.");
      }
    }
  }

  const Request& request_;
  const RequestHead& head_;
  std::vector<RequestHit>& hits_;
  Seen seen_;
};

class HttpViolationAnalyzer final : public RequestAnalyzer {
 public:
  HttpViolationAnalyzer()
      : rules_(make_rules("m_http_violation", AttackType::kHttpViolation, 6200, kRules)) {}

  std::span<const Rule> rules() const noexcept override { return rules_; }

  void analyze(const Request& request, const RequestHead& head,
               std::vector<RequestHit>& hits) const override {
    ViolationReader(request, head, hits).read();
  }

 private:
  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<RequestAnalyzer> make_http_violation_analyzer() {
  return std::make_unique<HttpViolationAnalyzer>();
}

}  // namespace wafd::detect
