#include "detect/extract/body.h"

#include <algorithm>
#include <array>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/decode/base/text_check.h"
#include "detect/decode/base64.h"
#include "detect/decode/content/chunked.h"
#include "detect/decode/content/inflate.h"
#include "detect/extract/archive_documents.h"
#include "detect/extract/body_type.h"
#include "detect/extract/content_lines.h"
#include "detect/extract/csv_reader.h"
#include "detect/extract/json_reader.h"
#include "detect/extract/multipart.h"
#include "detect/extract/recode.h"
#include "detect/extract/wire_reader.h"
#include "detect/extract/xml_reader.h"
#include "detect/extract/yaml_reader.h"

namespace wafd::detect {
namespace {

constexpr ByteFinder kBlanks(" \t");
constexpr std::size_t kSampleBytes = 4096;
constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

bool is_name_byte(char c) noexcept {
  return is_alnum(c) || std::string_view("_.-[]%+$:@!~*/#|\\^?").find(c) != std::string_view::npos;
}

// Begins with name=; says whether what a form would make of it loses nothing.
bool looks_like_form(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size() && at < 256 && is_name_byte(text[at])) ++at;
  return at != 0 && at < text.size() && text[at] == '=';
}

// &name=, wherever it stands.
bool has_second_pair(std::string_view text) noexcept {
  for (std::size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
    if (looks_like_form(text.substr(at + 1))) return true;
  }
  return false;
}

// Without the white space and the mark of UTF-8 that may come first.
std::string_view without_mark(std::string_view body) noexcept {
  body.remove_prefix(skip_space(body, 0));
  if (body.starts_with("\xef\xbb\xbf")) body.remove_prefix(3);
  return body;
}

// Of what a program reads, as its type says: packs of a repository and parts of files have text in them that
// is nobody's value.
bool holds_bytes(std::string_view body, std::string_view content_type) noexcept {
  const std::string_view sample = body.substr(0, kSampleBytes);
  return istarts_with(trim(content_type), "application/") && sample.find('\0') != std::string_view::npos &&
         (flags_of_utf8(sample) & kInvalidUtf8) != 0 && !maybe_wide_text(sample);
}

// A field of what `step` makes of `like`.
Field inside(const Field& like, std::string_view step, FieldList& out) {
  Field field = like;
  field.decode_path = out.arena.join(like.decode_path, '|', step);
  field.depth = 1;
  return field;
}

void add_raw(std::string_view body, Field field, FieldList& out) {
  field.raw = body;
  if (!out.add(field)) out.add_rest(field);
}

void read_form(std::string_view text, const Field& like, FieldList& out) {
  Field field = like;
  field.coding = Coding::kForm;
  const std::size_t before = out.size();
  read_pairs(text, field, out);
  out.mark_log_in(before);
  add_as_charset_field_says(out, before);
}

// A document that ends within a string, because it was cut or is badly made: what is left of it, the last
// field before `end`, is nothing but that string, which was read by itself.
void drop_rest_that_is_a_value(std::string_view rest, std::size_t end, FieldList& out) {
  static constexpr ByteFinder kPunctuation(" \t\r\n:,[{\"'");
  if (out.size() != end + 1 || !rest.ends_with(out[end].raw)) return;
  const Field value = out[end];
  if (kPunctuation.find_other(rest.substr(0, rest.size() - value.raw.size()), 0) !=
      rest.size() - value.raw.size())
    return;
  out.shrink(end - 1);
  out.add(value);
}

bool begins_as_xml(std::string_view text) noexcept {
  return text.starts_with("<?xml") || text.starts_with("<!DOCTYPE") || text.starts_with("<!ENTITY");
}

// Content codings that are undone, or that change nothing of what an application reads.
bool are_known(std::string_view codings) noexcept {
  while (!codings.empty()) {
    const std::size_t comma = std::min(codings.find(','), codings.size());
    const std::string_view one = trim(codings.substr(0, comma));
    if (!one.empty() && !parse_content_coding(one) && !iequals(one, "identity") &&
        !iequals(one, "aws-chunked"))
      return false;
    codings.remove_prefix(std::min(comma + 1, codings.size()));
  }
  return true;
}

}  // namespace

