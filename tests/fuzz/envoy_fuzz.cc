// A connection of ext_authz by gRPC: whatever the bytes, in whatever fragments, it asks the judge the same;
// every call that was counted is judged once. And whatever the message, of it and of each beginning of it is
// read what is there.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ingest/envoy/envoy_session.h"
#include "tests/ingest/envoy_support.h"
#include "tests/ingest/judge_support.h"

namespace {

using namespace wafd;
using namespace wafd::ingest;

void require(bool so) {
  if (!so) std::abort();
}

struct Side {
  JudgeBench bench;
  FairQueue queue{64 << 20, 1};
  envoy::Counters counters;
  IngestLimits limits;
  std::string out;
  bool broken = false;
  envoy::Session session{envoy::Session::Shared{bench.judge, bench.clock, queue, counters, limits}};

  void feed(std::string_view bytes, std::size_t piece) {
    for (; !bytes.empty() && !broken; bytes.remove_prefix(std::min(piece, bytes.size())))
      broken = !session.on_bytes(bytes.substr(0, piece), bench.clock.monotonic_us(), out);
    while (run_next(queue, bench.judge)) require(session.take_output(out).has_value());
  }
};

void read_message(std::string_view message) {
  IngestLimits limits;
  limits.max_head_bytes = limits.max_body_bytes = 64;
  const auto whole = envoy::read_check(message, false, limits);
  for (std::size_t size = 0; size <= message.size() && size < 256; ++size) {
    const auto part = envoy::read_check(message.substr(0, size), true, limits);
    require(!part || (part->request.head.size() <= 64 && part->request.body.size() <= 64));
    if (size == message.size() && whole) require(part && part->request.head == whole->request.head);
  }
}

}  // namespace

// The first byte: 0 reads the rest as a message, 1 sends it as a call, others as bytes of a connection in
// fragments of that size.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view in(reinterpret_cast<const char*>(data), size);
  if (in.empty()) return 0;
  const std::size_t choice = static_cast<unsigned char>(in[0]);
  in.remove_prefix(1);
  read_message(in);
  if (choice == 0) return 0;
  const std::string bytes =
      envoy::test::preface() + (choice == 1 ? envoy::test::call(1, in.substr(0, 8000)) : std::string(in));
  Side whole, pieces;
  whole.feed(bytes, bytes.size());
  pieces.feed(bytes, choice);
  require(whole.broken == pieces.broken);
  require(whole.counters.requests == pieces.counters.requests);
  require(whole.bench.sink.records.size() == pieces.bench.sink.records.size());
  require(whole.bench.judge.counters().requests + whole.counters.cancelled == whole.counters.requests);
  return 0;
}
