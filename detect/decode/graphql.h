// String literals of a GraphQL document (GraphQL specification, October 2021, section 2.9.4).
#pragma once

#include <string_view>
#include <vector>

namespace wafd::detect {

struct GraphqlString {
  std::string_view name;  // of the argument or input field before it; perhaps empty
  std::string_view text;  // without quotes, escapes as they stand
};

// Limit: what is beyond stays part of the document, which is judged too.
inline constexpr std::size_t kMaxGraphqlStrings = 256;

// Begins like a document (a selection set or an operation) and ends with a brace.
bool maybe_graphql(std::string_view in) noexcept;
// `out` gets views into `in`. False if there is no string.
bool graphql_strings(std::string_view in, std::vector<GraphqlString>& out);

}  // namespace wafd::detect
