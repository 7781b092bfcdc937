#include "detect/signatures.h"

#include <algorithm>
#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <hs/hs.h>

#include "detect/analyze/analyzer.h"
#include "detect/core/digest.h"
#include "detect/core/octets.h"
#include "detect/gate.h"

namespace wafd::detect {
namespace {

namespace json = boost::json;

std::size_t line_of(std::string_view text, std::size_t offset) {
  return 1 +
         static_cast<std::size_t>(std::count(
             text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size())), '\n'));
}

// Where each element of the array `rules` begins. The document is known to be well-formed.
std::vector<std::size_t> rule_offsets(std::string_view text) {
  std::vector<std::size_t> out;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
    } else if (c == '/' && text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '/' && text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
    } else if (c == '{' || c == '[') {
      if (++depth == 3 && c == '{') out.push_back(i);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return out;
}

// Reads one rule; every mistake ends it with a reason.
class RuleReader {
 public:
  explicit RuleReader(std::string& reason) : reason_(reason) {}

  bool read(const json::object& object, Signature& out, std::string& id) {
    static constexpr std::array<std::string_view, 12> kKeys{
        "id",     "name",     "cve",       "attack_type", "risk",      "denies_from",
        "number", "location", "parameter", "expression",  "decodings", "and"};
    if (!text(object, "id", id, true) || !only(object, kKeys)) return false;
    if (id.size() > 64 ||
        id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
      return bad("\"id\": expected at most 64 lower-case letters, digits and dashes");
    }
    std::string type;
    std::string risk;
    std::string denies_from = "balanced";
    Rule& rule = out.rule;
    if (!text(object, "name", rule.name, true) || !text(object, "cve", rule.cve, false) ||
        !text(object, "attack_type", type, true) || !text(object, "risk", risk, true) ||
        !text(object, "denies_from", denies_from, false)) {
      return false;
    }
    rule.module = "m_rule";
    rule.id = rule_id(rule.module, id);
    const auto attack_type = parse_attack_type(type);
    if (!attack_type)
      return bad("\"attack_type\": expected a type of the attack log, such as backdoor or custom");
    rule.attack_type = *attack_type;
    const auto parsed_risk = parse_risk(risk);
    if (!parsed_risk) return bad("\"risk\": expected low, medium or high");
    rule.risk = *parsed_risk;
    rule.denies_from = parse_sensitivity(denies_from);
    if (!rule.denies_from && denies_from != "never")
      return bad("\"denies_from\": expected low, balanced, strict or never");
    if (!number(object, id, rule.number)) return false;
    out.conditions.emplace_back();
    if (!condition(object, out.conditions.back())) return false;
    const json::value* more = object.if_contains("and");
    if (more == nullptr) return true;
    if (!more->is_array()) return bad("\"and\": expected a list of conditions");
    for (const json::value& value : more->as_array()) {
      static constexpr std::array<std::string_view, 4> kConditionKeys{"location", "parameter", "expression",
                                                                      "decodings"};
      if (!value.is_object()) return bad("\"and\": expected objects");
      if (out.conditions.size() == kMaxConditions)
        return bad(fmt::format("\"and\": more than {} conditions", kMaxConditions));
      out.conditions.emplace_back();
      if (!only(value.as_object(), kConditionKeys) || !condition(value.as_object(), out.conditions.back()))
        return false;
    }
    return true;
  }

