#include <algorithm>
#include <string>

#include "detect/core/octets.h"
#include "detect/core/word_set.h"
#include "detect/decode/quoted_printable.h"
#include "detect/extract/body.h"
#include "detect/extract/recode.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxPartHeaderBytes = 16u << 10;

// Position of the next delimiter line ("--boundary" at the start of a line), or npos.
std::size_t find_delimiter(std::string_view body, std::string_view delimiter, std::size_t from) noexcept {
  while (true) {
    const std::size_t at = body.find(delimiter, from);
    if (at == std::string_view::npos || at == 0 || body[at - 1] == '\n') return at;
    from = at + 1;
  }
}

std::string_view without_line_end(std::string_view text) noexcept {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

// Value of `parameter` in a header value: quoted or not, quotes perhaps single or missing at the end, as
// lenient readers take it. False if it is not there.
bool find_parameter(std::string_view value, std::string_view parameter, std::string_view& out) noexcept {
  std::size_t at = value.find(';');
  while (at < value.size()) {
    ++at;
    while (at < value.size() && is_space(value[at])) ++at;
    const std::size_t name_end = std::min(value.find_first_of("=;", at), value.size());
    const std::string_view name = trim(value.substr(at, name_end - at));
    at = name_end;
    if (at == value.size()) return false;
    if (value[at] == ';') continue;
    ++at;
    while (at < value.size() && is_space(value[at])) ++at;
    std::string_view found;
    if (at < value.size() && (value[at] == '"' || value[at] == '\'')) {
      const char quote = value[at++];
      const std::size_t begin = at;
      while (at < value.size() && value[at] != quote)
        at += value[at] == '\\' && at + 1 < value.size() ? 2 : 1;
      found = value.substr(begin, std::min(at, value.size()) - begin);
      at = std::min(value.find(';', std::min(at, value.size())), value.size());
    } else {
      const std::size_t end = std::min(value.find(';', at), value.size());
      found = trim(value.substr(at, end - at));
      at = end;
    }
    if (iequals(name, parameter)) {
      out = found;
      return true;
    }
  }
  return false;
}

bool is_plain_media_type(std::string_view value) noexcept {
  for (const char c : value) {
    if (!is_alnum(c) && std::string_view("/.+-_;= ").find(c) == std::string_view::npos) return false;
  }
  return true;
}

// What the upload says it is: nothing that a server or a desktop runs.
bool is_media(std::string_view file_name, std::string_view media_type) noexcept {
  static constexpr WordSet kExtensions(
      {"jpg",  "jpeg", "jpe",  "jfif", "png",  "gif",  "bmp", "webp", "svg",  "svgz", "ico",   "tif",
       "tiff", "avif", "heic", "heif", "mp3",  "m4a",  "ogg", "wav",  "flac", "mp4",  "mov",   "avi",
       "mkv",  "webm", "pdf",  "docx", "xlsx", "pptx", "odt", "ods",  "odp",  "woff", "woff2", "ttf"});
  const std::size_t dot = file_name.rfind('.');
  if (dot != std::string_view::npos && kExtensions.has(file_name.substr(dot + 1))) return true;
  for (const std::string_view type : {"image/", "audio/", "video/", "font/", "application/pdf"}) {
    if (istarts_with(media_type, type)) return true;
  }
  return false;
}

bool read_multipart_at(std::string_view body, std::string_view boundary, int depth, FieldList& out);

// One part: headers, empty line, content. Parts inside of it are read as deep as containers go.
bool read_part_at(std::string_view part, int depth, FieldList& out) {
  std::string_view name;
  std::string_view file_name;
  std::string_view media_type;
  std::string_view type;  // whatever it holds
  std::string_view transfer;
  bool is_file = false;
  Field field;
  field.location = Location::kBody;
  std::size_t at = 0;
  while (at < part.size()) {
    std::size_t end = part.find('\n', at);
    if (end == std::string_view::npos) end = part.size();
    const std::string_view line = without_line_end(part.substr(at, end + 1 - at));
    at = std::min(end + 1, part.size());
    if (line.empty() || at > kMaxPartHeaderBytes) break;
    const std::size_t colon = line.find(':');
    const std::string_view header = trim(line.substr(0, colon));
    const std::string_view value = colon == std::string_view::npos ? line : trim(line.substr(colon + 1));
    if (iequals(header, "Content-Disposition")) {
      find_parameter(value, "name", name);
      is_file = find_parameter(value, "filename", file_name) ||
                find_parameter(value, "filename*", file_name) || is_file;
      continue;
    }
    if (iequals(header, "Content-Type")) type = value;
    if (iequals(header, "Content-Transfer-Encoding")) transfer = value;
    if (iequals(header, "Content-Type") && is_plain_media_type(value)) {
      media_type = value;
    } else if (!is_plain_media_type(value)) {
      field.raw = value;
      if (!out.add(field)) return false;
    }
  }
  field.name = name;
  field.in_name = true;
  field.raw = name;
  if (!out.add(field)) return false;
  if (is_file) {
    field.location = Location::kFile;
    field.raw = file_name;
    if (!out.add(field)) return false;
  }
  field.in_name = false;
  field.raw = part.substr(at);
  field.binary = is_file && looks_binary(field.raw) && !maybe_wide_text(field.raw);
  field.media = is_file && is_media(file_name, media_type);
  const std::size_t content = out.size();
  if (!out.add(field)) return false;
  std::uint32_t flags = 0;
  std::string plain;
  if (iequals(transfer, "quoted-printable") && quoted_printable_decode(field.raw, plain, flags)) {
    Field decoded = field;
    decoded.outer = field.raw;
    decoded.raw = out.arena.copy(plain);
    decoded.decode_path = "quoted_printable";
    if (!out.add(decoded)) return false;
  }
  add_recoded(out, content, declared_charset(type));
  std::string_view boundary;
  if (depth < kMaxFieldDepth && istarts_with(type, "multipart/") &&
      find_parameter(type, "boundary", boundary))
    read_multipart_at(field.raw, boundary, depth + 1, out);
  return true;
}

bool read_multipart_at(std::string_view body, std::string_view boundary, int depth, FieldList& out) {
  std::string delimiter = "--" + std::string(boundary);
  std::size_t at = boundary.empty() ? std::string_view::npos : find_delimiter(body, delimiter, 0);
  if (at == std::string_view::npos) {
    // The boundary that was announced is not there: the first line that begins with two dashes is taken.
    at = find_delimiter(body, "--", 0);
    if (at == std::string_view::npos) return false;
    delimiter = without_line_end(body.substr(at, std::min(body.find('\n', at), body.size()) - at + 1));
    if (delimiter.size() < 3 || delimiter.size() > 256) return false;
  }
  Field field;
  field.location = Location::kBody;
  field.raw = body.substr(0, at);
  const bool preamble = out.add(field);
  bool any = false;
  while (preamble) {
    std::size_t begin = at + delimiter.size();
    const bool last = body.substr(begin, 2) == "--";
    const std::size_t line_end = body.find('\n', begin);
    if (last || line_end == std::string_view::npos) {
      field.raw = last ? body.substr(begin + 2) : body.substr(begin);
      field.raw = trim(without_line_end(field.raw));
      if (!out.add(field)) break;
      return any;
    }
    begin = line_end + 1;
    const std::size_t next = find_delimiter(body, delimiter, begin);
    const std::size_t end = next == std::string_view::npos ? body.size() : next;
    any = true;
    if (!read_part_at(without_line_end(body.substr(begin, end - begin)), depth, out)) break;
    if (next == std::string_view::npos) return true;
    at = next;
  }
  field.raw = body.substr(at);
  out.add_rest(field);
  return true;
}

}  // namespace

bool read_part(std::string_view part, FieldList& out) { return read_part_at(part, 1, out); }

bool read_multipart(std::string_view body, std::string_view boundary, FieldList& out) {
  return read_multipart_at(body, boundary, 1, out);
}

}  // namespace wafd::detect
