#include "detect/extract/body.h"

#include <algorithm>

#include "detect/core/octet_finder.h"
#include "detect/core/octets.h"
#include "detect/decode/charset.h"
#include "detect/decode/chunked.h"
#include "detect/decode/inflate.h"
#include "detect/decode/text_check.h"
#include "detect/extract/json_reader.h"
#include "detect/extract/multipart.h"
#include "detect/extract/recode.h"
#include "detect/extract/xml_reader.h"

namespace wafd::detect {
namespace {

constexpr OctetFinder kBlanks(" \t");

bool is_name_octet(char c) noexcept {
  return is_alnum(c) || std::string_view("_.-[]%+$:@!~*/#|\\^?").find(c) != std::string_view::npos;
}

// Begins with name=; says whether what a form would make of it loses nothing.
bool looks_like_form(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size() && at < 256 && is_name_octet(text[at])) ++at;
  return at != 0 && at < text.size() && text[at] == '=';
}

enum class Type : std::uint8_t { kForm, kMultipart, kJson, kXml, kMail, kOther, kNone };

Type declared_type(std::string_view value) noexcept {
  const std::string_view media = value.substr(0, value.find(';'));
  if (trim(value).empty()) return Type::kNone;
  if (ifind(media, "form-urlencoded") != std::string_view::npos) return Type::kForm;
  if (ifind(media, "multipart/") != std::string_view::npos) return Type::kMultipart;
  if (ifind(media, "json") != std::string_view::npos) return Type::kJson;
  if (ifind(media, "xml") != std::string_view::npos) return Type::kXml;
  if (istarts_with(trim(media), "message/")) return Type::kMail;
  return Type::kOther;
}

}  // namespace

struct BodyReader::Parsers {
  JsonReader json;
  XmlReader xml;
  MultipartReader multipart;
};

BodyReader::BodyReader() : parsers_(std::make_unique<Parsers>()) {}
BodyReader::~BodyReader() = default;

bool BodyReader::read_json(std::string_view text, const Field& like, FieldList& out) {
  bool nothing = false;
  return parsers_->json.read(text, like, out, nothing);
}

namespace {

std::string_view name_of(ContentCoding coding) noexcept {
  return coding == ContentCoding::kGzip ? "gzip" : coding == ContentCoding::kDeflate ? "deflate" : "brotli";
}

void add_raw(std::string_view body, Field field, FieldList& out) {
  field.raw = body;
  if (!out.add(field)) out.add_rest(field);
}

}  // namespace

BodyReport BodyReader::read(const Request& request, const RequestHead& head, FieldList& out) {
  BodyReport report;
  if (request.body.empty()) return report;
  report.inspected_octets = request.body.size();
  Field like;
  like.location = Location::kBody;
  std::string_view body = undo_framing(request.body, like, out);
  body = undo_codings(body, head.value("Content-Encoding"), like, out, report);
  read_encoded(body, head, like, out);
  return report;
}

// A gateway that hands on the octets of the connection leaves the chunks' sizes between them.
std::string_view BodyReader::undo_framing(std::string_view body, Field& like, FieldList& out) {
  if (hex_value(body.front()) < 0 || body.substr(0, 300).find("\r\n") == std::string_view::npos) return body;
  if (!chunked_decode(body, unframed_) || unframed_.empty()) return body;
  if (!looks_binary(body)) add_raw(body, like, out);  // perhaps it only looks like it
  like.outer = body;
  like.decode_path = "chunked";
  return unframed_;
}

// RFC 9110 section 8.4.
std::string_view BodyReader::undo_codings(std::string_view body, std::string_view codings, Field& like,
                                          FieldList& out, BodyReport& report) {
  const std::string_view outer = like.outer.data() != nullptr ? like.outer : body;
  for (std::string& to : inflated_) {
    const bool labelled = !trim(codings).empty();
    auto coding = take_content_coding(codings, body);
    if (!coding) break;
    InflateEnd end = inflate(body, *coding, InflateLimits{}, to);
    // Labels are mixed up: gzip, zlib and raw deflate are each told from the octets.
    if (labelled && (to.empty() || end == InflateEnd::kBroken)) {
      const auto seen = sniff_content_coding(body);
      if (seen != coding) {
        coding = seen ? seen : ContentCoding::kDeflate;
        end = inflate(body, *coding, InflateLimits{}, to);
        if (!seen && end != InflateEnd::kComplete) end = InflateEnd::kBroken;
      }
    }
    if (to.empty() || end == InflateEnd::kBroken) break;  // not what it said: judged as it is
    if (end == InflateEnd::kLimit) report.truncated = out.limit_reached = true;
    like.outer = outer;
    like.decode_path = out.arena.join(like.decode_path, '|', name_of(*coding));
    body = to;
  }
  return body;
}

