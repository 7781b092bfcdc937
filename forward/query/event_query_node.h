// The parsed form of an event query. Internal to EventQuery.
#pragma once

#include <vector>

#include "detect/core/ip_address.h"
#include "forward/query/event_query.h"
#include "forward/query/text_pattern.h"

namespace wafd::forward {

enum class QueryFieldId : std::uint8_t {
  kText,  // no field: free text
  kId,
  kType,
  kRisk,
  kAction,
  kSrc,
  kHost,
  kPath,
  kMethod,
  kParam,
  kLocation,
  kPayload,
  kRule,
  kModule,
  kSite,
  kCountry,
  kProvince,
  kCity,
  kUa,
  kReferer,
  kSession,
  kNode,
  kStatus,
  kResponseSize,
};

// One of the values of a term, a,b,c.
struct QueryValue {
  TextPattern pattern;
  std::optional<Cidr> cidr;   // src
  std::optional<EventId> id;  // id, if it is a whole one
  std::uint64_t hash = 0;     // site, rule: of a literal as it stands in records
  bool number = false;        // rule: digits alone name a rule number
  // Members of the record: what its JSON must hold. Most records are refused by it without being taken apart.
  std::optional<Needle> sieve = {};
  char compare = '=';      // response_size: also '<' and '>'
  std::uint64_t size = 0;  // response_size: bytes
};

enum class NodeKind : std::uint8_t { kAnd, kOr, kNot, kTerm };

struct EventQuery::Node {
  NodeKind kind = NodeKind::kAnd;
  std::vector<Node> children;

  QueryFieldId field = QueryFieldId::kText;
  std::vector<QueryValue> values;
  std::uint32_t set = 0;  // type, risk, action: bits of the values named
};

}  // namespace wafd::forward
