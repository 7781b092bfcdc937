#include "detect/extract/multipart.h"

#include <algorithm>
#include <array>

#include "detect/core/bytes.h"
#include "detect/core/word_set.h"
#include "detect/decode/base/text_check.h"
#include "detect/decode/base64.h"
#include "detect/decode/charset/charset.h"
#include "detect/decode/content/quoted_printable.h"
#include "detect/extract/recode.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxPartHeadBytes = 16u << 10;
constexpr std::size_t kMaxBoundaryBytes = 256;
constexpr std::size_t kMaxBoundaries = 6;
constexpr std::size_t kMaxReadings = 4;

constexpr bool is_line_end(char c) noexcept { return c == '\r' || c == '\n'; }

// Behind a line end at `at`, or `at` itself.
std::size_t behind_line_end(std::string_view text, std::size_t at) noexcept {
  if (text.substr(at, 2) == "\r\n") return at + 2;
  return at < text.size() && is_line_end(text[at]) ? at + 1 : at;
}

std::size_t line_end(std::string_view text, std::size_t at) noexcept {
  return std::min(text.find_first_of("\r\n", at), text.size());
}

std::string_view without_line_end(std::string_view text) noexcept {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

bool is_plain_media_type(std::string_view value) noexcept {
  for (const char c : value) {
    if (!is_alnum(c) && std::string_view("/.+-_;= ").find(c) == std::string_view::npos) return false;
  }
  return true;
}

// Media types of uploads that neither a server nor a desktop runs.
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

// All that a Content-Type, perhaps several of them, may announce: readers look for the word or for the
// parameter, take the first or the last, know quotes or not, and end the text at a comma or a blank.
struct Boundaries {
  std::array<std::string_view, kMaxBoundaries> all;
  std::size_t count = 0;

  void add(std::string_view one) noexcept {
    if (one.empty() || one.size() > kMaxBoundaryBytes || count == all.size()) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (iequals(all[i], one)) return;
    }
    all[count++] = one;
  }
  void add_value(std::string_view text) noexcept {
    if (text.empty()) return;
    if (text.front() == '"' || text.front() == '\'') add(text.substr(1, text.find(text.front(), 1) - 1));
    text = trim(text.substr(0, text.find_first_of(";\r\n")));
    for (const std::string_view end : {"\"", ",", " \t"}) {
      const std::string_view cut = text.substr(0, text.find_first_of(end));
      if (!cut.starts_with('"')) add(cut);
    }
  }
};

Boundaries boundaries_of(std::string_view content_type, HeaderParameters& parameters, Arena& arena) {
  Boundaries out;
  constexpr std::string_view kName = "boundary";
  for (std::size_t at = ifind(content_type, kName); at != std::string_view::npos;
       at = ifind(content_type, kName, at + 1)) {
    const std::size_t equals = skip_space(content_type, at + kName.size());
    if (content_type.substr(equals, 1) == "=") out.add_value(trim(content_type.substr(equals + 1)));
  }
  parameters.clear();
  parameters.read(content_type, arena);
  for (const Parameter& one : parameters.all()) {
    if (iequals(one.name, kName)) out.add(one.value);
  }
  return out;
}

}  // namespace

// The header lines of a part, as all readers together understand them.
struct MultipartReader::Part {
  std::string_view text;  // all of it
  std::string_view type;
  std::string_view transfer;  // Content-Transfer-Encoding
  // The content: behind the first empty line; behind the first of CRLF alone; from the first line
  // on that is no header line.
  std::array<std::string_view, 3> contents;
  std::string_view name;
  std::string_view file_name;  // of a file for some reader; empty: no reader takes it as a file
  bool plain_file = false;     // every reader takes it as a file
};

bool MultipartReader::read(std::string_view body, std::string_view content_type, FieldList& out) {
  left_ = body.size() * kMaxReadings;
  delimiters_.clear();
  return read_at(body, content_type, 1, out);
}

void MultipartReader::read_part(std::string_view part, FieldList& out) {
  left_ = part.size() * kMaxReadings;
  delimiters_.clear();
  read_part_at(part, 1, out);
}

bool MultipartReader::may_read(std::string_view text, FieldList& out) {
  const bool may = text.size() <= left_;
  left_ -= may ? text.size() : 0;
  out.limit_reached |= !may;
  return may;
}

