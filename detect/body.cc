#include "detect/body.h"

#include <algorithm>

#include "detect/core/octets.h"
#include "detect/decode/inflate.h"
#include "detect/json_reader.h"
#include "detect/xml_reader.h"

namespace wafd::detect {
namespace {

constexpr int kMaxCodings = 2;

// RFC 9110 section 8.3.1: "boundary" and the like, quoted or not.
std::string_view media_parameter(std::string_view value, std::string_view name) noexcept {
  const std::size_t at = ifind(value, name);
  if (at == std::string_view::npos) return {};
  std::string_view rest = trim(value.substr(at + name.size()));
  if (rest.empty() || rest.front() != '=') return {};
  rest = trim(rest.substr(1));
  if (!rest.empty() && rest.front() == '"') {
    rest.remove_prefix(1);
    return rest.substr(0, rest.find('"'));
  }
  return trim(rest.substr(0, rest.find_first_of(";,")));
}

bool is_name_octet(char c) noexcept {
  return is_alnum(c) || std::string_view("_.-[]%+$:@!~*/#|\\^?").find(c) != std::string_view::npos;
}

// Begins with name=; says whether what a form would make of it loses nothing.
bool looks_like_form(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size() && at < 256 && is_name_octet(text[at])) ++at;
  return at != 0 && at < text.size() && text[at] == '=';
}

enum class Type : std::uint8_t { kForm, kMultipart, kJson, kXml, kOther, kNone };

Type declared_type(std::string_view value) noexcept {
  const std::string_view media = value.substr(0, value.find(';'));
  if (trim(value).empty()) return Type::kNone;
  if (ifind(media, "form-urlencoded") != std::string_view::npos) return Type::kForm;
  if (ifind(media, "multipart/") != std::string_view::npos) return Type::kMultipart;
  if (ifind(media, "json") != std::string_view::npos) return Type::kJson;
  if (ifind(media, "xml") != std::string_view::npos) return Type::kXml;
  return Type::kOther;
}

}  // namespace

struct BodyReader::Parsers {
  JsonReader json;
  XmlReader xml;
};

BodyReader::BodyReader() : parsers_(std::make_unique<Parsers>()) {}
BodyReader::~BodyReader() = default;

bool BodyReader::read_json(std::string_view text, const Field& like, FieldList& out) {
  bool nothing = false;
  return parsers_->json.read(text, like, out, nothing);
}

BodyReport BodyReader::read(const Request& request, const RequestHead& head, FieldList& out) {
  BodyReport report;
  std::string_view body = request.body;
  if (body.empty()) return report;
  report.inspected_octets = body.size();
  Field like;
  like.location = Location::kBody;

  // RFC 9110 section 8.4.
  std::string_view codings = head.value("Content-Encoding");
  for (int i = 0; i < kMaxCodings; ++i) {
    const auto coding = take_content_coding(codings, body);
    if (!coding) break;
    std::string& to = inflated_[i];
    const InflateEnd end = inflate(body, *coding, InflateLimits{}, to);
    if (to.empty() || end == InflateEnd::kBroken) break;  // not what it said: judged as it is
    if (end == InflateEnd::kLimit) report.truncated = out.limit_reached = true;
    like.outer = request.body;
    like.decode_path = out.arena.join(like.decode_path, '|',
                                      *coding == ContentCoding::kGzip      ? "gzip"
                                      : *coding == ContentCoding::kDeflate ? "deflate"
                                                                           : "brotli");
    body = to;
  }

  const std::string_view content_type = head.value("Content-Type");
  const Type declared = declared_type(content_type);
  std::size_t first = 0;
  while (first < body.size() && is_space(body[first])) ++first;
  if (body.substr(first, 3) == "\xef\xbb\xbf") first += 3;
  const std::string_view text = body.substr(first);

  const auto with_path = [&](std::string_view step) {
    Field field = like;
    field.decode_path = out.arena.join(like.decode_path, '|', step);
    field.depth = 1;
    return field;
  };

  bool nothing = false;
  if (declared == Type::kJson || text.starts_with('{') || text.starts_with('[')) {
    parsers_->json.read(text, with_path("json"), out, nothing);
    if (!nothing) return report;
  }
  if (declared == Type::kMultipart ||
      (text.starts_with("--") &&
       ifind(text.substr(0, 1024), "content-disposition") != std::string_view::npos)) {
    const std::size_t before = out.size();
    if (read_multipart(body, media_parameter(content_type, "boundary"), out)) {
      out.set_container(before, like);
      return report;
    }
    out.shrink(before);
  }
  const bool says_xml = declared == Type::kXml || text.starts_with("<?xml") ||
                        text.starts_with("<!DOCTYPE") || text.starts_with("<!ENTITY");
  // Elements without a declaration may be XML or HTML: read as the one, judged as the other too.
  if (says_xml || (text.starts_with('<') && text.size() > 1 && is_alpha(text[1]))) {
    const std::size_t before = out.size();
    const bool whole = parsers_->xml.read(text, with_path("xml"), out, nothing);
    if (says_xml && !nothing) return report;
    if (!whole) out.shrink(before);
  }
  if (looks_binary(body)) {
    Field field = like;
    field.raw = body;
    field.binary = true;
    if (!out.add(field)) out.add_rest(field);
    read_printable_runs(body, like, out);
    return report;
  }
  const bool like_form = looks_like_form(text);
  if (declared == Type::kForm || like_form) {
    Field field = like;
    field.coding = Coding::kForm;
    read_pairs(text, field, out);
    if (like_form) return report;
  }
  // Raw text, and forms whose first name is none: an application may read the body as a whole.
  Field field = like;
  field.raw = body;
  // Text without any white space may be written as forms write it, whatever was declared.
  if (body.find('+') != std::string_view::npos && body.find_first_of(" \t") == std::string_view::npos)
    field.coding = Coding::kForm;
  if (!out.add(field)) out.add_rest(field);
  return report;
}

}  // namespace wafd::detect
