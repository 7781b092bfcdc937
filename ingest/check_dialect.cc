#include "ingest/check_dialect.h"

namespace wafd::ingest {

const char* to_string(CheckDialect dialect) noexcept {
  switch (dialect) {
    case CheckDialect::kForwarded:
      return "forwarded";
    case CheckDialect::kOriginal:
      return "original";
    case CheckDialect::kCrowdsec:
      return "crowdsec";
  }
  return "forwarded";
}

std::optional<CheckDialect> parse_check_dialect(std::string_view text) noexcept {
  for (const auto dialect : {CheckDialect::kForwarded, CheckDialect::kOriginal, CheckDialect::kCrowdsec}) {
    if (text == to_string(dialect)) return dialect;
  }
  return std::nullopt;
}

}  // namespace wafd::ingest
