#include "detect/decode/graphql.h"

#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"

namespace wafd::detect {
namespace {

// The name before the colon that ends at `at`.
std::string_view name_before(std::string_view in, std::size_t at) noexcept {
  while (at > 0 && is_space(in[at - 1])) --at;
  if (at == 0 || in[at - 1] != ':') return {};
  std::size_t end = at - 1;
  while (end > 0 && is_space(in[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_name_byte(in[begin - 1])) --begin;
  return in.substr(begin, end - begin);
}

// Behind the last byte of a string whose content begins at `begin`; `close` is its quotes.
std::size_t string_end(std::string_view in, std::size_t begin, std::string_view close) noexcept {
  for (std::size_t i = begin; i < in.size(); ++i) {
    if (in[i] == '\\') {
      ++i;
    } else if (in.substr(i, close.size()) == close) {
      return i;
    }
  }
  return in.size();
}

}  // namespace

bool maybe_graphql(std::string_view in) noexcept {
  in = trim_space(in);
  if (in.size() < 8 || in.back() != '}') return false;
  if (in.front() == '{') {
    // A selection set begins with a name, JSON with a quote.
    in = trim_space(in.substr(1, 64));
    return !in.empty() && is_name_byte(in.front()) && !is_digit(in.front());
  }
  for (const std::string_view word : {"query", "mutation", "subscription", "fragment"}) {
    if (in.starts_with(word) && !is_name_byte(in[word.size()])) return true;
  }
  return false;
}

bool graphql_strings(std::string_view in, std::vector<GraphqlString>& out) {
  const std::size_t before = out.size();
  for (std::size_t i = in.find_first_of("\"#"); i < in.size() && out.size() - before < kMaxGraphqlStrings;
       i = in.find_first_of("\"#", i)) {
    if (in[i] == '#') {
      i = in.find_first_of("\r\n", i);
      continue;
    }
    const std::string_view close = in.substr(i, 3) == "\"\"\"" ? "\"\"\"" : "\"";
    const std::size_t begin = i + close.size();
    const std::size_t end = string_end(in, begin, close);
    if (end > begin) out.push_back({name_before(in, i), in.substr(begin, end - begin)});
    i = end + close.size();
  }
  return out.size() > before;
}

}  // namespace wafd::detect
