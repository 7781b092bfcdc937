// A T1K session with everything behind it, and sections to feed it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "ingest/t1k/t1k_session.h"
#include "tests/ingest/judge_support.h"

namespace wafd::ingest::t1k {

inline std::string section(unsigned first_byte, std::string_view data) {
  std::string out(1, static_cast<char>(first_byte));
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(data.size() >> shift & 0xff);
  return out.append(data);
}

struct Bench : JudgeBench {
  explicit Bench(IngestLimits l = {}) : limits(l), session({judge, clock, queue, index, counters, limits}) {}
  std::string feed(std::string_view bytes, std::size_t piece = 100000) {
    std::string out;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
      if (!session.on_bytes(bytes.substr(0, piece), clock.monotonic, out)) return out + "[closed]";
    }
    return out;
  }
  IngestLimits limits;
  FairQueue queue{64 << 20, 1};
  ReportIndex index;
  Counters counters;
  Session session;
};

}  // namespace wafd::ingest::t1k