struct BodyReader::Parsers {
  JsonReader json;
  XmlReader xml;
  MultipartReader multipart;
};

BodyReader::BodyReader(std::size_t max_body_bytes) : parsers_(std::make_unique<Parsers>()) {
  limits_.any_ratio_bytes = max_body_bytes;
  limits_.max_output_bytes = std::max(limits_.max_output_bytes, max_body_bytes);
}
BodyReader::BodyReader(BodyReader&&) noexcept = default;
BodyReader& BodyReader::operator=(BodyReader&&) noexcept = default;
BodyReader::~BodyReader() = default;

bool BodyReader::read_json(std::string_view text, const Field& like, FieldList& out) {
  bool nothing = false;
  return parsers_->json.read(text, like, out, nothing);
}

void BodyReader::read_xml(std::string_view text, const Field& like, FieldList& out) {
  bool nothing = false;
  parsers_->xml.read(text, like, out, nothing);
}

BodyReport BodyReader::read(const Request& request, const RequestHead& head, FieldList& out) {
  BodyReport report;
  if (request.body.empty()) return report;
  report.inspected_bytes = report.read_bytes = request.body.size();
  const std::size_t fields = out.size();
  Field like;
  like.location = Location::kBody;
  std::string_view body = undo_framing(request.body, like, out);
  body = undo_codings(body, head, like, out, report);
  like.stored = is_stored_file(head.method, head.path, body);
  // Of several types some readers take the first, others the last.
  std::string_view first;
  std::string_view last;
  for (const HeaderField& field : head.fields) {
    if (!iequals(field.name, "Content-Type")) continue;
    if (first.data() == nullptr) first = field.value;
    last = field.value;
  }
  read_encoded(body, first, head, like, out);
  if (last != first) read_encoded(body, last, head, like, out);
  add_archive_documents(out, fields);
  return report;
}

// A gateway that hands on the bytes of the connection leaves the chunks' sizes between them.
std::string_view BodyReader::undo_framing(std::string_view body, Field& like, FieldList& out) {
  if (hex_value(body.front()) < 0 || body.substr(0, 300).find("\r\n") == std::string_view::npos) return body;
  if (!chunked_decode(body, unframed_) || unframed_.empty()) return body;
  if (!looks_binary(body)) add_raw(body, like, out);  // perhaps it only looks like it
  like.outer = body;
  like.decode_path = "chunked";
  return unframed_;
}

// RFC 9110 section 8.4.
std::string_view BodyReader::undo_codings(std::string_view body, const RequestHead& head, Field& like,
                                          FieldList& out, BodyReport& report) {
  std::string_view codings;
  for (const HeaderField& field : head.fields) {
    if (iequals(field.name, "Content-Encoding")) codings = out.arena.join(codings, ',', field.value);
  }
  const bool known = are_known(codings);
  const std::string_view outer = like.outer.data() != nullptr ? like.outer : body;
  std::size_t undone = 0;
  for (; undone < kMaxCodings; ++undone) {
    std::string& to = inflated_[undone % 2];
    const bool labelled = !trim(codings).empty();
    auto coding = take_content_coding(codings, body);
    if (!coding) break;
    // Snappy has no magic, and text may read as such a stream: whoever does not know the coding reads the
    // text.
    if (coding == ContentCoding::kSnappy && !looks_binary(body)) break;
    InflateEnd end = inflate(body, *coding, limits_, to);
    // Labels are mixed up: each coding is told from the bytes, raw deflate by reading it.
    if (labelled && to.empty()) {
      const auto seen = sniff_content_coding(body);
      coding = seen ? seen : ContentCoding::kDeflate;
      end = inflate(body, *coding, limits_, to);
      if (!seen && end != InflateEnd::kComplete) to.clear();
    }
    report.read_bytes += to.size();
    // The framed format of snappy (sNaPpY), or something else that is called so.
    if (coding == ContentCoding::kSnappy && (end == InflateEnd::kBroken || to.empty())) {
      out.uninspected = true;
      break;
    }
    if (coding == ContentCoding::kSnappy && end == InflateEnd::kTruncated) add_raw(body, like, out);
    if (to.empty()) break;  // not what it said: judged as it is
    like.outer = outer;
    // A packed file that nobody calls a coding is read by nobody as its text.
    if (end == InflateEnd::kLimit && labelled) report.truncated = out.limit_reached = true;
    if (end == InflateEnd::kBroken) add_raw(body, like, out);
    like.decode_path = out.arena.join(like.decode_path, '|', to_string(*coding));
    body = to;
  }
  if (looks_binary(body) && (!known || (undone == kMaxCodings && sniff_content_coding(body))))
    out.uninspected = true;
  return body;
}

