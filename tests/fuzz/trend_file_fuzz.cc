// The file with counts by hour, any bytes, also behind a head whose sum is right: what is accepted is written
// and read again the same, and its sums can be taken.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "detect/core/digest.h"
#include "forward/trend/trend_file.h"

namespace {

void judge(std::string_view bytes) {
  using namespace wafd::forward;
  const auto counts = parse_trend_file(bytes);
  if (!counts) {
    if (counts.error().what.empty() || counts.error().offset > bytes.size()) std::abort();
    return;
  }
  const std::string written = trend_file(*counts);
  const auto again = parse_trend_file(written);
  if (!again || trend_file(*again) != written || again->hours().size() != counts->hours().size())
    std::abort();
  TrendQuery query;
  query.from_ms = 0;
  query.to_ms = std::int64_t{1} << 45;
  const TrendSums sums = counts->sums(query);
  if (counts->hours().empty() && sums.requests != 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  judge(body);
  std::string whole = "WAFDTRENDS";
  whole += '\1';
  const std::uint32_t sum = wafd::crc32c(body);
  for (unsigned i = 0; i < 4; ++i) whole += static_cast<char>(sum >> (8 * i) & 0xff);
  judge(whole + std::string(body));
  return 0;
}
