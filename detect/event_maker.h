// Verdict and decision -> attack event: masking, the members of the record, the detail block.
#pragma once

#include <string>

#include "detect/core/attack_event.h"
#include "detect/core/event_record.h"
#include "detect/policy/policy.h"

namespace wafd::detect {

// Where a source address is; empty where unknown.
struct SourcePlace {
  std::string country;  // ISO 3166 code
  std::string province;
  std::string city;
};

// The parts of an event that come from neither request nor verdict.
struct EventContext {
  EventId id;
  std::string_view node;
  std::int64_t now_us = 0;      // Unix time of the event
  std::int64_t detect_us = 0;   // time spent judging
  std::string timestamp_human;  // of now_us in the configured zone
  SourcePlace place;
  Enforcement enforcement = Enforcement::kInline;
};

// Masks first, then fills every member; the record's JSON and the detail block are made here, once.
EventRecord make_event_record(const Request& request, const RequestHead& head, const Verdict& verdict,
                              const Decision& decision, const EventContext& context);

}  // namespace wafd::detect
