#include "forward/query/event_search.h"

#include <algorithm>

namespace wafd::forward {

SearchEnd search_newest_first(RingReader& reader, const EventQuery& query, const SearchRange& range,
                              const std::function<bool(const RecordView&)>& visit) {
  constexpr std::size_t kRecords = 256;
  constexpr std::size_t kBytes = 512 * 1024;  // stays in the processor's cache
  SearchEnd end;
  end.before = range.before;
  std::size_t heads = 0;
  std::uint64_t bytes = 0;
  const HeadFilter wanted = [&](const RecordHead& head) {
    ++heads;
    return head.time_ms >= range.from_ms && head.time_ms < range.to_ms && query.judge(head) != HeadMatch::kNo;
  };
  while (end.before != 0 && end.found < range.limit && heads < range.max_heads && bytes < range.max_bytes) {
    std::uint64_t scanned_to = 0;
    const auto views =
        reader.read_before(end.before, kRecords, kBytes, range.max_heads - heads, wanted, scanned_to);
    for (const RecordView& view : views) {
      bytes += view.json.size() + view.detail.size();
      if (!query.matches(view)) continue;
      ++end.found;
      end.before = view.seq;
      if (!visit(view) || end.found == range.limit) return end;
    }
    end.before = scanned_to;
  }
  return end;
}

}  // namespace wafd::forward
