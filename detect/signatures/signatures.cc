#include "detect/signatures/signatures.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "detect/core/digest.h"
#include "detect/core/record_json.h"
#include "detect/core/rule_id.h"
#include "detect/prefilter/expression_set.h"
#include "detect/prefilter/expression_states.h"
#include "json/placed_json.h"

namespace wafd::detect {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  append_json_text(text, out);
  out += '"';
  return out;
}

// The mistakes of one file in words for people; more than `most` are not listed.
class Mistakes {
 public:
  Mistakes(std::string_view file, std::string_view text, std::size_t most)
      : file_(file), text_(text), most_(most) {}

  void add(std::size_t offset, std::string_view rule, std::string_view reason) {
    if (full()) return;
    std::string what = fmt::format("{}:{}: ", file_, line_of(text_, offset));
    if (!rule.empty()) what += fmt::format("rule {}: ", quoted(rule));
    what += reason;
    all_.push_back(Error{ErrorCode::kInvalid, offset, std::move(what)});
  }
  bool full() const noexcept { return all_.size() >= most_; }
  bool none() const noexcept { return all_.empty(); }
  // In the order of the file.
  std::vector<Error> take() {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const Error& a, const Error& b) { return a.offset < b.offset; });
    return std::move(all_);
  }

 private:
  std::string_view file_;
  std::string_view text_;
  std::size_t most_;
  std::vector<Error> all_;
};

// Reads one rule to its end, whatever is wrong in it.
// At expressions: not at all; whether Vectorscan would take them; each compiled by itself.
enum class Look { kNo, kLook, kCompile };

class RuleReader {
 public:
  RuleReader(Mistakes& mistakes, Look look) : mistakes_(mistakes), look_(look) {}

  // False: there were mistakes.
  bool read(const PlacedJson& object, Signature& out) {
    static constexpr std::array<std::string_view, 13> kKeys{
        "id",       "name",      "cve",        "attack_type", "risk",    "denies_from", "number",
        "location", "parameter", "expression", "decodings",   "through", "and"};
    copy_text(object, "id", true, id_);
    if (id_.size() > 64 ||
        id_.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
      bad(object, "id", "expected at most 64 lower-case letters, digits and dashes");
    }
    only(object, kKeys);
    Rule& rule = out.rule;
    rule.module = "m_rule";
    rule.id = rule_id(rule.module, id_);
    copy_text(object, "name", true, rule.name);
    copy_text(object, "cve", false, rule.cve);
    const auto attack_type = choice(object, "attack_type", true, parse_attack_type,
                                    "expected a type of the attack log, such as backdoor or custom");
    if (attack_type) rule.attack_type = *attack_type;
    const auto risk = choice(object, "risk", true, parse_risk, "expected low, medium or high");
    if (risk) rule.risk = *risk;
    rule.denies_from = Sensitivity::kBalanced;
    const PlacedJson* denies_from = object.member("denies_from");
    if (denies_from != nullptr && denies_from->text == "never") {
      rule.denies_from.reset();
    } else if (denies_from != nullptr) {
      rule.denies_from =
          choice(object, "denies_from", false, parse_sensitivity, "expected low, balanced, strict or never");
    }
    number(object, rule.number);
    condition(object, out.conditions.emplace_back());
    more_conditions(object, out);
    return ok_;
  }

  const std::string& id() const noexcept { return id_; }

 private:
  void bad(std::size_t offset, std::string_view reason) {
    ok_ = false;
    mistakes_.add(offset, id_, reason);
  }
  void bad(const PlacedJson& object, std::string_view key, std::string_view reason) {
    const PlacedJson* value = object.member(key);
    bad(value != nullptr ? value->offset : object.offset, fmt::format("\"{}\": {}", key, reason));
  }

