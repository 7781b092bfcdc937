// An event made of hostile octets as CEF, LEEF and ECS, under any settings: sound for parsers that share
// nothing with the writers, every key what the record says, cut only in its structure, never longer than the
// target takes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/support/format_property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wafd;
  if (size < 7) return 0;
  const std::string_view octets(reinterpret_cast<const char*>(data) + 7, size - 7);
  std::uint32_t seed = 0;
  for (int i = 0; i < 4; ++i) seed = seed << 8 | data[i];
  forward::TargetSettings t;
  t.bom = data[4] & 1;
  t.sequence_id = data[4] & 2;
  t.time_precision = data[4] & 4 ? 6 : 3;
  t.header = data[4] & 8 ? forward::HeaderFormat::kRfc3164 : forward::HeaderFormat::kRfc5424;
  const std::size_t max = data[5] * 256u + data[6];
  const std::string wrong = test::check_formats(test::hostile_event(octets, seed), t, max);
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