bool MultipartReader::read_at(std::string_view body, std::string_view content_type, int depth,
                              FieldList& out) {
  const Boundaries boundaries = boundaries_of(content_type, parameters_, out.arena);
  bool any = false;
  for (std::size_t i = 0; i < boundaries.count; ++i) any |= read_between(body, boundaries.all[i], depth, out);
  if (any) return true;
  // None that was announced is there: the first line that begins with two dashes is taken.
  for (std::size_t at = body.find("--"); at != std::string_view::npos; at = body.find("--", at + 2)) {
    if (at != 0 && !is_line_end(body[at - 1])) continue;
    const std::size_t end = line_end(body, at);
    return end - at <= kMaxBoundaryBytes && read_between(body, body.substr(at + 2, end - at - 2), depth, out);
  }
  return false;
}

// A delimiter begins a line, or is all that the rest of a line is.
void MultipartReader::find_delimiters(std::string_view body, std::string_view boundary) {
  const std::string delimiter = "--" + std::string(boundary);
  for (std::size_t at = ifind(body, delimiter); at != std::string_view::npos;) {
    Delimiter found;
    found.begin = at;
    std::size_t end = at + delimiter.size();
    found.last = body.substr(end, 2) == "--";
    end = skip_blanks(body, found.last ? end + 2 : end);
    const bool alone = end == body.size() || is_line_end(body[end]);
    found.strict = (alone || found.last) && body.substr(at, delimiter.size()) == delimiter &&
                   (at == 0 || body.substr(0, at).ends_with("\r\n")) &&
                   (found.last || end == body.size() || body.substr(end, 2) == "\r\n");
    found.end = behind_line_end(body, line_end(body, end));
    if (alone || at == 0 || is_line_end(body[at - 1])) delimiters_.push_back(found);
    at = ifind(body, delimiter, at + delimiter.size());
  }
}

bool MultipartReader::read_between(std::string_view body, std::string_view boundary, int depth,
                                   FieldList& out) {
  const std::size_t first = delimiters_.size();
  find_delimiters(body, boundary);
  const std::size_t count = delimiters_.size() - first;
  if (count == 0 || !may_read(body, out)) {
    delimiters_.resize(first);
    return false;
  }
  const auto delimiter = [&](std::size_t i) { return delimiters_[first + i]; };
  const auto begin_of = [&](std::size_t i) { return i == count ? body.size() : delimiter(i).begin; };

  Field around;
  around.location = Location::kBody;
  around.raw = body.substr(0, delimiter(0).begin);
  bool taken = out.add(around);
  std::size_t at = 0;
  for (std::size_t i = 0; taken && i < count; ++i) {
    at = delimiter(i).begin;
    const std::size_t begin = delimiter(i).end;
    const std::string_view between = body.substr(begin, std::max(begin, begin_of(i + 1)) - begin);
    // Some readers go on behind the last delimiter.
    if (delimiter(i).last &&
        ifind(between.substr(0, kMaxPartHeadBytes), "content-disposition") == std::string_view::npos) {
      around.raw = trim(without_line_end(between));
      taken = out.add(around);
      continue;
    }
    taken = read_part_at(without_line_end(between), depth, out);
    if (!taken || !delimiter(i).strict || delimiter(i).last) continue;
    // Readers for which the next one is no delimiter.
    std::size_t next = i + 1;
    while (next < count && !delimiter(next).strict) ++next;
    const std::string_view joined = body.substr(begin, begin_of(next) - begin);
    if (next != i + 1 && may_read(joined, out)) taken = read_part_at(without_line_end(joined), depth, out);
  }
  delimiters_.resize(first);
  if (!taken) {
    around.raw = body.substr(at);
    out.add_rest(around);
  }
  return true;
}

// The lines up to the empty one. A line that begins with a blank belongs to the one before, for those readers
// that know folded lines.
void MultipartReader::read_head(std::string_view text, Part& part, FieldList& out) {
  Field odd;
  odd.location = Location::kBody;
  std::size_t dispositions = 0;
  bool regular = true;
  parameters_.clear();
  std::size_t at = 0;
  const auto set_content = [&](std::size_t which, std::size_t begin) {
    if (part.contents[which].empty()) part.contents[which] = text.substr(begin);
  };
  while (at < text.size()) {
    const std::size_t begin = at;
    std::size_t end = line_end(text, at);
    at = behind_line_end(text, end);
    if (end == begin) {
      set_content(0, at);
      if (begin < 2 || text.substr(begin - 2, 4) != "\r\n\r\n") {
        const std::size_t strict = text.find("\r\n\r\n", begin);
        if (strict != std::string_view::npos) set_content(1, strict + 4);
      }
      break;
    }
    const std::size_t unfolded = end;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) {
      end = line_end(text, at);
      at = behind_line_end(text, end);
    }
    if (at > kMaxPartHeadBytes) {
      out.limit_reached = true;
      set_content(0, begin);
      break;
    }
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      set_content(2, begin);
      continue;
    }
    const std::string_view header = trim(line.substr(0, colon));
    const std::string_view value = trim(line.substr(colon + 1));
    if (iequals(header, "Content-Disposition")) {
      regular = regular && ++dispositions == 1 && header.size() == colon && end == unfolded;
      parameters_.read(value, out.arena);
      if (end != unfolded) parameters_.read(text.substr(begin, unfolded - begin), out.arena);
      continue;
    }
    if (iequals(header, "Content-Type") && part.type.empty()) part.type = value;
    if (iequals(header, "Content-Transfer-Encoding")) part.transfer = value;
    if (is_plain_media_type(value)) continue;
    odd.raw = value;
    out.add(odd);
  }
  set_names(part, regular, out);
}