 private:
  bool bad(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }
  bool only(const json::object& object, std::span<const std::string_view> keys) {
    for (const auto& member : object) {
      const std::string_view key(member.key().data(), member.key().size());
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        return bad(fmt::format("unknown key \"{}\"", key));
    }
    return true;
  }
  bool text(const json::object& object, std::string_view key, std::string& out, bool required) {
    const json::value* value = object.if_contains(key);
    if (value == nullptr) return required ? bad(fmt::format("\"{}\" is missing", key)) : true;
    if (!value->is_string()) return bad(fmt::format("\"{}\": expected a string", key));
    out.assign(value->as_string().data(), value->as_string().size());
    if (required && out.empty()) return bad(fmt::format("\"{}\" is empty", key));
    return true;
  }
  // Operators need not give one: then it is made from the id, far behind those that were given.
  bool number(const json::object& object, std::string_view id, std::uint32_t& out) {
    const json::value* value = object.if_contains("number");
    out = 1000000 + crc32c(id) % 1000000;
    if (value == nullptr) return true;
    if (!value->is_int64() || value->as_int64() < kFirstSignatureNumber || value->as_int64() > 999999) {
      return bad(fmt::format("\"number\": expected {} to 999999", kFirstSignatureNumber));
    }
    out = static_cast<std::uint32_t>(value->as_int64());
    return true;
  }
  bool location(std::string_view name, LocationSet& out) {
    if (name == "any") {
      out |= kAllValues;
      return true;
    }
    if (name == "parameter") {
      out = static_cast<LocationSet>(out | location_bit(Location::kQuery, false) |
                                     location_bit(Location::kBody, false));
      return true;
    }
    for (std::size_t i = 0; i < 12; ++i) {
      if (name != to_string(static_cast<Location>(i / 2), i % 2 != 0)) continue;
      out = static_cast<LocationSet>(out | (1u << i));
      return true;
    }
    return bad(
        "\"location\": expected urlpath, query, header, cookie, body, file, one of them with _name, "
        "parameter or any");
  }
  bool condition(const json::object& object, Condition& out) {
    if (!text(object, "expression", out.expression, true) || !text(object, "parameter", out.name, false))
      return false;
    if (out.expression.size() > kMaxExpressionBytes) {
      return bad(fmt::format("\"expression\": longer than {} octets", kMaxExpressionBytes));
    }
    if (has_buffer_anchor(out.expression)) {
      return bad(
          fmt::format("\"expression\" {}: \\A, \\z, \\Z and \\G cannot be used here; ^ and $ mean the "
                      "ends of a value",
                      out.expression));
    }
    if (const json::value* value = object.if_contains("location"); value != nullptr) {
      out.locations = 0;
      if (value->is_string()) {
        if (!location(std::string_view(value->as_string().data(), value->as_string().size()), out.locations))
          return false;
      } else if (value->is_array() && !value->as_array().empty()) {
        for (const json::value& one : value->as_array()) {
          if (!one.is_string()) return bad("\"location\": expected strings");
          if (!location(std::string_view(one.as_string().data(), one.as_string().size()), out.locations))
            return false;
        }
      } else {
        return bad("\"location\": expected a string or a list of strings");
      }
    }
    if (const json::value* value = object.if_contains("decodings"); value != nullptr) {
      if (!value->is_array()) return bad("\"decodings\": expected a list of names of transformations");
      out.any_decoding = false;
      for (const json::value& one : value->as_array()) {
        if (!one.is_string()) return bad("\"decodings\": expected strings");
        out.decodings.emplace_back(one.as_string().data(), one.as_string().size());
        if (!is_decoding(out.decodings.back())) {
          return bad(fmt::format("\"decodings\": there is no transformation \"{}\"", out.decodings.back()));
        }
      }
    }
    return true;
  }

  std::string& reason_;
};

Error at_line(std::string_view file, std::size_t line, std::string_view rule, std::string_view reason,
              std::size_t offset) {
  std::string what = fmt::format("{}:{}: ", file, line);
  if (!rule.empty()) what += fmt::format("rule \"{}\": ", rule);
  what += reason;
  return Error{ErrorCode::kInvalid, offset, std::move(what)};
}

struct Loaded {
  std::vector<std::size_t> offsets;
  std::vector<std::string> ids;
};

