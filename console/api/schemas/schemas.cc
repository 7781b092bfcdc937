#include "console/api/schemas/schemas.h"

#include <cassert>
#include <initializer_list>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "console/api/schemas/schemas_text.h"
#include "console/base/status_tables.h"
#include "console/settings/describe.h"
#include "detect/core/record_members.h"
#include "detect/core/verdict.h"

namespace wafd::console {
namespace {

boost::json::value kind_schema(MemberKind kind) {
  switch (kind) {
    case MemberKind::kInteger:
      return {{"type", "integer"}};
    case MemberKind::kIntegerOrNull:
      return {{"type", boost::json::array{"integer", "null"}}};
    case MemberKind::kText:
      return {{"type", "string"}};
    case MemberKind::kBoolean:
      return {{"type", "boolean"}};
    case MemberKind::kCounts:
      return "@Counts";
    case MemberKind::kRanges:
      return {{"type", "array"}, {"items", {{"type", "array"}, {"items", {{"type", "integer"}}}}}};
  }
  return {};
}

// Puts the members of a table of the status document into an object schema: all of them are always there.
void add_table(boost::json::object& schema) {
  const boost::json::value* table = schema.if_contains("table");
  if (table == nullptr || !table->is_string()) return;
  const std::vector<StatusField> fields = status_fields(std::string_view(table->get_string()));
  assert(!fields.empty());
  schema.erase("table");
  boost::json::object properties;
  boost::json::array required;
  for (const StatusField& field : fields) {
    boost::json::value member = kind_schema(field.kind);
    if (auto* object = member.if_object()) {
      (*object)["description"] = field.help;
      if (const auto unit = to_string(field.unit); !unit.empty()) (*object)["x-unit"] = unit;
    }
    properties[field.member] = std::move(member);
    required.emplace_back(field.member);
  }
  if (const auto* own = schema.if_contains("properties")) {
    for (const auto& member : own->as_object()) properties[member.key()] = member.value();
    for (const auto& name : schema.at("required").as_array()) required.push_back(name);
  }
  schema["properties"] = std::move(properties);
  schema["required"] = std::move(required);
}

// Puts the members of a settings object, its rows, into its schema.
void add_settings(boost::json::object& schema) {
  const boost::json::value* name = schema.if_contains("settings");
  if (name == nullptr || !name->is_string()) return;
  const auto described = describe_settings(std::string_view(name->get_string()));
  assert(described);
  schema.erase("settings");
  boost::json::object properties;
  boost::json::array required;
  for (const ObjectMember& member : described->members) {
    properties[member.name] = schema_of(member);
    required.emplace_back(member.name);
  }
  schema["properties"] = std::move(properties);
  if (described->all_required) schema["required"] = std::move(required);
}

// "@Name" becomes {"$ref": "#/components/schemas/Name"}; an object schema refuses further members unless it
// says else.
void complete(boost::json::value& value) {
  if (auto* text = value.if_string(); text != nullptr && text->starts_with('@')) {
    const std::string name(text->data() + 1, text->size() - 1);
    value = {{"$ref", "#/components/schemas/" + name}};
  } else if (auto* list = value.if_array()) {
    for (auto& item : *list) complete(item);
  } else if (auto* object = value.if_object()) {
    add_table(*object);
    add_settings(*object);
    for (auto& member : *object) complete(member.value());
    if (object->contains("properties") && !object->contains("additionalProperties")) {
      (*object)["additionalProperties"] = false;
    }
  }
}

boost::json::object record_schema() {
  boost::json::object properties;
  boost::json::array required;
  for (const RecordMember& member : kMembers) {
    boost::json::object schema;
    switch (member.type) {
      case MemberType::kString:
        schema["type"] = "string";
        break;
      case MemberType::kInteger:
        schema["type"] = "integer";
        break;
      case MemberType::kIntegerOrNull:
        schema["type"] = boost::json::array{"integer", "null"};
        break;
      case MemberType::kIntegerList:
        schema["type"] = "array";
        schema["items"] = {{"type", "integer"}};
        break;
    }
    properties[member.name] = std::move(schema);
    required.emplace_back(member.name);
  }
  return {{"type", "object"},
          {"description", "The attack log record: 58 members, always all of them, in this order."},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

// A Judgement, how long it took, and the one with the draft.
boost::json::object inspection_schema(const boost::json::object& judgement) {
  boost::json::object out = judgement;
  boost::json::object& properties = out["properties"].as_object();
  properties["microseconds"] = {{"type", "number"}};
  properties["draft"] = {{"anyOf", {{{"$ref", "#/components/schemas/Judgement"}}, {{"type", "null"}}}}};
  boost::json::array& required = out["required"].as_array();
  required.emplace_back("microseconds");
  required.emplace_back("draft");
  return out;
}

// The request schema of an object that the API answers as `answered`: the same members, of which those
// in `required` must be there; what the server makes is passed over.
boost::json::object request_schema(const boost::json::object& answered, std::string_view about,
                                   std::initializer_list<std::string_view> required) {
  boost::json::object properties = answered.at("properties").as_object();
  for (const std::string_view made : {"id", "uuid", "author", "etag", "hits", "days", "status"}) {
    auto* schema = properties.if_contains(made);
    if (schema == nullptr || schema->as_object().contains("$ref")) continue;
    schema->as_object()["readOnly"] = true;
  }
  boost::json::object out{{"type", "object"}, {"description", about}, {"properties", std::move(properties)}};
  boost::json::array names;
  for (const std::string_view name : required) names.emplace_back(name);
  if (!names.empty()) out["required"] = std::move(names);
  out["additionalProperties"] = false;
  return out;
}

void add_requests(boost::json::object& all) {
  const auto& site = all.at("Site").as_object();
  all["SiteRequest"] =
      request_schema(site, "A Site; only name and, but for the default site, hosts are required.", {"name"});
  const auto& exception = all.at("Exception").as_object();
  all["ExceptionRequest"] = request_schema(
      exception, "An Exception with at least one of host, path, location, name, rule_id and attack_type.",
      {});
  const auto& entry = all.at("ListEntry").as_object();
  all["ListRequest"] = request_schema(entry, "A ListEntry; kind and cidr are required.", {"kind", "cidr"});
  all["SystemRequest"] = request_schema(all.at("System").as_object(), "A System; nothing is required.", {});
  all["OidcRequest"] = request_schema(all.at("Oidc").as_object(), "An Oidc; nothing is required.", {});
  const auto& target = all.at("Target").as_object();
  all["TargetRequest"] = request_schema(target, "A Target; only name, transport and host are required.",
                                        {"name", "transport", "host"});
  const std::string_view form = "A Target as it stands in the form, or the id of a stored one.";
  boost::json::object preview = request_schema(target, form, {});
  boost::json::object& shown = preview["properties"].as_object();
  shown["id"] = {{"type", "string"}};
  boost::json::object test = preview;
  shown["event_id"] = {{"type", "string"}, {"description", "Which event; the newest if absent."}};
  test["properties"].as_object()["send"] = {{"type", "string"}, {"enum", {"connectivity", "sample"}}};
  all["PreviewRequest"] = std::move(preview);
  all["TestRequest"] = std::move(test);
}

void add_notify_requests(boost::json::object& all) {
  const auto& channel = all.at("Channel").as_object();
  all["ChannelRequest"] = request_schema(
      channel, "A Channel; name, kind and what that kind needs are required.", {"name", "kind"});
  boost::json::object test =
      request_schema(channel, "A Channel as it stands in the form, or the id of a stored one.", {});
  test["properties"].as_object()["id"] = {{"type", "string"}};
  all["ChannelTestRequest"] = std::move(test);
  all["AlertRequest"] = request_schema(all.at("Alert").as_object(),
                                       "An Alert; only name and when are required.", {"name", "when"});
}

boost::json::object attack_type_schema() {
  boost::json::array names;
  for (std::size_t i = 0; i < kAttackTypes; ++i) names.emplace_back(to_string(static_cast<AttackType>(i)));
  return {{"type", "string"}, {"enum", std::move(names)}};
}

boost::json::object build() {
  boost::json::object all;
  for (const std::string_view text : {people_schemas(), event_schemas(), triage_schemas(), settings_schemas(),
                                      system_schemas(), notify_schemas(), fleet_schemas()}) {
    boost::json::value part = boost::json::parse({text.data(), text.size()});
    for (auto& schema : part.as_object()) {
      assert(!all.contains(schema.key()));
      complete(schema.value());
      all[schema.key()] = std::move(schema.value());
    }
  }
  add_requests(all);
  add_notify_requests(all);
  all["Inspection"] = inspection_schema(all.at("Judgement").as_object());
  all["Record"] = record_schema();
  all["AttackType"] = attack_type_schema();
  return all;
}

}  // namespace

const boost::json::object& schemas() {
  static const boost::json::object all = build();
  return all;
}

}  // namespace wafd::console
