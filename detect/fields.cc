#include "detect/fields.h"

#include <algorithm>
#include <array>

#include "detect/core/octets.h"
#include "detect/decode/percent.h"
#include "detect/decode/plus.h"

namespace wafd::detect {

void FieldList::clear() {
  items_.clear();
  nodes_.clear();
  nodes_.emplace_back();  // 0: no node
  arena.reset();
  limit_reached = false;
}

bool FieldList::add(const Field& field) {
  if (full()) return false;
  if (field.raw.empty()) return true;
  items_.push_back(field);
  if (field.outer.data() == nullptr) items_.back().outer = field.raw;
  return true;
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

constexpr std::array<bool, 256> kPlainPath = [] {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < 256; ++c) table[c] = is_alnum(static_cast<char>(c));
  for (const char c : std::string_view("/._-~")) table[octet(c)] = true;
  return table;
}();

bool is_plain_path(std::string_view path) noexcept {
  for (const char c : path) {
    if (!kPlainPath[octet(c)]) return false;
  }
  return true;
}

// A name as the application reads it.
std::string_view decoded_name(std::string_view raw, Coding coding, FieldList& out) {
  const auto decodes = [&](char c) { return c == '%' || (c == '+' && coding == Coding::kForm); };
  if (coding == Coding::kNone || std::none_of(raw.begin(), raw.end(), decodes)) return raw;
  std::string plain;
  std::string text(raw);
  std::uint32_t flags = 0;
  if (coding == Coding::kForm && plus_decode(text, plain, flags)) text.swap(plain);
  if (percent_decode(text, plain, flags)) text.swap(plain);
  return out.arena.copy(text);
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
  std::string_view rest = value;
  const std::size_t scheme = rest.find("://");
  if (scheme != std::string_view::npos && scheme < rest.find_first_of("/?#")) {
    const std::size_t end = rest.find_first_of("/?#", scheme + 3);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
  }
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
    field.name = decoded_name(name, Coding::kPercent, out);
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

// Headers that say only how the connection or the message is framed, or whose host no verdict may rest on.
bool is_framing(std::string_view name) noexcept {
  for (const std::string_view known : {"Host", "Connection", "Content-Length", "Transfer-Encoding",
                                       "Keep-Alive", "TE", "Upgrade", "Cookie"}) {
    if (iequals(name, known)) return true;
  }
  return false;
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
bool is_plain_accept(std::string_view name, std::string_view value) noexcept {
  if (name.size() < 6 || !istarts_with(name, "Accept")) return false;
  bool slash = false;
  bool in_parameters = false;
  bool assigned = true;  // a parameter has its '='
  bool word = false;     // something was seen since the last separator
  for (const char c : value) {
    switch (c) {
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
        if (!is_alnum(c) && c != '*' && c != '.' && c != '-' && c != '+' && c != '_') return false;
        word = true;
    }
  }
  return assigned;
}

// scheme://host:port and nothing that an attack needs.
bool is_plain_origin(std::string_view value) noexcept {
  for (const char c : value) {
    if (!kPlainPath[octet(c)] && c != ':' && c != '[' && c != ']') return false;
  }
  return true;
}

}  // namespace

namespace {

// A name as parameters have it. Others are as likely the rest of a value that held a plain '&' or ';'.
bool is_parameter_name(std::string_view name) noexcept {
  static constexpr std::array<bool, 256> kOctets = [] {
    std::array<bool, 256> table = kPlainPath;
    for (const char c : std::string_view("[]:@$%+,!")) table[octet(c)] = true;
    table[octet('/')] = false;
    return table;
  }();
  for (const char c : name) {
    if (!kOctets[octet(c)]) return false;
  }
  return true;
}

// Some readers end a pair at ';' too: what follows it in a value is then a parameter of its own.
bool read_semicolon_pairs(std::string_view value, Field field, FieldList& out) {
  std::size_t at = value.find(';');
  while (at < value.size()) {
    const std::size_t end = std::min(value.find(';', at + 1), value.size());
    const std::string_view pair = value.substr(at + 1, end - at - 1);
    const std::size_t equals = pair.find('=');
    if (equals != 0 && equals != std::string_view::npos && is_parameter_name(pair.substr(0, equals))) {
      field.name = decoded_name(pair.substr(0, equals), field.coding, out);
      field.raw = pair.substr(equals + 1);
      if (!out.add(field)) return false;
    }
    at = end;
  }
  return true;
}

}  // namespace

void read_pairs(std::string_view text, const Field& like, FieldList& out) {
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
    std::size_t end = text.find('&', begin);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view pair = text.substr(begin, end - begin);
    const std::size_t equals = pair.find('=');
    const std::string_view name = pair.substr(0, equals);
    if (whole_begin != std::string_view::npos && !is_parameter_name(name)) {
      joined = true;
    } else if (!name.empty()) {
      taken = add_whole(begin - 1);
    }
    field.name = decoded_name(name, like.coding, out);
    field.in_name = true;
    field.raw = name;
    field.outer = like.outer;
    taken = taken && out.add(field);
    if (equals != std::string_view::npos) {
      field.in_name = false;
      field.raw = pair.substr(equals + 1);
      taken = taken && out.add(field);
      if (taken && field.raw.find(';') != std::string_view::npos)
        taken = read_semicolon_pairs(field.raw, field, out);
      if (!joined) {
        whole = field;
        whole_begin = begin + equals + 1;
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
    if (iequals(header.name, "Cookie")) read_cookies(header.value, out);
    if (is_framing(header.name) || is_plain_accept(header.name, header.value)) continue;
    if (iequals(header.name, "Origin") && is_plain_origin(header.value)) continue;
    Field field;
    field.location = Location::kHeader;
    field.name = header.name;
    if ((head.flags & kHeadBadFieldName) != 0) {
      field.in_name = true;
      field.raw = header.name;
      out.add(field);
      field.in_name = false;
    }
    if (iequals(header.name, "Referer")) {
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
