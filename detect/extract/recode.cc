#include "detect/extract/recode.h"

#include <algorithm>
#include <string>

#include "detect/core/bytes.h"
#include "detect/decode/plus.h"

namespace wafd::detect {
namespace {

// %HH alone: what a percent decoder for UTF-8 makes of more than one of them, an overlong "/" say, is two
// characters in another encoding.
bool decode_bytes(std::string_view in, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool escape =
        in[i] == '%' && i + 2 < in.size() && hex_value(in[i + 1]) >= 0 && hex_value(in[i + 2]) >= 0;
    out.push_back(escape ? static_cast<char>(hex_value(in[i + 1]) * 16 + hex_value(in[i + 2])) : in[i]);
    if (escape) i += 2;
  }
  return out.size() != in.size();
}

}  // namespace

Charset declared_charset(std::string_view content_type, std::size_t& from) noexcept {
  from = std::max(from, std::min(content_type.find(';'), content_type.size()));
  for (std::size_t at = ifind(content_type, "charset", from); at != std::string_view::npos;
       at = ifind(content_type, "charset", from)) {
    from = at + 7;
    std::string_view value = trim(content_type.substr(from));
    if (value.empty() || value.front() != '=') continue;
    value = trim(value.substr(1));
    while (!value.empty() && (value.front() == '"' || value.front() == '\'')) value.remove_prefix(1);
    return charset_named(value.substr(0, value.find_first_of("\"';, ")));
  }
  from = content_type.size();
  return {};
}

void add_recoded(FieldList& fields, std::size_t begin, std::size_t end, Charset charset) {
  if (charset.kind == CharsetKind::kUnknown) fields.uninspected = true;
  if (charset.kind == CharsetKind::kAsIs || charset.kind == CharsetKind::kUnknown) return;
  std::string buffers[3];
  for (std::size_t i = begin; i < end; ++i) {
    Field field = fields[i];
    std::string_view text = field.raw;
    std::uint32_t flags = 0;
    if (field.coding == Coding::kForm && plus_decode(text, buffers[0], flags)) text = buffers[0];
    if (field.coding != Coding::kNone && decode_bytes(text, buffers[1])) text = buffers[1];
    if (!charset_decode(text, charset, buffers[2]) || buffers[2].empty()) continue;
    field.raw = fields.arena.copy(buffers[2]);
    if (field.coding != Coding::kNone)
      field.decode_path = fields.arena.join(field.decode_path, '|', "percent");
    field.decode_path = fields.arena.join(field.decode_path, '|', to_string(charset.kind));
    field.coding = Coding::kNone;
    if (fields.add(field)) continue;
    fields.limit_reached = true;
    return;
  }
}

void add_as_charset_field_says(FieldList& fields, std::size_t begin) {
  for (std::size_t i = begin; i < fields.size(); ++i) {
    if (fields[i].in_name || fields[i].name != "_charset_") continue;
    const std::string_view value = fields[i].raw;
    return add_recoded(fields, begin, fields.size(), charset_named(value));
  }
}

}  // namespace wafd::detect
