// The ring beside plain memory: an append against memcpy of the same bytes, readers, queries over a full
// ring.
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <stdlib.h>

#include "detect/core/record_cut.h"
#include "detect/core/record_json.h"
#include "forward/query/event_search.h"
#include "forward/ring/ring.h"

namespace wafd::forward {
namespace {

std::string folder() {
  const char* base = std::getenv("TMPDIR");
  std::string name = std::string(base != nullptr ? base : "/tmp") + "/wafd-ring-bench-XXXXXX";
  return ::mkdtemp(name.data()) != nullptr ? name : std::string("/tmp");
}

EventRecord event(std::uint64_t number, std::size_t request_bytes) {
  AttackEvent e;
  std::memcpy(e.event_id.bytes.data(), &number, 8);
  e.event_id.bytes[0] = static_cast<std::uint8_t>(number * 151);
  e.src_ip = "10." + std::to_string(number % 200) + "." + std::to_string(number / 200 % 250) + ".7";
  e.host = "shop.example";
  e.urlpath = "/a/" + std::to_string(number);
  e.payload = "1' or 1=1";
  e.rule_id = "m_sqli/0123456789abcdef0123456789abcdef";
  e.site_uuid = std::to_string(number % 5);
  e.header_raw.assign(request_bytes, 'h');
  e.attack_type = static_cast<AttackType>(number % kAttackTypes);
  EventRecord r;
  r.time_ms = static_cast<std::int64_t>(number);
  r.id = e.event_id;
  r.attack_type = e.attack_type;
  r.risk = static_cast<Risk>(number % 3);
  r.action = static_cast<Action>(number % 3);
  r.src_ip = e.src_ip;
  r.site_uuid = e.site_uuid;
  r.rule_id = e.rule_id;
  r.offsets = append_record_json(e, r.json);
  r.detail.assign(600, 'd');
  return r;
}

struct TempRing {
  explicit TempRing(std::uint64_t mib) : path(folder() + "/ring") {
    auto opened = Ring::open({path, mib << 20, 1000, 1});
    if (!opened) {
      std::fprintf(stderr, "%s\n", opened.error().what.c_str());
      std::abort();
    }
    ring = std::move(*opened);
  }
  ~TempRing() {
    ring.reset();
    std::remove(path.c_str());
    std::remove(path.substr(0, path.size() - 5).c_str());
  }
  std::string path;
  std::unique_ptr<Ring> ring;
};

void Append(benchmark::State& state) {
  TempRing temp(64);
  const EventRecord record = event(1, static_cast<std::size_t>(state.range(0)));
  // One lap first, so that pages are there.
  for (std::uint64_t bytes = 0; bytes < (64u << 20); bytes += record.json.size())
    (void)temp.ring->append(record);
  for (auto _ : state) benchmark::DoNotOptimize(temp.ring->append(record));
  state.SetBytesProcessed(
      static_cast<std::int64_t>(state.iterations() * (record.json.size() + record.detail.size())));
}
BENCHMARK(Append)->Arg(0)->Arg(1024)->Arg(8000)->Threads(1);

// The peer: the same bytes into a plain round buffer of the same size.
void AppendPeerMemcpy(benchmark::State& state) {
  const EventRecord record = event(1, static_cast<std::size_t>(state.range(0)));
  std::vector<char> buffer(64u << 20, 1);
  std::size_t at = 0;
  for (auto _ : state) {
    if (at + record.json.size() + record.detail.size() > buffer.size()) at = 0;
    std::memcpy(buffer.data() + at, record.json.data(), record.json.size());
    at += record.json.size();
    std::memcpy(buffer.data() + at, record.detail.data(), record.detail.size());
    at += record.detail.size();
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(
      static_cast<std::int64_t>(state.iterations() * (record.json.size() + record.detail.size())));
}
BENCHMARK(AppendPeerMemcpy)->Arg(0)->Arg(1024)->Arg(8000);

void MakeRecordJson(benchmark::State& state) {
  AttackEvent e;
  e.header_raw.assign(static_cast<std::size_t>(state.range(0)), 'h');
  std::string out;
  for (auto _ : state) {
    out.clear();
    append_record_json(e, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * out.size()));
}
BENCHMARK(MakeRecordJson)->Arg(400)->Arg(8000);

void CutRecordJson(benchmark::State& state) {
  const EventRecord record = event(1, 8000);
  std::string out;
  for (auto _ : state) {
    out.clear();
    benchmark::DoNotOptimize(cut_record_json(record.json, 4096, out));
  }
}
BENCHMARK(CutRecordJson);

// 1 GiB, as large as the default, full.
TempRing& full_ring() {
  static TempRing temp(1024);
  if (temp.ring->end() == 1) {
    std::uint64_t number = 0;
    while (temp.ring->oldest() == 1) (void)temp.ring->append(event(number++, 400));
  }
  return temp;
}

void ReadForward(benchmark::State& state) {
  TempRing& temp = full_ring();
  RingReader reader(*temp.ring);
  std::int64_t bytes = 0;
  std::int64_t records = 0;
  for (auto _ : state) {
    std::uint64_t overtaken = 0;
    auto views = reader.read(256, 512 * 1024, overtaken);
    if (views.empty()) {
      reader.seek(temp.ring->oldest());
      views = reader.read(256, 512 * 1024, overtaken);
    }
    for (const auto& view : views) bytes += static_cast<std::int64_t>(view.json.size() + view.detail.size());
    records += static_cast<std::int64_t>(views.size());
  }
  state.SetBytesProcessed(bytes);
  state.SetItemsProcessed(records);
}
BENCHMARK(ReadForward);

// The whole ring searched; `time` is the wait of somebody at the console. The list shows 100.
void Query(benchmark::State& state, const char* text, std::size_t limit) {
  TempRing& temp = full_ring();
  RingReader reader(*temp.ring);
  const auto query = EventQuery::parse(text);
  if (!query) return state.SkipWithError("query");
  std::uint64_t found = 0;
  for (auto _ : state) {
    SearchRange range;
    range.limit = limit;
    found = search_newest_first(reader, *query, range, [](const RecordView&) { return true; }).found;
  }
  state.counters["found"] = static_cast<double>(found);
  state.counters["records"] = static_cast<double>(temp.ring->records());
}
constexpr std::size_t kPage = 100;
BENCHMARK_CAPTURE(Query, nothing_by_type_and_risk, "type:sqli risk:high site:9", kPage)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Query, nothing_by_id, "id:00000000000000000000000000000000", kPage)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Query, nothing_by_source, "src:192.168.0.0/16", kPage)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Query, nothing_by_rule, "rule:m_xss/0123456789abcdef0123456789abcdef", kPage)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Query, page_by_source, "src:10.7.0.0/16", kPage)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Query, page_by_action, "action:deny", kPage)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Query, nothing_by_free_text, "nowhere-to-be-found", kPage)->Unit(benchmark::kMillisecond);

