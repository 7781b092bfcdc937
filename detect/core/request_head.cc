#include "detect/core/request_head.h"

#include <algorithm>
#include <array>
#include <utility>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"

namespace wafd {
namespace {

// tchar of RFC 9110 section 5.6.2.
constexpr ByteFinder kToken("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~");

bool is_token(std::string_view text) noexcept {
  return !text.empty() && kToken.find_other(text, 0) == text.size();
}

// Controls, and DEL. HTAB is regular white space.
constexpr auto kControlBytes = [] {
  std::array<char, 32> controls{};
  for (unsigned c = 0; c < 32; ++c) controls[c] = static_cast<char>(c == '\t' ? 0x7f : c);
  return controls;
}();
constexpr ByteFinder kControls(std::string_view(kControlBytes.data(), kControlBytes.size()));

// Position behind "scheme://" if `target` begins so, else 0.
std::size_t authority_begin(std::string_view target) noexcept {
  std::size_t at = 0;
  while (at < target.size() &&
         (is_alnum(target[at]) || target[at] == '+' || target[at] == '-' || target[at] == '.'))
    ++at;
  if (at == 0 || !is_alpha(target[0]) || target.substr(at, 3) != "://") return 0;
  return at + 3;
}

std::size_t authority_end(std::string_view target, std::size_t begin) noexcept {
  const std::size_t end = target.find_first_of("/?#", begin);
  return end == std::string_view::npos ? target.size() : end;
}

std::string_view without_port(std::string_view authority) noexcept {
  if (!authority.empty() && authority.front() == '[') {
    const std::size_t close = authority.find(']');
    return close == std::string_view::npos ? authority : authority.substr(0, close + 1);
  }
  return authority.substr(0, authority.find(':'));
}

// One line after the other, without their ends.
class Lines {
 public:
  explicit Lines(std::string_view text) noexcept : text_(text) {}

  // False at the end of the text. A last line without LF is still a line.
  bool next(std::string_view& line, std::uint32_t& flags) noexcept {
    if (at_ == text_.size()) return false;
    const std::size_t begin = at_;
    // The first control is mostly the end of the line: one walk finds both.
    std::size_t control = kControls.find(text_, begin);
    while (control != text_.size() && text_[control] != '\n') {
      const bool ends = text_[control] == '\r' && (control + 1 == text_.size() || text_[control + 1] == '\n');
      if (ends) {
        line = text_.substr(begin, control - begin);
        at_ = std::min(control + 2, text_.size());
        return true;
      }
      flags |= kHeadControlByte;
      control = kControls.find(text_, control + 1);
    }
    line = text_.substr(begin, control - begin);
    at_ = control;
    if (control != text_.size()) {
      flags |= kHeadBareLf;
      ++at_;
    }
    return true;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

void parse_target(RequestHead& head) noexcept {
  std::string_view rest = head.target;
  if (const std::size_t begin = authority_begin(rest); begin != 0)
    rest.remove_prefix(authority_end(rest, begin));
  const std::size_t mark = rest.find('?');
  head.path = rest.substr(0, mark);
  head.has_query = mark != std::string_view::npos;
  if (head.has_query) head.query = rest.substr(mark + 1);
}

// RFC 9112 section 3: what servers may take as white space in a request line.
constexpr std::string_view kLineSpaces = " \t\v\f\r";
constexpr ByteFinder kAnyLineSpace(kLineSpaces);
constexpr ByteFinder kOddLineSpace(kLineSpaces.substr(1));

// A target may hold spaces (evidence), so the version is what follows the last one, if it looks like a
// version. Where nothing stands between method and target, whatever else some server takes as white space,
// the target begins with its slash.
void parse_request_line(RequestHead& head) noexcept {
  const std::string_view line = head.request_line;
  std::size_t first = kAnyLineSpace.find(line, 0);
  const bool spaced = first < line.size();
  if (!spaced) first = line.find('/');
  head.method = line.substr(0, first);
  if (kOddLineSpace.find(line, 0) < line.size()) head.flags |= kHeadBadRequestLine;
  if (!spaced || !is_token(head.method)) head.flags |= kHeadBadRequestLine;
  if (first == std::string_view::npos) return;
  std::string_view rest = line.substr(first + (spaced ? 1 : 0));
  const std::size_t last = rest.find_last_of(kLineSpaces);
  const std::string_view version =
      last == std::string_view::npos ? std::string_view() : rest.substr(last + 1);
  if (version.starts_with("HTTP/")) {
    head.version = version;
    rest = rest.substr(0, last);
  } else {
    head.flags |= kHeadBadRequestLine;
  }
  if (rest.empty() || rest.find(' ') != std::string_view::npos) head.flags |= kHeadBadRequestLine;
  head.target = rest;
  parse_target(head);
}

HeaderField parse_field(std::string_view line, std::uint32_t& flags) noexcept {
  if (line.front() == ' ' || line.front() == '\t') {
    flags |= kHeadObsFold;
    return {{}, trim(line)};
  }
  std::size_t colon = kToken.find_other(line, 0);
  if (colon != 0 && colon < line.size() && line[colon] == ':')
    return {line.substr(0, colon), trim(line.substr(colon + 1))};
  colon = line.find(':', colon);
  if (colon == std::string_view::npos) {
    flags |= kHeadNoColon;
    return {{}, trim(line)};
  }
  flags |= kHeadBadFieldName;
  return {trim(line.substr(0, colon)), trim(line.substr(colon + 1))};
}

// Header fields that applications read in any case.
bool is_always_read(std::string_view name) noexcept {
  for (const std::string_view known :
       {"Cookie", "Host", "User-Agent", "Referer", "Authorization", "Content-Type", "Content-Encoding",
        "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Client-IP",
        "True-Client-IP", "X-Client-IP"}) {
    if (iequals(name, known)) return true;
  }
  return false;
}

}  // namespace

void RequestHead::parse(std::string_view head) {
  std::vector<HeaderField> kept = std::move(fields);
  kept.clear();
  *this = RequestHead{};
  fields = std::move(kept);

  Lines lines(head);
  std::string_view line;
  bool more = lines.next(line, flags);
  while (more && line.empty()) more = lines.next(line, flags);  // RFC 9112 section 2.2
  if (!more) {
    flags |= kHeadBadRequestLine | kHeadUnterminated;
    return;
  }
  request_line = line;
  parse_request_line(*this);

  while (true) {
    if (!lines.next(line, flags)) {
      flags |= kHeadUnterminated;
      return;
    }
    if (line.empty()) return;
    const HeaderField field = parse_field(line, flags);
    if (fields.size() >= kMaxHeaderFields) {
      flags |= kHeadTooManyFields;
      if (!is_always_read(field.name)) continue;
    }
    fields.push_back(field);
  }
}

std::string_view RequestHead::value(std::string_view name) const noexcept {
  for (const HeaderField& field : fields) {
    if (iequals(field.name, name)) return field.value;
  }
  return {};
}

std::string_view RequestHead::host() const noexcept {
  if (const std::size_t begin = authority_begin(target); begin != 0) {
    std::string_view authority = target.substr(begin, authority_end(target, begin) - begin);
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos)
      authority.remove_prefix(at + 1);
    return without_port(authority);
  }
  return without_port(value("Host"));
}

}  // namespace wafd
