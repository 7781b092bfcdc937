#include "detect/analyze/path/path_reader.h"

#include <algorithm>
#include <cstring>

#include "detect/core/bytes.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::path {
namespace {

enum class PathByte : std::uint8_t { kPlain, kDot, kSlash, kPercent, kEnd };

// Bytes that end a path inside of a longer text: white space and controls, quotes, brackets, and the signs
// between parameters, values and lists.
constexpr std::array<PathByte, 256> kKinds = [] {
  std::array<PathByte, 256> kinds{};
  for (unsigned c = 0; c <= ' '; ++c) kinds[c] = PathByte::kEnd;
  for (const char c : std::string_view("\"'`<>|,;:=&?#!*(){}[]^\x7f")) kinds[byte(c)] = PathByte::kEnd;
  kinds['/'] = kinds['\\'] = PathByte::kSlash;
  kinds['.'] = PathByte::kDot;
  kinds['%'] = PathByte::kPercent;
  return kinds;
}();
PathByte kind_of(char c) noexcept { return kKinds[byte(c)]; }
bool is_slash(char c) noexcept { return c == '/' || c == '\\'; }

// An escape that is still there after all decoding: '.', '/' or '\\', else NUL.
char escaped_at(std::string_view text, std::size_t at) noexcept {
  const int value = at + 2 < text.size() ? hex_number(text, at + 1, 2) : -1;
  return value == '.' || value == '/' || value == '\\' ? static_cast<char>(value) : '\0';
}

constexpr std::size_t kMaxExtensionBytes = 5;

// Non-standard spellings of a separator behind "..", for decoders of their own: 0x2f, 2f, %2%f, %uF025
// (a character that a code page maps to a slash). 0: none is there.
std::size_t odd_separator_bytes(std::string_view rest) noexcept {
  if (rest.empty() || (rest[0] != '%' && rest[0] != '0' && rest[0] != '2' && rest[0] != '5')) return 0;
  for (const std::string_view spelling :
       {"0x2f", "0x5c", "2f", "5c", "%2%f", "%5%c", "%%32%66", "%%35%63", "%pc", "%9v", "%/", "%\\"}) {
    if (istarts_with(rest, spelling)) return spelling.size();
  }
  return rest.size() > 5 && rest[0] == '%' && to_lower(rest[1]) == 'u' && hex_number(rest, 2, 4) >= 0 ? 6 : 0;
}

constexpr std::size_t kMaxUnknownBytes = 8;

// Whether the byte begins what no decoder of ours made a character of: an escape, or no UTF-8.
bool is_undecoded(char c) noexcept {
  const unsigned char b = byte(c);
  return b == '%' || (b >= 0x80 && b < 0xc2) || b > 0xf4;
}

}  // namespace

// "..X..X", X an escape or bytes that no decoder of ours knows: who repeats it between parent segments has
// one that makes a separator of it. Bytes of X, 0: none.
std::size_t PathReader::unknown_separator_bytes() noexcept {
  const std::string_view rest = text_.substr(at_);
  if (!unknown_.empty() && rest.starts_with(unknown_)) return unknown_.size();
  if (rest.empty() || !is_undecoded(rest[0])) return 0;
  const std::size_t dots = rest.substr(0, kMaxUnknownBytes + 2).find("..");
  if (dots == rest.npos || rest.substr(0, dots).find_first_of(" /\\") != rest.npos) return 0;
  const std::string_view separator = rest.substr(0, dots);
  if (!rest.substr(dots + 2).starts_with(separator)) return 0;
  unknown_ = separator;
  return separator.size();
}

void PathReader::push(std::string_view segment) noexcept {
  std::size_t end = segments_ == 0 ? 0 : ends_[segments_ - 1];
  if (segments_ == kMaxSegments || end + segment.size() + 1 > kMaxTargetBytes) {
    segments_ = 0;  // who goes that deep is judged by the end
    end = 0;
    if (segment.size() > kMaxTargetBytes) return;
  }
  if (segments_ != 0) target_[end++] = '/';
  std::memcpy(target_.data() + end, segment.data(), segment.size());
  ends_[segments_++] = static_cast<std::uint16_t>(end + segment.size());
}