// An encoding whose ASCII is not ASCII, declared or plain to see.
void BodyReader::read_encoded(std::string_view body, const RequestHead& head, const Field& like,
                              FieldList& out) {
  const std::string_view content_type = head.value("Content-Type");
  const Charset declared = declared_charset(content_type);
  const Charset charset = declared.kind != CharsetKind::kAsIs ? declared : sniff_charset(body);
  if (charset.kind == CharsetKind::kAsIs) return read_text(body, content_type, like, out);
  const std::size_t first = out.size();
  if (declared.kind != CharsetKind::kAsIs && head.query.find('%') != std::string_view::npos) {
    Field query;
    query.location = Location::kQuery;
    query.coding = Coding::kForm;
    read_pairs(head.query, query, out);
  }
  const bool recoded = charset_decode(body, charset, recoded_);
  // ASCII may hold the encoding in %HH; and a reader that does not know it takes octets as they stand.
  const bool plain = is_ascii_text(body);
  if (plain || !recoded || !is_text(recoded_)) read_text(body, content_type, like, out);
  if (declared.kind != CharsetKind::kAsIs) add_recoded(out, first, charset);
  if (plain || !recoded) return;
  Field inside = like;
  if (inside.outer.data() == nullptr) inside.outer = body;
  inside.decode_path = out.arena.join(like.decode_path, '|', to_string(charset.kind));
  read_text(recoded_, content_type, inside, out);
}

void BodyReader::read_text(std::string_view body, std::string_view content_type, const Field& like,
                           FieldList& out) {
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

  std::string_view raw = body;
  bool nothing = false;
  if (declared == Type::kJson || text.starts_with('{') || text.starts_with('[')) {
    parsers_->json.read(text, with_path("json"), out, nothing);
    if (!nothing) return;
  }
  if (declared == Type::kMultipart ||
      (text.starts_with("--") &&
       ifind(text.substr(0, 1024), "content-disposition") != std::string_view::npos)) {
    const std::size_t before = out.size();
    if (parsers_->multipart.read(body, content_type, out)) {
      add_as_charset_field_says(out, before);
      out.set_container(before, like);
      return;
    }
    out.shrink(before);
  }
  if (declared == Type::kMail) {
    const std::size_t before = out.size();
    parsers_->multipart.read_part(body, out);
    out.set_container(before, like);
  }
  const bool says_xml = declared == Type::kXml || text.starts_with("<?xml") ||
                        text.starts_with("<!DOCTYPE") || text.starts_with("<!ENTITY");
  // Elements without a declaration may be XML or HTML: read as the one, judged as the other too.
  if (says_xml || (text.starts_with('<') && text.size() > 1 && is_alpha(text[1]))) {
    const std::size_t before = out.size();
    const bool whole = parsers_->xml.read(text, with_path("xml"), out, nothing);
    if (says_xml && !nothing) return;
    if (whole) {
      raw = parsers_->xml.without_sections(out);
    } else {
      out.shrink(before);
    }
  }
  if (looks_binary(body)) {
    Field field = like;
    field.binary = true;
    add_raw(body, field, out);
    read_printable_runs(body, like, out);
    return;
  }
  const bool like_form = looks_like_form(text);
  if (declared == Type::kForm || like_form) {
    Field field = like;
    field.coding = Coding::kForm;
    const std::size_t before = out.size();
    read_pairs(text, field, out);
    add_as_charset_field_says(out, before);
    if (like_form) return;
  }
  // Raw text, and forms whose first name is none: an application may read the body as a whole.
  Field field = like;
  // Text without any white space may be written as forms write it, whatever was declared.
  if (body.find('+') != std::string_view::npos && kBlanks.find(body, 0) == body.size())
    field.coding = Coding::kForm;
  if (field.outer.data() == nullptr) field.outer = body;
  add_raw(raw, field, out);
}

}  // namespace wafd::detect