// Encodings whose ASCII is not ASCII: declared, plain to see, or named in the document.
void BodyReader::read_encoded(std::string_view body, std::string_view content_type, const RequestHead& head,
                              const Field& like, FieldList& out) {
  std::array<Charset, 4> charsets;
  std::size_t count = 0;
  const auto add = [&](Charset charset) {
    if (charset.kind == CharsetKind::kUnknown) out.uninspected = true;
    const bool decodes = charset.kind != CharsetKind::kUnknown && charset.kind != CharsetKind::kAsIs;
    const auto end = charsets.begin() + static_cast<std::ptrdiff_t>(count);
    if (decodes && count < charsets.size() && std::find(charsets.begin(), end, charset) == end)
      charsets[count++] = charset;
  };
  for (std::size_t from = 0; from < content_type.size();) add(declared_charset(content_type, from));
  const std::size_t declared = count;
  const Charset seen = sniff_charset(body);
  add(seen);
  const Charset named = charset_named(xml_encoding(body));
  if (named.kind != CharsetKind::kUtf16 && named.kind != CharsetKind::kUtf32) add(named);

  const std::size_t first = out.size();
  if (declared != 0 && head.query.find('%') != std::string_view::npos) {
    Field query;
    query.location = Location::kQuery;
    query.coding = Coding::kForm;
    read_pairs(head.query, query, out);
  }
  // ASCII may hold the encoding in %HH; and a reader that does not know it takes bytes as they stand.
  std::string text;
  const bool wide =
      seen.kind != CharsetKind::kAsIs &&
      (seen.kind == CharsetKind::kEbcdic || body.substr(0, 256).find('\0') != std::string_view::npos);
  const bool fits =
      wide || (count != 0 && charsets[0].kind == CharsetKind::kEbcdic &&
               charset_decode(body, charsets[0], text) && text.find(kReplacement) == std::string::npos);
  const bool plain = !fits || is_ascii_text(body) || (wide && declared_type(content_type) == BodyType::kForm);
  if (plain) read_text(body, content_type, like, out);
  const std::size_t end = out.size();
  for (std::size_t i = 0; i < declared; ++i) add_recoded(out, first, end, charsets[i]);
  for (std::size_t i = 0; i < count; ++i) read_recoded(body, content_type, charsets[i], like, out);
}

void BodyReader::read_recoded(std::string_view body, std::string_view content_type, Charset charset,
                              const Field& like, FieldList& out) {
  std::string text;
  if (charset.kind != CharsetKind::kUtf7 && is_ascii_text(body)) return;
  if (!charset_decode(body, charset, text)) return;
  Field inside = like;
  if (inside.outer.data() == nullptr) inside.outer = body;
  inside.decode_path = out.arena.join(like.decode_path, '|', to_string(charset.kind));
  read_text(out.arena.copy(text), content_type, inside, out);
}

