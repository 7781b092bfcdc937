#include "detect/extract/content_lines.h"

#include <algorithm>
#include <string>

#include "detect/core/bytes.h"
#include "detect/core/word_set.h"
#include "detect/decode/content/quoted_printable.h"
#include "detect/extract/body_type.h"

namespace wafd::detect {
namespace {

constexpr std::string_view kBlanks = " \t";

// Their semicolons part one value from the next (RFC 5545 section 3.8, RFC 6350 section 6).
bool is_structured(std::string_view property) noexcept {
  static constexpr WordSet kStructured(
      {"n", "adr", "org", "gender", "clientpidmap", "geo", "rrule", "exrule", "request-status"});
  return kStructured.has(property);
}

// Without the group of a vCard: item1.ADR
std::string_view without_group(std::string_view name) noexcept {
  return name.substr(name.rfind('.') + 1);  // npos + 1 is 0
}

class ContentLineReader {
 public:
  ContentLineReader(std::string_view text, const Field& like, FieldList& out)
      : text_(text), field_(like), out_(out), own_outer_(like.outer.data() == nullptr) {}

  bool read() {
    while (at_ < text_.size() && !out_.full()) {
      if (!take_line()) return false;
    }
    field_.name = field_.parent = {};
    field_.raw = text_.substr(at_);
    if (!field_.raw.empty()) out_.add_rest(field_);
    return true;
  }

 private:
  // The physical line at at_ without its end; at_ goes behind that.
  std::string_view physical() noexcept {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
  // A line with those that it was folded into. Lines of vCard 2.1 whose value is quoted-printable go on
  // behind an equals sign.
  std::string_view logical() {
    std::string_view line = physical();
    bool joined = false;
    const bool soft = line.ends_with('=') && ifind(line, "quoted-printable") != std::string_view::npos;
    while (at_ < text_.size() && (kBlanks.find(text_[at_]) != std::string_view::npos ||
                                  (soft && (joined ? joined_.ends_with('=') : true)))) {
      if (!joined) joined_ = line;
      joined = true;
      std::string_view more = physical();
      if (soft) joined_.append("\r\n");
      if (!soft) more.remove_prefix(1);
      joined_.append(more);
    }
    return joined ? std::string_view(joined_) : line;
  }

  bool take_line() {
    const std::size_t begin = at_;
    const std::string_view line = logical();
    if (own_outer_) field_.outer = text_.substr(begin, at_ - begin);
    if (trim(line).empty()) return true;
    std::size_t at = 0;
    while (at < line.size() && (is_alnum(line[at]) || line[at] == '-' || line[at] == '.')) ++at;
    if (at == 0 || at == line.size() || (line[at] != ':' && line[at] != ';')) return false;
    const std::string_view name = out_.arena.copy(without_group(line.substr(0, at)));
    bool quoted_printable = false;
    while (at < line.size() && line[at] == ';') {
      if (!take_parameter(line, at, name, quoted_printable)) return false;
    }
    if (at == line.size() || line[at] != ':') return false;
    take_value(name, line.substr(at + 1), quoted_printable);
    return true;
  }

  // name=value,"value"; of vCard 2.1 the value alone
  bool take_parameter(std::string_view line, std::size_t& at, std::string_view property,
                      bool& quoted_printable) {
    const std::size_t begin = ++at;
    while (at < line.size() && (is_alnum(line[at]) || line[at] == '-')) ++at;
    std::string_view name = line.substr(begin, at - begin);
    std::size_t value = begin;
    if (at < line.size() && line[at] == '=') {
      value = ++at;
    } else {
      name = {};
    }
    for (bool quoted = false; at < line.size() && (quoted || (line[at] != ';' && line[at] != ':')); ++at) {
      if (line[at] == '"') quoted = !quoted;
    }
    if (at == line.size()) return false;
    const std::string_view text = line.substr(value, at - value);
    if (iequals(text, "quoted-printable")) quoted_printable = true;
    add(out_.arena.copy(name), property, without_escapes(text));
    return true;
  }

  void take_value(std::string_view name, std::string_view value, bool quoted_printable) {
    if (iequals(name, "BEGIN")) component_ = out_.arena.copy(value);
    std::uint32_t flags = 0;
    if (quoted_printable && quoted_printable_decode(value, plain_, flags)) value = plain_;
    if (!is_structured(name)) return add(name, component_, without_escapes(value));
    for (std::size_t begin = 0; begin <= value.size();) {
      std::size_t end = begin;
      while (end < value.size() && value[end] != ';') end += value[end] == '\\' ? 2 : 1;
      end = std::min(end, value.size());
      add(name, component_, without_escapes(value.substr(begin, end - begin)));
      begin = end + 1;
    }
  }

  // Text (RFC 5545 section 3.3.11): \n is a line end. Contacts escape colons and quotes too.
  std::string_view without_escapes(std::string_view value) {
    if (value.size() >= 2 && value.front() == '"' && value.find('"', 1) == value.size() - 1)
      value = value.substr(1, value.size() - 2);
    text_value_.clear();
    for (std::size_t i = 0; i < value.size(); ++i) {
      const bool escaped = value[i] == '\\' && i + 1 < value.size() &&
                           std::string_view("\\;,:\"nN").find(value[i + 1]) != value.npos;
      if (escaped) ++i;
      text_value_ += escaped && to_lower(value[i]) == 'n' ? '\n' : value[i];
    }
    return text_value_;
  }

  void add(std::string_view name, std::string_view parent, std::string_view value) {
    if (value.empty()) return;
    field_.name = name;
    field_.parent = parent;
    field_.raw = out_.arena.copy(value);
    if (!out_.add(field_)) out_.add_rest(field_);  // the last of them
  }

  std::string_view text_;
  Field field_;
  FieldList& out_;
  bool own_outer_;
  std::size_t at_ = 0;
  std::string_view component_;
  std::string joined_;
  std::string plain_;
  std::string text_value_;
};

}  // namespace

bool are_content_lines(std::string_view media_type, std::string_view text) noexcept {
  static constexpr WordSet kTypes(
      {"text/calendar", "text/vcard", "text/x-vcard", "text/x-vcalendar", "text/directory"});
  return kTypes.has(media_type_of(media_type)) || istarts_with(text, "BEGIN:VCALENDAR") ||
         istarts_with(text, "BEGIN:VCARD");
}

bool read_content_lines(std::string_view text, const Field& like, FieldList& out) {
  const std::size_t before = out.size();
  const bool limit = out.limit_reached;
  if (ContentLineReader(text, like, out).read() && out.size() != before) return true;
  out.shrink(before);
  out.limit_reached = limit;
  return false;
}

}  // namespace wafd::detect