// Who of the readers takes the part as a file, and as which.
void MultipartReader::set_names(Part& part, bool regular, FieldList& out) {
  out.limit_reached |= parameters_.full();
  bool extended_alone = true;  // what Python's clients send of a name beyond ASCII
  for (const Parameter& one : parameters_.all()) {
    if (iequals(one.name, "name") && part.name.empty()) part.name = one.value;
    if (!iequals(one.name, "filename")) continue;
    if (part.file_name.empty()) part.file_name = one.value;
    extended_alone = extended_alone && one.extended;
  }
  const bool blob = iequals(part.file_name, "blob") && !looks_binary(part.contents[0]);
  part.plain_file = regular && parameters_.regular() && !part.file_name.empty() && !blob &&
                    (!extended_alone || looks_binary(part.contents[0])) && part.contents[1].empty() &&
                    part.contents[2].empty();
}

bool MultipartReader::add_names(const Part& part, FieldList& out) {
  Field field;
  field.name = part.name;
  field.in_name = true;
  for (const Parameter& one : parameters_.all()) {
    const bool file = iequals(one.name, "filename");
    if (!file && !iequals(one.name, "name")) continue;
    field.location = file ? Location::kFile : Location::kBody;
    field.raw = one.value;
    field.outer =
        one.value.data() >= part.text.data() && one.value.data() < part.text.data() + part.text.size()
            ? one.value
            : part.text;
    field.coding = one.extended ? Coding::kPercent : Coding::kNone;
    const std::size_t added = out.size();
    if (!out.add(field)) return false;
    if (!one.charset.empty()) add_recoded(out, added, out.size(), charset_named(one.charset));
  }
  return true;
}

bool MultipartReader::add_content(const Part& part, std::string_view content, FieldList& out) {
  const std::size_t first = out.size();
  Field field;
  field.name = part.name;
  field.raw = content;
  if (!part.file_name.empty()) {
    field.location = Location::kFile;
    field.binary = looks_binary(content) && !maybe_wide_text(content);
    field.media = is_media(part.file_name, part.type);
    if (!out.add(field)) return false;
  }
  if (!part.plain_file && (part.file_name.empty() || may_read(content, out))) {
    field.location = Location::kBody;
    field.binary = field.media = false;
    if (!out.add(field)) return false;
  }
  std::string plain;
  std::uint32_t flags = 0;
  std::string_view step;
  if (iequals(part.transfer, "quoted-printable") && quoted_printable_decode(content, plain, flags))
    step = "quoted_printable";
  // Python's email package undoes these, and nobody here does.
  for (const char* const coding : {"uuencode", "x-uuencode", "uue", "x-uue"})
    out.uninspected |= iequals(part.transfer, coding);
  if (iequals(part.transfer, "base64") && base64_lenient(content, plain)) step = "base64";
  if (!step.empty()) {
    const std::size_t end = out.size();
    const std::string_view kept = out.arena.copy(plain);
    for (std::size_t i = first; i < end; ++i) {
      Field decoded = out[i];
      decoded.outer = content;
      decoded.raw = kept;
      decoded.binary = looks_binary(kept);
      decoded.decode_path = step;
      if (!out.add(decoded)) return false;
    }
  }
  std::size_t from = 0;
  add_recoded(out, first, out.size(), declared_charset(part.type, from));
  return true;
}

// One part: header lines, empty line, content. False if the list is full.
bool MultipartReader::read_part_at(std::string_view text, int depth, FieldList& out) {
  Part part;
  part.text = text;
  read_head(text, part, out);
  if (!add_names(part, out)) return false;
  for (const std::string_view content : part.contents) {
    if (content.empty() || (content.data() != part.contents[0].data() && !may_read(content, out))) continue;
    if (!add_content(part, content, out)) return false;
  }
  if (depth < kMaxFieldDepth && istarts_with(part.type, "multipart/"))
    read_at(part.contents[0], part.type, depth + 1, out);
  return true;
}

}  // namespace wafd::detect
