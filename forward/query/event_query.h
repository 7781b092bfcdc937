// The event query language: one string drives list, histogram, top lists, export, tail and target filters.
// Grammar and fields: forward/query/README.md.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "detect/core/error.h"
#include "forward/ring/ring.h"

namespace wafd::forward {

// The answer that a record's head alone gives to a query.
enum class HeadMatch : std::uint8_t { kNo, kMaybe, kYes };

// Immutable once parsed; may be used on any thread. An empty query matches everything.
class EventQuery {
 public:
  static constexpr std::size_t kMaxBytes = 4096;
  static constexpr std::size_t kMaxDepth = 32;   // parentheses
  static constexpr std::size_t kMaxTerms = 256;  // values of all terms together

  // An error carries the offset in `text` and says what was expected there ("expected a term").
  static Result<EventQuery> parse(std::string_view text);

  // Whether everything matches because nothing is asked.
  bool empty() const noexcept { return !root_; }
  // Cheap terms are judged on the record's head, others on its JSON; time is linear in the record.
  bool matches(const RecordView& record) const;
  // For ring readers: kNo leaves a record unread.
  HeadMatch judge(const RecordHead& head) const;
  // Whether judge() never answers kMaybe: counting needs no records at all.
  bool head_only() const;
  // Whether a term asks for what a response report tells.
  bool reads_report() const;

  struct Node;
  // For compilers into other languages (event_query_node.h); null: everything matches.
  const Node* root() const noexcept { return root_.get(); }

 private:
  std::shared_ptr<const Node> root_;  // none: matches everything
};

// For completion in an editor, and for the documentation.
struct QueryField {
  std::string_view name;
  std::string_view help;
  std::span<const std::string_view> values;  // the whole value set, if there is one
};
std::span<const QueryField> query_fields() noexcept;

}  // namespace wafd::forward
