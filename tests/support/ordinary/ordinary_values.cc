#include "tests/support/ordinary/ordinary_values.h"

#include <cstdlib>
#include <map>
#include <unordered_set>

#include "tests/support/variations/codings.h"

namespace wafd::ordinary {
namespace {

constexpr std::string_view kOpen = "‹";
constexpr std::string_view kClose = "›";
constexpr int kMaxDepth = 6;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end != 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {
    for (const List& list : word_lists()) lists_[list.name] = lines_of(list.lines);
  }

  std::string write(std::string_view pattern, int depth) {
    std::string out;
    while (!pattern.empty()) {
      const std::size_t begin = pattern.find(kOpen);
      out += pattern.substr(0, begin);
      if (begin == std::string_view::npos) break;
      const std::size_t end = pattern.find(kClose, begin);
      if (end == std::string_view::npos) std::abort();  // a mistake in the lists
      out += slot(pattern.substr(begin + kOpen.size(), end - begin - kOpen.size()), depth);
      pattern.remove_prefix(end + kClose.size());
    }
    return out;
  }

  std::uint64_t roll(std::uint64_t sides) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ % sides;
  }

 private:
  std::string of(std::string_view letters, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += letters[roll(letters.size())];
    return out;
  }

  std::string slot(std::string_view name, int depth) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto list = lists_.find(name);
    if (list != lists_.end()) {
      if (depth >= kMaxDepth) std::abort();
      return write(list->second[roll(list->second.size())], depth + 1);
    }
    const std::size_t dash = name.find('-');
    if (dash != std::string_view::npos) {
      const auto low = std::strtoull(std::string(name.substr(0, dash)).c_str(), nullptr, 10);
      const auto high = std::strtoull(std::string(name.substr(dash + 1)).c_str(), nullptr, 10);
      return std::to_string(low + roll(high - low + 1));
    }
    if (name == "u")
      return of(kHex, 8) + "-" + of(kHex, 4) + "-4" + of(kHex, 3) + "-a" + of(kHex, 3) + "-" + of(kHex, 12);
    const auto count = std::strtoull(std::string(name.substr(1)).c_str(), nullptr, 10);
    if (name[0] == '#') return of("0123456789", count);
    if (name[0] == 'x') return of(kHex, count);
    if (name[0] == 'a') return of("abcdefghijklmnopqrstuvwxyz", count);
    if (name[0] == 'A') return of("ABCDEFGHJKLMNPQRSTUVWXYZ", count);
    if (name[0] == 'b') {
      std::string bytes;
      for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(roll(256));
      return variations::base64(bytes, false);
    }
    std::abort();  // no such list
  }

  std::uint64_t state_;
  std::map<std::string, std::vector<std::string_view>, std::less<>> lists_;
};

void set_marks(std::string& text) {
  for (const auto& [mark, bytes] : {std::pair<std::string_view, std::string_view>{"↵", "\n"}, {"⇥", "\t"}}) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
      text.replace(at, mark.size(), bytes);
  }
}

std::vector<Value> make(std::span<const ValueKind> kinds, std::size_t count, std::uint64_t seed) {
  Writer writer(seed);
  std::vector<Value> out;
  std::unordered_set<std::string> seen;
  out.reserve(count);
  std::size_t part = 0;
  for (const ValueKind& kind : kinds) {
    const std::vector<std::string_view> patterns = lines_of(kind.patterns);
    part += kind.per_mille;
    const std::size_t until = count * part / 1000;
    for (std::size_t i = 0, tries = 0; out.size() < until && tries < until * 20; ++i, ++tries) {
      std::string text = writer.write(patterns[i % patterns.size()], 0);
      set_marks(text);
      if (seen.insert(text).second) out.push_back({kind.name, std::move(text)});
    }
  }
  return out;
}

}  // namespace

std::vector<Value> ordinary_values(std::size_t count, std::uint64_t seed) {
  return make(kinds(), count, seed);
}

std::vector<Value> ordinary_documents(std::size_t count, std::uint64_t seed) {
  return make(document_kinds(), count, seed);
}

}  // namespace wafd::ordinary
