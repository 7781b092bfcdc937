// A conversation of a gateway with its response reports: whatever the bytes, in whatever fragments, every
// message is answered once; a report changes its own event alone, and the event of the ring stays a record of
// 58 members that says what was reported. What ought to happen follows from a model that shares nothing with
// the session.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "detect/core/record_json.h"
#include "forward/ring/ring.h"
#include "ingest/t1k/t1k_session.h"
#include "tests/ingest/judge_support.h"
#include "tests/support/record_contract.h"

namespace {

using namespace wafd;
using namespace wafd::ingest;

void require(bool so) {
  if (!so) std::abort();
}

// The fuzzer's choices, piece by piece.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : left_(bytes) {}
  bool empty() const { return left_.empty(); }
  unsigned number(unsigned below) {
    const std::string_view one = text(1);
    return one.empty() ? 0 : static_cast<unsigned char>(one[0]) % below;
  }
  std::string_view text(std::size_t most) {
    const std::string_view out = left_.substr(0, most);
    left_.remove_prefix(out.size());
    return out;
  }
  std::string_view some() { return text(number(64)); }

 private:
  std::string_view left_;
};

std::string section(unsigned char tag, std::string_view data) {
  std::string out(1, static_cast<char>(tag));
  for (std::size_t i = 0, n = data.size(); i < 4; ++i, n >>= 8) out += static_cast<char>(n & 0xff);
  return out.append(data);
}

// Messages in a stream of answers; nothing if it is none.
std::optional<std::size_t> count_answers(std::string_view stream) {
  std::size_t answers = 0;
  for (bool inside = false; !stream.empty();) {
    if (stream.size() < 5) return std::nullopt;
    const auto at = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(stream[i]));
    };
    const std::size_t size = at(1) | at(2) << 8 | at(3) << 16 | at(4) << 24;
    if (((at(0) & 0x40) != 0) == inside || stream.size() - 5 < size) return std::nullopt;
    inside = (at(0) & 0x80) == 0;
    if (!inside) ++answers;
    stream.remove_prefix(5 + size);
    if (stream.empty() && inside) return std::nullopt;
  }
  return answers;
}

struct Gateway {
  JudgeBench bench;
  FairQueue queue{64 << 20, 1};
  ReportIndex index{8};
  t1k::Counters counters;
  IngestLimits limits;
  std::string answers;
  std::uint64_t broken = 0;
  std::unique_ptr<t1k::Session> session = open();

  std::unique_ptr<t1k::Session> open() {
    return std::make_unique<t1k::Session>(
        t1k::Session::Shared{bench.judge, bench.clock, queue, index, counters, limits});
  }
  void feed(std::string_view bytes, std::size_t fragment) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(fragment, bytes.size()))) {
      bool sound =
          session->on_bytes(bytes.substr(0, fragment), bench.clock.monotonic_us(), answers).has_value();
      while (sound && run_next(queue, bench.judge)) sound = session->take_output(answers).has_value();
      if (sound) continue;
      ++broken;
      session = open();  // the gateway connects again
      return;
    }
  }
  std::uint64_t messages() const {
    return counters.requests + counters.reports + counters.heartbeats + counters.other;
  }
};

struct Expected {
  EventId event;
  std::string phrase;  // of the status line, where it is plain; else `plain` is false
  unsigned status = 0;
  bool plain = true;
};

forward::Ring& ring() {
  static const auto made = [] {
    const char* base = std::getenv("TMPDIR");
    std::string folder = std::string(base != nullptr ? base : "/tmp") + "/wafd-t1k-fuzz-XXXXXX";
    require(::mkdtemp(folder.data()) != nullptr);
    forward::RingOptions options;
    options.path = folder + "/ring";
    options.size_bytes = 1 << 20;
    options.sync_interval_ms = 0;
    auto opened = forward::Ring::open(options).value();
    std::filesystem::remove_all(folder);  // the mapping goes on
    return opened;
  }();
  return *made;
}