// A full ring opened as the daemon does at its start: every record is checked. The peer reads the same
// bytes.
void OpenFullRing(benchmark::State& state) {
  TempRing& temp = full_ring();
  std::uint64_t records = 0;
  for (auto _ : state) {
    temp.ring.reset();
    auto opened = Ring::open({temp.path, 1024u << 20, 1000, 1});
    if (!opened) return state.SkipWithError("open");
    temp.ring = std::move(*opened);
    records = temp.ring->records();
  }
  state.counters["records"] = static_cast<double>(records);
}
BENCHMARK(OpenFullRing)->Unit(benchmark::kMillisecond)->Iterations(3);

void OpenPeerReadFile(benchmark::State& state) {
  TempRing& temp = full_ring();
  std::vector<char> buffer(1u << 20);
  for (auto _ : state) {
    std::FILE* file = std::fopen(temp.path.c_str(), "rb");
    while (file != nullptr && std::fread(buffer.data(), 1, buffer.size(), file) == buffer.size()) {
      benchmark::DoNotOptimize(buffer.data());
    }
    if (file != nullptr) std::fclose(file);
  }
}
BENCHMARK(OpenPeerReadFile)->Unit(benchmark::kMillisecond)->Iterations(3);

void VisitHeads(benchmark::State& state) {
  TempRing& temp = full_ring();
  RingReader reader(*temp.ring);
  std::uint64_t high = 0;
  for (auto _ : state) {
    reader.visit_heads(0, UINT64_MAX, [&high](const RecordHead& head) {
      high += head.risk == Risk::kHigh ? 1 : 0;
      return true;
    });
  }
  benchmark::DoNotOptimize(high);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * temp.ring->records()));
}
BENCHMARK(VisitHeads)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wafd::forward

BENCHMARK_MAIN();
