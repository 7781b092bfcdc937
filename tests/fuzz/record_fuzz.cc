// Request records: lines are the same in any fragmentation; a record that is accepted makes a head with its
// request line first and an empty line last; one that is refused says why.
#include <cstdlib>
#include <string>

#include "ingest/record.h"
#include "ingest/record_lines.h"

namespace {

using namespace wafd::ingest;

void require(bool so) {
  if (!so) std::abort();
}

template <class NextPiece>
std::string dump(std::string_view input, NextPiece next_piece) {
  constexpr std::size_t kMaxLine = 200;
  RecordLines lines(kMaxLine);
  std::string out;
  const auto take = [&](std::uint64_t number, std::string_view line, bool too_long) {
    require(line.size() <= kMaxLine && line.find('\n') == std::string_view::npos);
    out += std::to_string(number) + (too_long ? "!" : ":") + std::string(line) + "\n";
    if (too_long) return;
    const auto record = parse_record(line);
    if (!record) {
      require(!record.error().what.empty());
      return;
    }
    require(record->head.find(" HTTP/") != std::string::npos && record->head.ends_with("\r\n\r\n"));
  };
  while (!input.empty()) {
    const auto part = input.substr(0, next_piece());
    input.remove_prefix(part.size());
    lines.feed(part, take);
  }
  lines.finish(take);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t pieces[] = {1u + data[0] % 7u, 1u + data[1] % 31u};
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto whole = dump(input, [&] { return input.size(); });
  std::size_t turn = 0;
  require(dump(input, [&] { return pieces[turn++ % 2]; }) == whole);
  return 0;
}
