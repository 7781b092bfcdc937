// Checks a JSON value against the subset of JSON Schema that the console's OpenAPI document uses; a keyword
// it does not know is an error, so that no part of a schema goes unchecked.
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace wafd::test {

class SchemaChecker {
 public:
  // `schemas`: components/schemas of the document.
  explicit SchemaChecker(const boost::json::object& schemas) : schemas_(schemas) {}

  // Empty if the value is sound, else where and why not.
  std::string check(const boost::json::value& value, const boost::json::value& schema,
                    const std::string& at = "$") const {
    const boost::json::object& rules = schema.as_object();
    for (const auto& rule : rules) {
      const std::string name(rule.key());
      const boost::json::value& want = rule.value();
      std::string wrong;
      if (name == "$ref") {
        const std::string target(want.as_string());
        const std::string key = target.substr(target.rfind('/') + 1);
        const boost::json::value* found = schemas_.if_contains(key);
        wrong = found == nullptr ? at + ": no schema " + key : check(value, *found, at);
      } else if (name == "type") {
        if (!type_matches(value, want))
          wrong = at + ": expected " + serialize(want) + ", got " + serialize(value);
      } else if (name == "enum") {
        const auto& list = want.as_array();
        if (std::find(list.begin(), list.end(), value) == list.end())
          wrong = at + ": not in the set: " + serialize(value);
      } else if (name == "const") {
        if (value != want) wrong = at + ": expected " + serialize(want);
      } else if (name == "anyOf") {
        bool any = false;
        for (const auto& option : want.as_array()) any = any || check(value, option, at).empty();
        if (!any) wrong = at + ": matches no option: " + serialize(value);
      } else if (name == "items") {
        if (const auto* list = value.if_array()) {
          for (std::size_t i = 0; i < list->size() && wrong.empty(); ++i) {
            wrong = check((*list)[i], want, at + "[" + std::to_string(i) + "]");
          }
        }
      } else if (name == "properties") {
        if (const auto* object = value.if_object()) {
          for (const auto& property : want.as_object()) {
            const boost::json::value* member = object->if_contains(property.key());
            if (member != nullptr && wrong.empty())
              wrong = check(*member, property.value(), at + "." + std::string(property.key()));
          }
        }
      } else if (name == "required") {
        if (const auto* object = value.if_object()) {
          for (const auto& key : want.as_array()) {
            if (!object->contains(key.as_string())) wrong = at + ": lacks " + std::string(key.as_string());
          }
        }
      } else if (name == "additionalProperties") {
        wrong = check_additional(value, want, rules, at);
      } else if (name == "minimum") {
        if (value.is_number() && value.to_number<double>() < want.to_number<double>())
          wrong = at + ": too small";
      } else if (name == "maximum") {
        if (value.is_number() && value.to_number<double>() > want.to_number<double>())
          wrong = at + ": too large";
      } else if (name != "description" && name != "x-unit" && name != "readOnly" && name != "writeOnly") {
        wrong = at + ": the checker does not know the keyword " + name;
      }
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  static bool is_of(const boost::json::value& value, const std::string& type) {
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_int64() || value.is_uint64();
    if (type == "number") return value.is_number();
    if (type == "boolean") return value.is_bool();
    if (type == "null") return value.is_null();
    if (type == "array") return value.is_array();
    return type == "object" && value.is_object();
  }
  static bool type_matches(const boost::json::value& value, const boost::json::value& want) {
    if (want.is_string()) return is_of(value, std::string(want.as_string()));
    const auto& list = want.as_array();
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& type) { return is_of(value, std::string(type.as_string())); });
  }
  std::string check_additional(const boost::json::value& value, const boost::json::value& want,
                               const boost::json::object& rules, const std::string& at) const {
    const auto* object = value.if_object();
    if (object == nullptr || (want.is_bool() && want.as_bool())) return {};
    const boost::json::value* properties = rules.if_contains("properties");
    for (const auto& member : *object) {
      if (properties != nullptr && properties->as_object().contains(member.key())) continue;
      const std::string place = at + "." + std::string(member.key());
      if (want.is_bool()) return place + ": not in the schema";
      if (std::string wrong = check(member.value(), want, place); !wrong.empty()) return wrong;
    }
    return {};
  }

  const boost::json::object& schemas_;
};

}  // namespace wafd::test
