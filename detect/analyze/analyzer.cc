#include "detect/analyze/analyzer.h"

#include <algorithm>
#include <utility>

#include "detect/analyze/writing.h"

namespace wafd::detect {
namespace {

constexpr std::uint64_t kFnvOffset = 14695981039346656037ull;
constexpr std::uint64_t kFnvPrime = 1099511628211ull;

std::uint64_t fnv_step(std::uint64_t digest, char c) noexcept {
  return (digest ^ static_cast<unsigned char>(c)) * kFnvPrime;
}

// FNV-1a leaves similar keys with similar upper digits; the mixer spreads them.
std::uint64_t mix(std::uint64_t value) noexcept {
  value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdull;
  value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return value ^ (value >> 33);
}

void append_hex(std::uint64_t value, std::string& out) {
  for (int shift = 60; shift >= 0; shift -= 4) out.push_back("0123456789abcdef"[(value >> shift) & 15u]);
}

}  // namespace

void FirstHits::add(std::uint16_t rule, std::size_t begin, std::size_t end, std::string reason) {
  if (has(rule)) return;
  if (writing_ != nullptr && rule != shown_ && (anywhere_ >> rule & 1) == 0 &&
      (writing_->shows_server_code(begin) || ((in_programs_ >> rule & 1) != 0 && writing_->is_program()))) {
    rule = shown_;
    if (has(rule)) return;
  }
  seen_ |= std::uint64_t{1} << rule;
  const auto at = std::find_if(hits_.begin() + static_cast<std::ptrdiff_t>(first_), hits_.end(),
                               [rule](const Hit& hit) { return hit.rule > rule; });
  hits_.insert(at, Hit{rule, static_cast<std::uint32_t>(std::min(begin, text_size_)),
                       static_cast<std::uint32_t>(std::min(end, text_size_)), std::move(reason)});
}

std::string rule_id(std::string_view module, std::string_view key) {
  std::string out(module);
  out.push_back('/');
  const std::size_t head = out.size();
  out.append(key);
  std::uint64_t forward = kFnvOffset;
  for (const char c : out) forward = fnv_step(forward, c);
  std::uint64_t backward = kFnvOffset;
  for (std::size_t i = out.size(); i > 0; --i) backward = fnv_step(backward, out[i - 1]);
  out.resize(head);
  append_hex(mix(forward), out);
  append_hex(mix(backward), out);
  return out;
}

std::vector<Rule> make_rules(std::string_view module, AttackType type, std::uint32_t first_number,
                             std::span<const RuleSpec> specs) {
  std::vector<Rule> rules;
  rules.reserve(specs.size());
  for (const RuleSpec& spec : specs) {
    Rule rule;
    rule.number = first_number + static_cast<std::uint32_t>(rules.size());
    rule.id = rule_id(module, spec.key);
    rule.module = module;
    rule.name = spec.name;
    rule.attack_type = type;
    rule.risk = spec.risk;
    rule.denies_from = spec.denies_from;
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace wafd::detect