// Packets of Engine.IO as a browser polls (Engine.IO protocol 4, "HTTP long-polling"; Socket.IO protocol 5):
// type of the transport's packet and of the message, namespace, number of the acknowledgement, and an array
// of JSON.
bool BodyReader::read_engine_io(std::string_view content_type, std::string_view text, const Field& like,
                                FieldList& out) {
  constexpr char kSeparator = '\x1e';
  static constexpr ByteFinder kDigits("0123456789");
  const auto skip_digits = [](std::string_view& packet) {
    while (!packet.empty() && kDigits.has(packet[0])) packet.remove_prefix(1);
  };
  const auto keep = [&](std::string_view raw) {
    Field field = inside(like, "engine_io", out);
    field.raw = raw;
    return out.add(field);
  };
  if (!is_plain_text_type(content_type) || text.size() < 3 || text[0] != '4' || text[1] < '0' ||
      text[1] > '6')
    return false;
  const std::size_t before = out.size();
  bool sound = true;
  while (sound && !text.empty()) {
    const std::size_t end = std::min(text.find(kSeparator), text.size());
    std::string_view packet = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    // Pings say nothing; what is attached is base64.
    if (packet == "1" || packet == "2" || packet == "3") continue;
    if (packet.starts_with('b')) {
      static constexpr ByteFinder kBase64(kBase64Digits);
      sound = kBase64.find_other(packet, 0) == packet.size() && keep(packet.substr(1));
      continue;
    }
    sound = packet.size() >= 2 && packet[0] == '4' && packet[1] >= '0' && packet[1] <= '6';
    if (!sound) break;
    packet.remove_prefix(2);
    skip_digits(packet);  // how much is attached, or the acknowledgement
    if (packet.starts_with('-')) packet.remove_prefix(1);
    if (packet.starts_with('/')) {
      const std::size_t name = std::min(packet.find(','), packet.size());
      sound =
          std::all_of(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(name),
                      [](char c) { return is_alnum(c) || c == '/' || c == '_' || c == '-' || c == '.'; }) &&
          keep(packet.substr(0, name));
      packet.remove_prefix(std::min(name + 1, packet.size()));
    }
    skip_digits(packet);
    bool nothing = false;
    if (sound && !packet.empty())
      sound = (packet[0] == '[' || packet[0] == '{') &&
              parsers_->json.read(packet, inside(like, "engine_io|json", out), out, nothing);
  }
  if (!sound || out.size() == before) out.shrink(before);
  return sound && out.size() != before;
}

bool BodyReader::read_lines(std::string_view content_type, std::string_view text, const Field& like,
                            FieldList& out) {
  return are_content_lines(content_type, text) &&
         read_content_lines(text, inside(like, "content_line", out), out);
}