void PathReader::pop() noexcept {
  if (segments_ != 0) --segments_;
}

// "..;jsessionid=1/": a path parameter, which servlets take off before they resolve.
bool PathReader::skip_parameter() noexcept {
  std::size_t end = at_ + 1;
  while (end < text_.size() &&
         (kind_of(text_[end]) == PathByte::kPlain || text_[end] == '=' || text_[end] == ';'))
    ++end;
  if (end < text_.size() && !is_slash(text_[end]) && text_[end] != '%') return false;
  at_ = end;
  return true;
}

// ". ./", ".. /", ".\t./", ".\0./": what clients, servers and Windows leave out of dot segments.
bool PathReader::read_noise(std::size_t dots) noexcept {
  if (byte(text_[at_]) > ' ' && text_[at_] != '\x7f') return false;
  const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (!(next == '.' && dots == 1) && !(is_slash(next) && dots == 2)) return false;
  ++at_;
  return true;
}

PathReader::Segment PathReader::read_segment() noexcept {
  count_steps(20);
  std::size_t dots = 0;
  bool other = false;
  escaped_ = false;
  for (; at_ < text_.size(); ++at_) {
    const PathByte kind = kind_of(text_[at_]);
    if (other && !unknown_.empty() && text_.substr(at_).starts_with(unknown_)) break;
    if (other && kind == PathByte::kPlain) {
      if (unknown_.empty()) {
        while (at_ + 1 < text_.size() && kind_of(text_[at_ + 1]) == PathByte::kPlain) ++at_;
      }
      continue;
    }
    if (dots == 2 && !other && kind != PathByte::kSlash &&
        (odd_separator_bytes(text_.substr(at_)) != 0 || unknown_separator_bytes() != 0)) {
      escaped_ = true;
      break;
    }
    if (kind == PathByte::kDot) {
      ++dots;
    } else if (kind == PathByte::kPlain || (drive_ && other && text_[at_] == ' ')) {
      other = true;
    } else if (kind == PathByte::kPercent) {
      const char escaped = escaped_at(text_, at_);
      if (is_slash(escaped)) break;
      if (escaped == '.') {
        ++dots;
        at_ += 2;
        escaped_ = true;
      } else {
        other = true;
      }
    } else if (kind == PathByte::kEnd && !other && dots != 0) {
      if (dots == 2 && text_[at_] == ';' ? !skip_parameter() : !read_noise(dots)) break;
      escaped_ = true;
      --at_;
    } else {
      break;
    }
  }
  if (other || dots == 0) return Segment::kName;
  if (dots == 1) return Segment::kSame;
  if (dots == 2) return escaped_ ? Segment::kUpDisguised : Segment::kUp;
  // "....//" and "..././" become ".." for a filter that takes "../" out once; "..." alone is an ellipsis.
  const std::string_view rest = text_.substr(at_);
  const bool nested = dots == 4 || (dots == 3 && rest.size() > 2 && rest[1] == '.' && is_slash(rest[2]));
  return nested && !rest.empty() && is_slash(rest[0]) ? Segment::kUpDisguised : Segment::kEllipsis;
}

bool PathReader::read_separator() noexcept {
  if (at_ >= text_.size()) return false;
  if (is_slash(text_[at_])) {
    ++at_;
    return true;
  }
  const bool percent = text_[at_] == '%' && is_slash(escaped_at(text_, at_));
  std::size_t odd = percent ? 3 : 0;
  if (!percent && at_ > 1 && text_[at_ - 1] == '.' && text_[at_ - 2] == '.') {
    odd = odd_separator_bytes(text_.substr(at_));
    if (odd == 0) odd = unknown_separator_bytes();
  } else if (!percent && !unknown_.empty() && text_.substr(at_).starts_with(unknown_)) {
    odd = unknown_.size();  // etcXpasswd
  }
  if (odd == 0) return false;
  at_ += odd;
  escaped_ = true;
  return true;
}

