// Allow and deny entries as text: what other products give as lists of addresses, and what the console
// exports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/error.h"
#include "detect/policy/policy.h"

namespace wafd::console {

// Values for lines that name an address alone.
struct ListDefaults {
  detect::ListKind kind = detect::ListKind::kDeny;
  std::string comment;
  std::int64_t expires_s = 0;
};

// One entry a line: an address or network alone, with a comment behind # or ; or blanks; or, where the first
// line is the header of list_csv() or some of its columns, CSV. Empty lines, and lines that begin with # or
// ;, are left out. Entries have no id. An error names the first kMaxWrongLines wrong lines and what was
// expected there.
inline constexpr std::size_t kMaxWrongLines = 5;
Result<std::vector<detect::ListEntry>> parse_list_text(std::string_view text, const ListDefaults& defaults);

// With the header "kind,cidr,expires_s,comment"; lines end with CR LF (RFC 4180).
std::string list_csv(const std::vector<detect::ListEntry>& entries);

// Imports entries: those of the same list and address are one, and what the new one says of comment and
// end counts; what it leaves open stays.
struct ListImport {
  std::size_t added = 0;
  std::size_t changed = 0;
  std::size_t present = 0;  // and the same
  std::size_t ended = 0;    // left out: their end has passed
};
// `make_id` gives the id of each new entry.
ListImport merge_lists(std::vector<detect::ListEntry>& into, std::vector<detect::ListEntry> entries,
                       std::int64_t now_ms, const std::function<std::string()>& make_id);

}  // namespace wafd::console
