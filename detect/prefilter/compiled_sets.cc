#include "detect/prefilter/compiled_sets.h"

#include <fmt/format.h>
#include <hs/hs.h>

#include "detect/core/digest.h"

namespace wafd::detect {
namespace {

constexpr std::string_view kMagic = "WAFDSETS 1\n";

void append(std::string& out, std::string_view part) {
  out += fmt::format("{}:", part.size());
  out += part;
}

// The part that append() made, off the front.
bool take(std::string_view& text, std::string_view& part) {
  std::size_t size = 0, at = 0;
  for (; at < text.size() && at < 10 && text[at] >= '0' && text[at] <= '9'; ++at)
    size = size * 10 + static_cast<std::size_t>(text[at] - '0');
  if (at == 0 || at >= text.size() || text[at] != ':' || text.size() - at - 1 < size) return false;
  part = text.substr(at + 1, size);
  text.remove_prefix(at + 1 + size);
  return true;
}

}  // namespace

std::string CompiledSets::key_of(std::span<const std::string_view> expressions) {
  std::string key = fmt::format("{}/1\n", hs_version());
  for (const std::string_view expression : expressions) append(key, expression);
  return key;
}

const std::string* CompiledSets::find(const std::string& key) const {
  const auto found = sets_.find(key);
  return found == sets_.end() ? nullptr : &found->second;
}

std::string CompiledSets::text() const {
  std::string body;
  for (const auto& [key, bytes] : sets_) {
    append(body, key);
    append(body, bytes);
  }
  return fmt::format("{}{:08x}", kMagic, crc32c(body)) + body;
}

Result<CompiledSets> CompiledSets::parse(std::string_view text) {
  const auto damaged = [] { return fail(ErrorCode::kInvalid, "compiled rules: cut or damaged"); };
  if (!text.starts_with(kMagic) || text.size() < kMagic.size() + 8) return damaged();
  const std::string_view sum = text.substr(kMagic.size(), 8);
  std::string_view body = text.substr(kMagic.size() + 8);
  if (fmt::format("{:08x}", crc32c(body)) != sum) return damaged();
  CompiledSets sets;
  while (!body.empty()) {
    std::string_view key, bytes;
    if (!take(body, key) || !take(body, bytes)) return damaged();
    sets.keep(std::string(key), std::string(bytes));
  }
  return sets;
}

}  // namespace wafd::detect