// A drive of Windows; "file://" with its host; "http://host".
void PathReader::read_start(Path& out) noexcept {
  const std::string_view rest = text_.substr(at_);
  if (rest.size() > 2 && is_alpha(rest[0]) && rest[1] == ':' && is_slash(rest[2])) {
    out.rooted = out.drive = drive_ = true;
    at_ += 2;
    return;
  }
  if (!rest.starts_with("//") || at_ < 2 || text_[at_ - 1] != ':') return;
  const std::string_view before = text_.substr(0, at_ - 1);
  out.file_url = before.size() >= 4 && iequals(before.substr(before.size() - 4), "file");
  out.url = !out.file_url && is_alnum(before.back());
  if (!out.url) return;
  at_ += 2;
  while (at_ < text_.size() && kind_of(text_[at_]) != PathByte::kSlash &&
         (kind_of(text_[at_]) != PathByte::kEnd || text_[at_] == ':'))
    ++at_;
}

// "a.php\0.jpg", "a.asp::$DATA", "folder::$INDEX_ALLOCATION"
void PathReader::read_end(Path& out) noexcept {
  const std::string_view rest = text_.substr(at_);
  if (rest.size() > 2 && rest[0] == '\0' && rest[1] == '.') {
    std::size_t end = 2;
    while (end < rest.size() && end <= kMaxExtensionBytes + 1 && is_alnum(rest[end])) ++end;
    out.cut = end > 2 && (end == rest.size() || kind_of(rest[end]) == PathByte::kEnd);
  } else if (rest.starts_with(":")) {
    const std::size_t type = rest.starts_with("::") ? 2 : rest.find(':', 1) + 1;
    const std::string_view name = type == 0 || type > 8 ? std::string_view() : rest.substr(type, 17);
    const bool data = istarts_with(name, "$data") && (name.size() == 5 || !is_alnum(name[5]));
    const std::size_t dot = text_.substr(out.begin, at_ - out.begin).rfind('.');
    const bool file = dot != std::string_view::npos && out.begin + dot + 1 < at_ &&
                      at_ - out.begin - dot <= kMaxExtensionBytes + 2;
    out.stream = (data && file) || istarts_with(name, "$index_allocation");
  }
}

bool PathReader::next(Path& out) noexcept {
  count_steps(20);
  while (at_ < text_.size() && kind_of(text_[at_]) == PathByte::kEnd) ++at_;
  if (at_ >= text_.size()) return false;
  out = Path();
  out.begin = at_;
  segments_ = 0;
  drive_ = false;
  unknown_ = {};
  read_start(out);
  std::ptrdiff_t depth = 0;
  std::size_t kept = 0;  // segments before the last parent segment
  if (at_ < text_.size() && kind_of(text_[at_]) == PathByte::kSlash) out.rooted = true;
  while (true) {
    const std::size_t begin = at_;
    const Segment segment = read_segment();
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (segment >= Segment::kUp) {
      // Dots at the end are an ellipsis or a sloppy name: a disguise has something to climb to.
      const bool over = at_ >= text_.size() || kind_of(text_[at_]) == PathByte::kEnd;
      if (segment == Segment::kUp || !over) {
        ++out.ups;
        out.disguised = out.disguised || segment == Segment::kUpDisguised;
        if (--depth < 0) out.above = std::max(out.above, static_cast<std::size_t>(-depth));
        pop();
        kept = segments_;
      }
    } else if (segment == Segment::kSame) {
      ++out.sames;
    } else if (segment == Segment::kEllipsis) {
      ++out.ellipses;
      kept = segments_;
    } else if (name == "%") {  // of a separator that was escaped twice
      out.disguised = true;
    } else if (segment == Segment::kName && !name.empty()) {
      ++depth;
      push(name);
    }
    if (!read_separator()) break;
    out.separated = true;
    if (escaped_ && segment >= Segment::kUp) out.disguised = true;
  }
  out.end = at_;
  read_end(out);
  out.target = {target_.data(), segments_ == 0 ? 0u : ends_[segments_ - 1]};
  kept = std::min(kept, segments_);
  out.behind =
      out.target.substr(kept == 0 ? 0 : std::min<std::size_t>(ends_[kept - 1] + 1u, out.target.size()));
  return true;
}

}  // namespace wafd::detect::path