Result<Loaded> load(std::string_view file, std::string_view text, std::vector<Signature>& out) {
  json::parse_options options;
  options.allow_comments = true;
  options.allow_trailing_commas = true;
  json::stream_parser parser({}, options);
  json::error_code error;
  // Boost counts what it would have read next, one past the end of a text that stops inside a comment.
  const std::size_t used = std::min(parser.write_some(text.data(), text.size(), error), text.size());
  if (!error && used < text.size()) error = json::make_error_code(json::error::extra_data);
  if (!error) parser.finish(error);
  if (error) {
    return tl::unexpected<Error>(
        at_line(file, line_of(text, used), {}, "not JSON: " + error.message(), used));
  }
  const json::value document = parser.release();
  const json::value* rules = document.is_object() ? document.as_object().if_contains("rules") : nullptr;
  if (rules == nullptr || !rules->is_array() || document.as_object().size() != 1) {
    return tl::unexpected<Error>(
        at_line(file, 1, {}, "expected an object with one member, the list \"rules\"", 0));
  }
  Loaded loaded;
  loaded.offsets = rule_offsets(text);
  std::size_t index = 0;
  for (const json::value& value : rules->as_array()) {
    if (!value.is_object()) {
      return tl::unexpected<Error>(
          at_line(file, 1, {}, fmt::format("element {} of \"rules\" is no object", index), 0));
    }
    const std::size_t offset = index < loaded.offsets.size() ? loaded.offsets[index] : 0;
    std::string reason;
    std::string id;
    Signature signature;
    if (!RuleReader(reason).read(value.as_object(), signature, id)) {
      return tl::unexpected<Error>(at_line(file, line_of(text, offset), id, reason, offset));
    }
    for (const Signature& other : out) {
      if (other.rule.id != signature.rule.id && other.rule.number != signature.rule.number) continue;
      reason = other.rule.id == signature.rule.id ? "there is a rule of that id already"
                                                  : fmt::format("number {} is taken", signature.rule.number);
      return tl::unexpected<Error>(at_line(file, line_of(text, offset), id, reason, offset));
    }
    if (out.size() == kMaxSignatures) {
      return tl::unexpected<Error>(at_line(file, line_of(text, offset), id,
                                           fmt::format("more than {} rules", kMaxSignatures), offset));
    }
    out.push_back(std::move(signature));
    loaded.ids.push_back(std::move(id));
    ++index;
  }
  return loaded;
}

}  // namespace

bool Condition::applies(const Field& field, std::string_view decode_path) const noexcept {
  if ((locations & location_bit(field.location, field.in_name)) == 0) return false;
  if (!name.empty() && !iequals(name, field.name)) return false;
  if (any_decoding) return true;
  while (!decode_path.empty()) {
    const std::size_t bar = std::min(decode_path.find('|'), decode_path.size());
    if (std::find(decodings.begin(), decodings.end(), decode_path.substr(0, bar)) == decodings.end())
      return false;
    decode_path.remove_prefix(std::min(bar + 1, decode_path.size()));
  }
  return true;
}

Result<void> load_signatures(std::string_view file_name, std::string_view text, std::vector<Signature>& out) {
  auto loaded = load(file_name, text, out);
  if (!loaded) return tl::unexpected<Error>(loaded.error());
  return {};
}

Result<void> check_signatures(std::string_view file_name, std::string_view text,
                              std::vector<Signature>& out) {
  const std::size_t before = out.size();
  auto loaded = load(file_name, text, out);
  if (!loaded) return tl::unexpected<Error>(loaded.error());
  for (std::size_t i = before; i < out.size(); ++i) {
    for (const Condition& condition : out[i].conditions) {
      const Hint hint{condition.expression, 1};
      const auto gate = Gate::build(std::span(&hint, 1));
      if (gate) continue;
      const std::size_t offset = loaded->offsets[i - before];
      std::string_view why = gate.error().what;
      if (why.starts_with("Pattern matches empty buffer"))
        why = "it matches a value of no octets, so it says nothing";
      return tl::unexpected<Error>(at_line(file_name, line_of(text, offset), loaded->ids[i - before],
                                           fmt::format("\"expression\" {}: {}", condition.expression, why),
                                           offset));
    }
  }
  return {};
}

}  // namespace wafd::detect
