#include "detect/extract/fields.h"

#include <algorithm>
#include <array>

#include "detect/core/octet_finder.h"
#include "detect/core/octets.h"
#include "detect/decode/percent.h"
#include "detect/decode/plus.h"

namespace wafd::detect {

void FieldList::clear() {
  items_.clear();
  nodes_.clear();
  nodes_.emplace_back();  // 0: no node
  arena.reset();
  limit_reached = uninspected = false;
}

void FieldList::add_rest(const Field& field) {
  limit_reached = true;
  if (field.raw.empty()) return;
  items_.push_back(field);
  if (field.outer.data() == nullptr) items_.back().outer = field.raw;
}

void FieldList::set_container(std::size_t begin, const Field& container) {
  if (container.outer.data() == nullptr) return;
  for (std::size_t i = begin; i < items_.size(); ++i) {
    items_[i].outer = container.outer;
    items_[i].decode_path = arena.join(container.decode_path, '|', items_[i].decode_path);
  }
}

std::uint32_t FieldList::add_node(std::uint32_t parent, std::string_view key, std::uint32_t index) {
  nodes_.push_back({parent, index, key});
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::string FieldList::full_name(const Field& field) const {
  if (field.node == 0) return std::string(field.name);
  std::vector<std::uint32_t> way;
  for (std::uint32_t at = field.node; at != 0; at = nodes_[at].parent) way.push_back(at);
  std::string out;
  for (std::size_t i = way.size(); i-- > 0;) {
    const Node& node = nodes_[way[i]];
    if (node.key.data() == nullptr) {
      out += '[';
      out += std::to_string(node.index);
      out += ']';
    } else {
      if (!out.empty()) out += '.';
      out += node.key;
    }
  }
  return out;
}

namespace {

constexpr std::string_view kPlainPathOctets =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-~";
constexpr OctetFinder kPlainPath(kPlainPathOctets);

bool is_plain_path(std::string_view path) noexcept { return kPlainPath.find_other(path, 0) == path.size(); }

// A name as the application reads it.
std::string_view decoded_name(std::string_view raw, Coding coding, FieldList& out) {
  std::string plain;
  std::string text(raw);
  std::uint32_t flags = 0;
  if (coding == Coding::kForm && plus_decode(text, plain, flags)) text.swap(plain);
  if (percent_decode(text, plain, flags)) text.swap(plain);
  return out.arena.copy(text);
}

// Octets of names of parameters that stand for themselves, and those that do not.
constexpr OctetFinder kPlainName("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-~[]:@$,!");

struct PairName {
  std::size_t end = 0;   // '=', '&' or the end of the text
  bool coded = false;    // holds '%' or '+'
  bool unusual = false;  // as likely the rest of a value that held a plain '&' or ';'
};
PairName read_name(std::string_view text, std::size_t at) noexcept {
  PairName name;
  for (at = kPlainName.find_other(text, at); at < text.size(); at = kPlainName.find_other(text, at + 1)) {
    const char c = text[at];
    if (c == '=' || c == '&') break;
    (c == '%' || c == '+' ? name.coded : name.unusual) = true;
  }
  name.end = at;
  return name;
}

// The path as a whole; its segments too where one holds more than letters, digits and marks, because an
// application routes by segments and hands one of them on.
void read_path(std::string_view path, Field field, FieldList& out) {
  field.coding = Coding::kPercent;
  field.raw = path;
  if (!out.add(field) || is_plain_path(path)) return;
  std::size_t begin = 0;
  while (begin < path.size()) {
    std::size_t end = path.find('/', begin);
    if (end == std::string_view::npos) end = path.size();
    field.raw = path.substr(begin, end - begin);
    if (field.raw.size() < path.size() && !is_plain_path(field.raw) && !out.add(field)) {
      field.raw = path.substr(begin);
      out.add_rest(field);
      return;
    }
    begin = end + 1;
  }
}

// The host part is nothing to judge: it names where the user came from. Path and query go the way of our own.
void read_referer(std::string_view value, const Field& like, FieldList& out) {
  static constexpr OctetFinder kEnds("/?#");
  std::string_view rest = value;
  // The first slash of "://" ends what may be a scheme.
  const std::size_t scheme = kEnds.find(rest, 0);
  if (scheme != 0 && rest.substr(scheme, 2) == "//" && rest[scheme - 1] == ':')
    rest = rest.substr(kEnds.find(rest, scheme + 2));
  const std::size_t mark = rest.find('?');
  read_path(rest.substr(0, mark), like, out);
  if (mark == std::string_view::npos) return;
  Field field = like;
  field.coding = Coding::kForm;
  read_pairs(rest.substr(mark + 1), field, out);
}

void read_cookies(std::string_view value, FieldList& out) {
  Field field;
  field.location = Location::kCookie;
  field.coding = Coding::kPercent;
  std::size_t begin = 0;
  while (begin < value.size()) {
    std::size_t end = value.find(';', begin);
    if (end == std::string_view::npos) end = value.size();
    const std::string_view pair = trim(value.substr(begin, end - begin));
    const std::size_t equals = pair.find('=');
    const std::string_view name = trim(pair.substr(0, equals));
    field.name = name.find('%') == std::string_view::npos ? name : decoded_name(name, Coding::kPercent, out);
    field.in_name = true;
    field.raw = name;
    bool taken = out.add(field);
    if (equals != std::string_view::npos) {
      field.in_name = false;
      field.raw = trim(pair.substr(equals + 1));
      if (field.raw.size() >= 2 && field.raw.front() == '"' && field.raw.back() == '"') {
        field.raw = field.raw.substr(1, field.raw.size() - 2);  // RFC 6265 section 4.1.1
      }
      taken = taken && out.add(field);
    }
    if (!taken) {
      field.raw = value.substr(begin);
      out.add_rest(field);
      return;
    }
    begin = end + 1;
  }
}

enum class HeaderKind : std::uint8_t { kFraming, kCookie, kAccept, kOrigin, kReferer, kOther };

// kFraming: says only how the connection or the message is framed, or the host, on which no verdict may rest.
HeaderKind kind_of(std::string_view name) noexcept {
  const auto is = [name](std::string_view known) { return iequals(name, known); };
  switch (name.empty() ? '\0' : to_lower(name[0])) {
    case 'a':
      return istarts_with(name, "Accept") ? HeaderKind::kAccept : HeaderKind::kOther;
    case 'c':
      if (is("Cookie")) return HeaderKind::kCookie;
      return is("Connection") || is("Content-Length") ? HeaderKind::kFraming : HeaderKind::kOther;
    case 'h':
      return is("Host") ? HeaderKind::kFraming : HeaderKind::kOther;
    case 'k':
      return is("Keep-Alive") ? HeaderKind::kFraming : HeaderKind::kOther;
    case 'o':
      return is("Origin") ? HeaderKind::kOrigin : HeaderKind::kOther;
    case 'r':
      return is("Referer") ? HeaderKind::kReferer : HeaderKind::kOther;
    case 't':
      return is("Transfer-Encoding") || is("TE") ? HeaderKind::kFraming : HeaderKind::kOther;
    case 'u':
      return is("Upgrade") ? HeaderKind::kFraming : HeaderKind::kOther;
    default:
      return HeaderKind::kOther;
  }
}

// X-Filename, X_File_Name: upload libraries send the name of the file in a header.
bool names_upload(std::string_view header) noexcept {
  if (header.size() < 8 || header.size() > 20) return false;
  std::array<char, 20> plain{};
  std::size_t size = 0;
  for (const char c : header) {
    if (is_alnum(c)) plain[size++] = to_lower(c);
  }
  const std::string_view name(plain.data(), size);
  return name == "xfilename" || name == "filename" || name == "uploadfilename";
}

// Accept, Accept-Language, Accept-Encoding that are exactly what their grammar allows (RFC 9110
// section 12.5): lists of ranges, each with parameters of plain tokens. They hold nothing that an attack
// could be made of.
bool is_plain_accept(std::string_view value) noexcept {
  static constexpr OctetFinder kWord("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789*.-+_");
  bool slash = false;
  bool in_parameters = false;
  bool assigned = true;  // a parameter has its '='
  bool word = false;     // something was seen since the last separator
  for (std::size_t i = 0; i < value.size(); ++i) {
    switch (value[i]) {
      case ',':
        if (!assigned) return false;
        slash = in_parameters = word = false;
        break;
      case ';':
        if (!assigned) return false;
        in_parameters = true;
        assigned = word = false;
        break;
      case '=':
        if (!in_parameters || assigned || !word) return false;
        assigned = true;
        break;
      case '/':
        if (slash || in_parameters || !word) return false;
        slash = true;
        word = false;
        break;
      case ' ':
        if (word) return false;
        break;
      default:
        if (!kWord.has(value[i])) return false;
        while (i + 1 < value.size() && kWord.has(value[i + 1])) ++i;
        word = true;
    }
  }
  return assigned;
}

// scheme://host:port and nothing that an attack needs.
bool is_plain_origin(std::string_view value) noexcept {
  static constexpr OctetFinder kPlain(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-~:[]");
  return kPlain.find_other(value, 0) == value.size();
}

// Some readers end a pair at ';' too: what follows it in a value is then a parameter of its own.
bool read_semicolon_pairs(std::string_view value, Field field, FieldList& out) {
  std::size_t at = value.find(';');
  while (at < value.size()) {
    const std::size_t end = std::min(value.find(';', at + 1), value.size());
    const std::string_view pair = value.substr(at + 1, end - at - 1);
    const PairName name = read_name(pair, 0);
    if (name.end != 0 && name.end != pair.size() && !name.unusual) {
      field.name = pair.substr(0, name.end);
      if (name.coded) field.name = decoded_name(field.name, field.coding, out);
      field.raw = pair.substr(name.end + 1);
      if (!out.add(field)) return false;
    }
    at = end;
  }
  return true;
}

}  // namespace

void read_pairs(std::string_view text, const Field& like, FieldList& out) {
  static constexpr OctetFinder kBreaks("&;");
  Field field = like;
  Field whole = like;  // the last value, and what follows it for as long as that looks like a part of it
  std::size_t whole_begin = std::string_view::npos;
  bool joined = false;
  std::size_t begin = 0;
  bool taken = true;
  const auto add_whole = [&](std::size_t end) {
    if (!joined) return true;
    joined = false;
    whole.raw = text.substr(whole_begin, end - whole_begin);
    return out.add(whole);
  };
  while (begin < text.size()) {
    const PairName read = read_name(text, begin);
    const std::string_view name = text.substr(begin, read.end - begin);
    const bool has_value = read.end < text.size() && text[read.end] == '=';
    const std::size_t first_break = has_value ? kBreaks.find(text, read.end + 1) : read.end;
    const bool semicolons = first_break < text.size() && text[first_break] == ';';
    const std::size_t end = semicolons ? std::min(text.find('&', first_break), text.size()) : first_break;
    if (whole_begin != std::string_view::npos && read.unusual) {
      joined = true;
    } else if (!name.empty()) {
      taken = add_whole(begin - 1);
    }
    field.name = read.coded ? decoded_name(name, like.coding, out) : name;
    field.in_name = true;
    field.raw = name;
    field.outer = like.outer;
    taken = taken && out.add(field);
    if (has_value) {
      field.in_name = false;
      field.raw = text.substr(read.end + 1, end - read.end - 1);
      taken = taken && out.add(field);
      if (taken && semicolons) taken = read_semicolon_pairs(field.raw, field, out);
      if (!joined) {
        whole = field;
        whole_begin = read.end + 1;
      }
    } else if (!joined && !name.empty()) {
      whole_begin = std::string_view::npos;
    }
    if (!taken) {
      field.raw = text.substr(begin);
      out.add_rest(field);
      return;
    }
    begin = end + 1;
  }
  if (!add_whole(text.size())) {
    out.add_rest(whole);
  }
}

void read_head_fields(const RequestHead& head, FieldList& out) {
  Field path;
  path.location = Location::kUrlPath;
  read_path(head.path, path, out);

  Field query;
  query.location = Location::kQuery;
  query.coding = Coding::kForm;
  read_pairs(head.query, query, out);

  for (const HeaderField& header : head.fields) {
    const HeaderKind kind = kind_of(header.name);
    if (kind == HeaderKind::kCookie) read_cookies(header.value, out);
    if (kind == HeaderKind::kFraming || kind == HeaderKind::kCookie) continue;
    if (kind == HeaderKind::kAccept && is_plain_accept(header.value)) continue;
    if (kind == HeaderKind::kOrigin && is_plain_origin(header.value)) continue;
    Field field;
    field.location = Location::kHeader;
    field.name = header.name;
    if ((head.flags & kHeadBadFieldName) != 0) {
      field.in_name = true;
      field.raw = header.name;
      out.add(field);
      field.in_name = false;
    }
    if (kind == HeaderKind::kReferer) {
      read_referer(header.value, field, out);
      continue;
    }
    field.raw = header.value;
    if (names_upload(header.name)) {
      Field file = field;
      file.location = Location::kFile;
      file.in_name = true;
      if (!out.add(file)) {
        out.add_rest(field);
        return;
      }
    }
    if (!out.add(field)) {
      out.add_rest(field);
      return;
    }
  }
}

}  // namespace wafd::detect
