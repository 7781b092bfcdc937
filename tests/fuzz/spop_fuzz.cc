// An SPOP connection: whatever the bytes, in whatever fragments, the agent says the same; what it says is
// whole frames; every NOTIFY that was taken is acknowledged once; after an error comes one DISCONNECT and
// nothing else.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "ingest/spop/spop_session.h"
#include "tests/ingest/judge_support.h"
#include "tests/ingest/spop_support.h"

namespace {

using namespace wafd;
using namespace wafd::ingest;

void require(bool so) {
  if (!so) std::abort();
}

struct Agent {
  JudgeBench bench;
  FairQueue queue{64 << 20, 1};
  spop::Counters counters;
  IngestLimits limits;
  std::string out;
  bool broken = false;
  std::unique_ptr<spop::Session> session;

  Agent() {
    limits.max_head_bytes = 512;
    limits.max_body_bytes = 512;
    session = std::make_unique<spop::Session>(
        spop::Session::Shared{bench.judge, bench.clock, queue, counters, limits});
  }
  void feed(std::string_view bytes, std::size_t piece) {
    for (; !bytes.empty() && !broken && !session->ended();
         bytes.remove_prefix(std::min(piece, bytes.size()))) {
      broken = !session->on_bytes(bytes.substr(0, piece), bench.clock.monotonic_us(), out);
      while (!broken && run_next(queue, bench.judge)) broken = !session->take_output(out);
    }
  }
};

}  // namespace

// The first byte chooses the fragments and whether a HELLO comes before the rest; then one byte of length
// each makes frames of it, or, where it is 255, what follows is said as it is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view in(reinterpret_cast<const char*>(data), size);
  if (in.empty()) return 0;
  const unsigned choice = static_cast<unsigned char>(in[0]);
  in.remove_prefix(1);
  std::string bytes = (choice & 1) != 0 ? spop::test::hello(256) : "";
  while (!in.empty()) {
    const std::size_t length = static_cast<unsigned char>(in[0]);
    in.remove_prefix(1);
    if (length == 255) {
      bytes += in;
      break;
    }
    bytes += spop::test::raw_frame(in.substr(0, length));
    in.remove_prefix(std::min(length, in.size()));
  }
  Agent whole, pieces;
  whole.feed(bytes, bytes.size() + 1);
  pieces.feed(bytes, 1 + choice / 2);
  require(whole.out == pieces.out && whole.broken == pieces.broken);
  require(whole.bench.sink.records.size() == pieces.bench.sink.records.size());
  std::uint64_t errors = 0;
  for (const auto count : whole.counters.malformed) errors += count;
  require(errors == (whole.broken ? 1u : 0u));
  std::uint64_t acks = 0;
  const auto lines = spop::test::dump(whole.out);
  for (const auto& line : lines) {
    require(line != "broken");
    if (line.starts_with("ack ")) ++acks;
    if (line.starts_with("disconnect ")) require(&line == &lines.back());
  }
  require(acks == whole.session->messages());
  require(!whole.broken || lines.back().starts_with("disconnect "));
  require(whole.counters.requests <= acks);
  return 0;
}
