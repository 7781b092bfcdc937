#include "json/object_rows.h"

#include <boost/json/parse.hpp>
#include <fmt/format.h>

namespace wafd {
namespace {

boost::json::value type_name(const ObjectMember& member, const char* name) {
  if (member.nullable) return boost::json::array{name, "null"};
  return name;
}

}  // namespace

std::string rows::one_of(std::span<const std::string_view> words) {
  return fmt::format("one of \"{}\"", fmt::join(words, "\", \""));
}

boost::json::value schema_of(const ObjectMember& member) {
  boost::json::object out;
  switch (member.type) {
    case ValueType::kText:
      out["type"] = type_name(member, "string");
      break;
    case ValueType::kInteger:
      out["type"] = type_name(member, "integer");
      if (member.least_published) out["minimum"] = member.least;
      if (member.most_published) out["maximum"] = member.most;
      break;
    case ValueType::kBoolean:
      out["type"] = type_name(member, "boolean");
      break;
    case ValueType::kTexts:
      out["type"] = type_name(member, "array");
      out["items"] = {{"type", "string"}};
      break;
    case ValueType::kWord:
      out["type"] = type_name(member, "string");
      out["enum"] = boost::json::array(member.words.begin(), member.words.end());
      break;
    case ValueType::kOther: {
      boost::json::value schema = boost::json::parse({member.schema.data(), member.schema.size()});
      if (!schema.is_object()) return schema;  // a reference has no room for more
      out = std::move(schema.get_object());
      break;
    }
  }
  if (member.secret) out["writeOnly"] = true;
  if (member.help.published) out["description"] = member.help.text;
  return out;
}

}  // namespace wafd