// The report, in the ring, changes its event as it says and nothing else.
void check_in_ring(EventRecord event, ResponseReport report) {
  static std::uint64_t number = 0;  // the ring outlives a run: ids of its own
  ++number;
  std::memcpy(event.id.bytes.data(), &number, sizeof number);
  report.id = event.id;
  require(!ring().amend(report));
  require(ring().append(event).has_value() && ring().amend(report));
  forward::RingReader reader(ring());
  const forward::RecordView* view = reader.find(event.id);
  require(view != nullptr && view->json == event.json && view->response_status == report.status &&
          view->response_size == report.size);
  const std::string merged = reader.merged_json(*view);
  require(test::check_record(merged).empty());
  const auto before = boost::json::parse(event.json).as_object(),
             after = boost::json::parse(merged).as_object();
  for (const auto& [name, value] : before)
    if (name != "rsp_start_time" && name != "rsp_end_time" && name != "resp_reason_phrase")
      require(after.at(name) == value);
  const auto says = [&](const char* name, const std::optional<std::int64_t>& time) {
    return time ? after.at(name) == boost::json::value(*time) : after.at(name).is_null();
  };
  require(says("rsp_start_time", report.rsp_start_time_ms) && says("rsp_end_time", report.rsp_end_time_ms));
}

bool plain(std::string_view text) {
  for (const char c : text)
    if (c < 33 || c > 126) return false;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices in({reinterpret_cast<const char*>(data), size});
  const std::size_t fragment = 1 + in.number(32);
  Gateway whole, pieces;
  const auto say = [&](std::string_view bytes) {
    whole.feed(bytes, bytes.size() + 1);
    pieces.feed(bytes, fragment);
  };
  std::vector<Expected> expected;
  std::map<std::string, EventId> announced;  // what the gateway's own ids stand for
  bool modelled = true;                      // until bytes of any kind were said
  for (int step = 0; step < 24 && !in.empty(); ++step) {
    const unsigned kind = in.number(8);
    const std::string uuid = "gateway-" + std::to_string(in.number(4));
    if (kind < 3) {  // a request: clean, an attack that is only watched, one that is blocked
      const bool report = in.number(4) != 0;
      const std::string target(kind == 0 ? "/" : "/?q=ATTACK");
      say(section(0x41, "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n") +
          section(0x83, "\x01\n\x18" + uuid + (kind == 1 ? "\n@monitor" : "") +
                            (report ? "\n\x19y\n\x1ay\n" : "\n")));
      if (kind != 0 && report && modelled) announced[uuid] = whole.bench.sink.records.back().id;
    } else if (kind <
               7) {  // a report, by the context of an event, by one that is none, by the gateway's id alone
      const auto& records = whole.bench.sink.records;
      std::optional<EventId> event;
      std::string context;
      if (kind == 3 && !records.empty()) event = records[in.number(255) % records.size()].id;
      if (event) context = event->text();
      if (kind == 4) context = in.some();
      if (const auto by_context = EventId::parse(context)) event = by_context;
      if (const auto by_uuid = announced.extract(uuid); !by_uuid.empty() && !event) event = by_uuid.mapped();
      const unsigned status = in.number(250) * 4;  // 0 to 996
      const std::string_view phrase = in.some(), rest = in.some(), extra = in.some();
      char line[16];
      std::snprintf(line, sizeof line, "HTTP/1.1 %03u ", status);
      say(section(0x41, "GET / HTTP/1.1\r\n\r\n") +
          section(0x11, line + std::string(phrase) + "\r\n" + std::string(rest)) + section(0x12, rest) +
          section(0x25, context) +
          section(0x93, "\x01\n\x18" + uuid + "\n\x1d" + std::string(extra) + "\n\x18" + uuid + "\n"));
      if (event) expected.push_back({*event, std::string(phrase), status, plain(phrase)});
    } else {
      say(in.some());
      modelled = false;
    }
  }
  require(whole.answers == pieces.answers && whole.bench.sink.reports == pieces.bench.sink.reports &&
          whole.broken == pieces.broken && whole.messages() == pieces.messages());
  require(count_answers(whole.answers) == whole.messages());
  const auto& reports = whole.bench.sink.reports;
  if (modelled) {
    require(reports.size() == expected.size() && whole.broken == 0);
    for (std::size_t i = 0; i < reports.size(); ++i) {
      require(reports[i].id == expected[i].event && reports[i].status == expected[i].status);
      if (expected[i].plain) require(reports[i].reason_phrase == expected[i].phrase);
    }
  }
  for (const EventRecord& event : whole.bench.sink.records) {
    for (const ResponseReport& report : reports)
      if (report.id == event.id) {
        check_in_ring(event, report);
        break;
      }
  }
  return 0;
}