  // No other members than these, each once.
  void only(const PlacedJson& object, std::span<const std::string_view> keys) {
    std::unordered_set<std::string_view> seen;
    for (const PlacedJson& member : object.items) {
      if (std::find(keys.begin(), keys.end(), member.key) == keys.end()) {
        bad(member.offset, fmt::format("unknown key {}", quoted(member.key)));
      } else if (!seen.insert(member.key).second) {
        bad(member.offset, fmt::format("\"{}\" is given twice", member.key));
      }
    }
  }
  // Null if it is not there, or is no string, which is told.
  const std::string* text(const PlacedJson& object, std::string_view key, bool required) {
    const PlacedJson* value = object.member(key);
    if (value == nullptr) {
      if (required) bad(object.offset, fmt::format("\"{}\" is missing", key));
    } else if (value->kind != PlacedKind::kString) {
      bad(object, key, "expected a string");
    } else if (required && value->text.empty()) {
      bad(value->offset, fmt::format("\"{}\" is empty", key));
    } else {
      return &value->text;
    }
    return nullptr;
  }
  void copy_text(const PlacedJson& object, std::string_view key, bool required, std::string& out) {
    if (const std::string* found = text(object, key, required)) out = *found;
  }
  // One word of several, by its parser.
  template <class Word>
  std::optional<Word> choice(const PlacedJson& object, std::string_view key, bool required,
                             std::optional<Word> (*parse)(std::string_view) noexcept,
                             std::string_view expected) {
    const std::string* word = text(object, key, required);
    if (word == nullptr) return std::nullopt;
    const std::optional<Word> parsed = parse(*word);
    if (!parsed) bad(object, key, expected);
    return parsed;
  }
  // Operators need not give one: then it is made from the id, far behind those that were given.
  void number(const PlacedJson& object, std::uint32_t& out) {
    out = 1000000 + crc32c(id_) % 1000000;
    const PlacedJson* value = object.member("number");
    if (value == nullptr) return;
    const char* end = value->text.data() + value->text.size();
    const auto read = std::from_chars(value->text.data(), end, out);
    if (value->kind != PlacedKind::kOther || read.ec != std::errc() || read.ptr != end ||
        out < kFirstSignatureNumber || out > 999999) {
      bad(object, "number", fmt::format("expected {} to 999999", kFirstSignatureNumber));
    }
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
    return false;
  }
  void locations(const PlacedJson& object, LocationSet& out) {
    const PlacedJson* value = object.member("location");
    if (value == nullptr) return;
    const bool list = value->kind == PlacedKind::kArray && !value->items.empty();
    if (!list && value->kind != PlacedKind::kString)
      return bad(object, "location", "expected a string or a list of strings");
    out = 0;
    for (const PlacedJson& one : list ? std::span<const PlacedJson>(value->items) : std::span(value, 1)) {
      if (one.kind != PlacedKind::kString) {
        bad(one.offset, "\"location\": expected strings");
      } else if (!location(one.text, out)) {
        bad(one.offset,
            "\"location\": expected urlpath, query, header, cookie, body, file, one of them with _name, "
            "parameter or any");
      }
    }
  }
  void decodings(const PlacedJson& object, Condition& out) {
    const PlacedJson* value = object.member("decodings");
    if (value == nullptr) return;
    if (value->kind != PlacedKind::kArray)
      return bad(object, "decodings", "expected a list of names of transformations");
    out.any_decoding = false;
    for (const PlacedJson& one : value->items) {
      if (one.kind != PlacedKind::kString) {
        bad(one.offset, "\"decodings\": expected strings");
      } else if (!is_decoding(one.text)) {
        bad(one.offset, fmt::format("\"decodings\": there is no transformation {}", quoted(one.text)));
      }
      out.decodings.push_back(one.text);
    }
  }
  void through(const PlacedJson& object, std::string& out) {
    copy_text(object, "through", false, out);
    if (!out.empty() && !is_decoding(out))
      bad(object, "through", fmt::format("there is no transformation {}", quoted(out)));
  }
  void expression(const PlacedJson& object, std::string& out) {
    const std::string* found = text(object, "expression", true);
    if (found == nullptr) return;
    out = *found;
    const std::size_t at = object.member("expression")->offset;
    if (out.size() > kMaxExpressionBytes)
      return bad(at, fmt::format("\"expression\": longer than {} bytes", kMaxExpressionBytes));
    if (has_buffer_anchor(out)) {
      return bad(at,
                 fmt::format("\"expression\" {}: \\A, \\z, \\Z and \\G cannot be used here; ^ and $ mean the "
                             "ends of a value",
                             out));
    }
    if (look_ == Look::kNo) return;
    const std::string_view text = out;
    Result<void> good = ExpressionSet::look_at(text);
    if (good && look_ == Look::kCompile)
      if (auto set = ExpressionSet::build(std::span(&text, 1)); !set)
        good = tl::unexpected<Error>(set.error());
    if (good) return;
    std::string_view why = good.error().what;
    if (why.starts_with("Pattern matches empty buffer"))
      why = "it matches a value of no bytes, so it says nothing";
    bad(at, fmt::format("\"expression\" {}: {}", out, why));
  }
  void condition(const PlacedJson& object, Condition& out) {
    expression(object, out.expression);
    copy_text(object, "parameter", false, out.name);
    locations(object, out.locations);
    decodings(object, out);
    through(object, out.through);
  }
  void more_conditions(const PlacedJson& object, Signature& out) {
    static constexpr std::array<std::string_view, 5> kKeys{"location", "parameter", "expression", "decodings",
                                                           "through"};
    const PlacedJson* more = object.member("and");
    if (more == nullptr) return;
    if (more->kind != PlacedKind::kArray) return bad(object, "and", "expected a list of conditions");
    for (const PlacedJson& value : more->items) {
      if (out.conditions.size() == kMaxConditions)
        return bad(value.offset, fmt::format("\"and\": more than {} conditions", kMaxConditions));
      if (value.kind != PlacedKind::kObject) {
        bad(value.offset, "\"and\": expected objects");
        continue;
      }
      only(value, kKeys);
      condition(value, out.conditions.emplace_back());
    }
  }