// Documents and parts, as declared and then as they look. False: more is to be read, of which `raw` is what
// no field has as it stands.
bool BodyReader::read_structured(std::string_view body, std::string_view content_type, const Field& like,
                                 std::string_view& raw, FieldList& out) {
  const BodyType declared = declared_type(content_type);
  const std::string_view text = without_mark(body);
  const std::size_t before = out.size();
  if (declared == BodyType::kMultipart ||
      (declared != BodyType::kForm && text.starts_with("--") &&
       ifind(text.substr(0, 1024), "content-disposition") != std::string_view::npos)) {
    if (parsers_->multipart.read(body, content_type, out) && out.size() != before) {
      add_as_charset_field_says(out, before);
      out.set_container(before, like);
      return true;
    }
  }
  const bool yaml = is_yaml(content_type);
  if ((yaml || is_csv(content_type)) && !looks_binary(body)) {
    const bool whole = yaml ? read_yaml(text, inside(like, "yaml", out), out)
                            : read_csv(text, inside(like, "csv", out), out);
    // Of a form, which is one scalar or cell, some applications do not ask for the type.
    if (whole && looks_like_form(text)) read_form(text, like, out);
    if (whole || yaml) return whole;
  }
  if (declared == BodyType::kJson || text.starts_with('{') || text.starts_with('[')) {
    bool nothing = false;
    const bool whole = parsers_->json.read(text, inside(like, "json", out), out, nothing);
    if (!whole && declared == BodyType::kJson && !(nothing && looks_binary(body))) {
      const std::size_t with_rest = out.size();
      const std::string_view rest = nothing ? text : out[with_rest - 1].raw;
      read_lenient_json(rest, inside(like, "json", out), out);
      if (!nothing) drop_rest_that_is_a_value(rest, with_rest, out);
    }
    if (whole || (!nothing && declared != BodyType::kForm)) {
      // Who reads this as a form takes what stands between two ampersands.
      const std::size_t pair = declared == BodyType::kForm ? text.find('&') : std::string_view::npos;
      if (pair != std::string_view::npos) read_form(text.substr(pair + 1), like, out);
      return true;
    }
  }
  if (read_engine_io(content_type, text, like, out) || read_lines(content_type, text, like, out)) return true;
  if (declared == BodyType::kMail) {
    parsers_->multipart.read_part(body, out);
    out.set_container(before, like);
  }
  // A page that is stored, without a subset of its own, is none.
  const bool says_xml = declared == BodyType::kXml ||
                        (begins_as_xml(text) && !(like.stored && istarts_with(text, "<!doctype html>")));
  // Elements without a declaration may be XML or HTML: read as the one, judged as the other too.
  if (says_xml || (text.starts_with('<') && text.size() > 1 && is_alpha(text[1]))) {
    bool nothing = false;
    const std::size_t elements = out.size();
    const bool whole = parsers_->xml.read(text, inside(like, "xml", out), out, nothing);
    if (says_xml && !nothing) return declared != BodyType::kForm;
    if (whole) {
      raw = parsers_->xml.without_sections(out);
    } else {
      out.shrink(elements);
    }
  }
  return false;
}

void BodyReader::read_text(std::string_view body, std::string_view content_type, const Field& of_body,
                           FieldList& out) {
  std::string_view raw = body;
  const BodyType declared = declared_type(content_type);
  Field like = of_body;
  like.stored = of_body.stored && (declared == BodyType::kNone || declared == BodyType::kOther);
  if (read_structured(body, content_type, like, raw, out)) return;
  Field field = like;
  const WireFormat wire = wire_format_of(content_type);
  const bool binary = looks_binary(body) || (declared == BodyType::kOther && holds_bytes(body, content_type));
  bool message = wire != WireFormat::kNone && read_wire(body, wire, inside(like, to_string(wire), out), out);
  if (!message && binary && declared != BodyType::kForm)
    message = read_any_wire(body, inside(like, {}, out), out) != WireFormat::kNone;
  if (message || (binary && declared != BodyType::kForm)) {
    // Bytes of any kind behind a text: who takes the body as a form, or as text up to the first NUL, has
    // that.
    if (!message && !has_known_magic(body)) {
      const std::string_view front = body.substr(0, body.find('\0'));
      if (looks_like_form(front))
        read_form(body, like, out);
      else if (is_text(front))
        add_raw(front, field, out);
    }
    field.binary = true;
    return add_raw(body, field, out);
  }
  field.prose = is_prose(content_type);
  const bool like_form = looks_like_form(without_mark(body));
  // A file of settings begins with a name and its value, too: it has one in a line.
  const bool settings = like_form && like.stored && declared == BodyType::kOther && !has_second_pair(body);
  if (declared == BodyType::kForm || (like_form && !settings)) {
    field.stored = false;
    read_form(without_mark(body), field, out);
    if (like_form) return;
  }
  // Raw text, and forms whose first name is none: an application may read the body as a whole.
  // Text without any white space may be written as forms write it, whatever was declared.
  if (body.find('+') != std::string_view::npos && kBlanks.find(body, 0) == body.size())
    field.coding = Coding::kForm;
  if (field.outer.data() == nullptr) field.outer = body;
  add_raw(raw, field, out);
}

}  // namespace wafd::detect