  Mistakes& mistakes_;
  Look look_;
  bool ok_ = true;
  std::string id_;
};

void load(std::string_view text, Look look, Mistakes& mistakes, std::vector<Signature>& out) {
  const auto document = parse_placed_json(text);
  if (!document) return mistakes.add(document.error().offset, {}, "not JSON: " + document.error().what);
  const PlacedJson* rules = document->kind == PlacedKind::kObject ? document->member("rules") : nullptr;
  if (rules == nullptr || rules->kind != PlacedKind::kArray || document->items.size() != 1)
    return mistakes.add(0, {}, "expected an object with one member, the list \"rules\"");
  std::unordered_set<std::string> ids;
  std::unordered_set<std::uint32_t> numbers;
  for (const Signature& signature : out) {
    ids.insert(signature.rule.id);
    numbers.insert(signature.rule.number);
  }
  for (const PlacedJson& value : rules->items) {
    if (mistakes.full()) return;
    if (value.kind != PlacedKind::kObject) {
      mistakes.add(value.offset, {},
                   fmt::format("element {} of \"rules\" is no object", &value - rules->items.data()));
      continue;
    }
    if (out.size() == kMaxSignatures)
      return mistakes.add(value.offset, {}, fmt::format("more than {} rules", kMaxSignatures));
    RuleReader reader(mistakes, look);
    Signature signature;
    if (!reader.read(value, signature)) continue;
    if (!ids.insert(signature.rule.id).second) {
      mistakes.add(value.offset, reader.id(), "there is a rule of that id already");
    } else if (!numbers.insert(signature.rule.number).second) {
      mistakes.add(value.offset, reader.id(), fmt::format("number {} is taken", signature.rule.number));
    } else {
      out.push_back(std::move(signature));
    }
  }
}

}  // namespace

bool Condition::applies(const Field& field, std::string_view decode_path) const noexcept {
  if ((locations & location_bit(field.location, field.in_name)) == 0) return false;
  if (!name.empty() && !iequals(name, field.name)) return false;
  if (any_decoding && through.empty()) return true;
  bool passed = through.empty();
  while (!decode_path.empty()) {
    const std::size_t bar = std::min(decode_path.find('|'), decode_path.size());
    const std::string_view step = decode_path.substr(0, bar);
    if (!any_decoding && std::find(decodings.begin(), decodings.end(), step) == decodings.end()) return false;
    passed = passed || step == through;
    decode_path.remove_prefix(std::min(bar + 1, decode_path.size()));
  }
  return passed;
}

Result<void> load_signatures(std::string_view file_name, std::string_view text, std::vector<Signature>& out) {
  Mistakes mistakes(file_name, text, 1);
  load(text, Look::kNo, mistakes, out);
  if (mistakes.none()) return {};
  return tl::unexpected<Error>(std::move(mistakes.take().front()));
}

std::optional<std::uint32_t> too_many_states(std::string_view expression) {
  const std::uint32_t states = expression_states(expression);
  return states > kMaxExpressionStates ? std::optional(states) : std::nullopt;
}

Result<void> look_at_signatures(std::string_view file_name, std::string_view text,
                                std::vector<Signature>& out) {
  Mistakes mistakes(file_name, text, 1);
  load(text, Look::kLook, mistakes, out);
  if (mistakes.none()) return {};
  return tl::unexpected<Error>(std::move(mistakes.take().front()));
}

std::vector<Error> check_signatures(std::string_view file_name, std::string_view text,
                                    std::vector<Signature>& out) {
  Mistakes mistakes(file_name, text, kMaxMistakes);
  load(text, Look::kCompile, mistakes, out);
  return mistakes.take();
}

}  // namespace wafd::detect
