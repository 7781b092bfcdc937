#include "forward/ring/ring.h"

#include <fstream>

#include <gtest/gtest.h>

#include "detect/core/digest.h"
#include "detect/core/record_cut.h"
#include "tests/forward/ring_support.h"

namespace wafd::forward {
namespace {

constexpr std::uint64_t kSmall = 8192 + 256 * 1024;

std::unique_ptr<Ring> open_ring(const std::string& path, std::uint64_t size = kSmall,
                                std::uint64_t min_next = 1) {
  auto ring = Ring::open({path, size, 1000, min_next});
  EXPECT_TRUE(ring) << (ring ? "" : ring.error().what);
  return ring ? std::move(*ring) : nullptr;
}

void append(Ring& ring, std::uint64_t from, std::uint64_t to, std::size_t body = 100) {
  for (std::uint64_t n = from; n < to; ++n) {
    const auto seq = ring.append(event(n, body));
    ASSERT_TRUE(seq) << seq.error().what;
  }
}

// Sequence numbers that a fresh reader gets; every record must be the event that `number` made.
std::vector<std::uint64_t> numbers(const Ring& ring, std::uint64_t* lost = nullptr) {
  RingReader reader(ring);
  reader.seek(1);
  std::vector<std::uint64_t> out;
  for (;;) {
    std::uint64_t overtaken = 0;
    const auto views = reader.read(7, 20'000, overtaken);
    if (lost != nullptr) *lost += overtaken;
    if (views.empty()) return out;
    for (const RecordView& view : views) {
      const std::uint64_t number = view.seq - 1;
      const EventRecord expected = event(number, view.json.size() - event(number, 0).json.size());
      EXPECT_EQ(view.json, expected.json) << view.seq;
      EXPECT_EQ(view.detail, expected.detail);
      EXPECT_EQ(view.id, expected.id);
      EXPECT_EQ(view.src_ip, expected.src_ip);
      EXPECT_EQ(view.site_uuid, expected.site_uuid);
      EXPECT_EQ(view.rule_id, expected.rule_id);
      EXPECT_EQ(view.time_ms, expected.time_ms);
      EXPECT_EQ(view.attack_type, expected.attack_type);
      EXPECT_EQ(view.risk, expected.risk);
      EXPECT_EQ(view.action, expected.action);
      out.push_back(view.seq);
      reader.hint_next(view.seq % 3 == 0 ? SIZE_MAX
                                         : view.json.size());  // changes nothing, wherever it points
    }
  }
}

std::vector<std::uint64_t> range(std::uint64_t from, std::uint64_t to) {
  std::vector<std::uint64_t> out;
  for (; from < to; ++from) out.push_back(from);
  return out;
}

void overwrite(const std::string& path, std::uint64_t offset, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.good());
}

// Where in the file the JSON of that event lies.
std::uint64_t offset_of(const std::string& path, std::uint64_t number) {
  std::ifstream file(path, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), {});
  const auto at = all.find("\"event_id\":\"" + id_of(number).text());
  EXPECT_NE(at, std::string::npos);
  return at;
}

TEST(Ring, NewIsEmpty) {
  const TempFolder folder;
  const auto ring = open_ring(folder.file("ring"));
  EXPECT_TRUE(ring->recovery().created);
  EXPECT_EQ(ring->recovery().text, "");
  EXPECT_EQ(ring->oldest(), 1u);
  EXPECT_EQ(ring->end(), 1u);
  EXPECT_EQ(ring->used_bytes(), 0u);
  EXPECT_EQ(ring->size_bytes(), kSmall);
  EXPECT_EQ(ring->generation().size(), 32u);
  EXPECT_TRUE(numbers(*ring).empty());
  RingReader reader(*ring);
  EXPECT_EQ(reader.find(id_of(1)), nullptr);
  EXPECT_TRUE(reader.read_before(100, 10, 10'000).empty());
}

TEST(Ring, AppendReadReopen) {
  const TempFolder folder;
  std::string generation;
  {
    const auto ring = open_ring(folder.file("ring"));
    append(*ring, 0, 20);
    EXPECT_EQ(numbers(*ring), range(1, 21));
    EXPECT_EQ(ring->records(), 20u);
    generation = ring->generation();
  }
  const auto ring = open_ring(folder.file("ring"));
  EXPECT_FALSE(ring->recovery().created);
  EXPECT_EQ(ring->recovery().text, "");
  EXPECT_EQ(ring->recovery().records, 20u);
  EXPECT_EQ(ring->generation(), generation);
  EXPECT_EQ(numbers(*ring), range(1, 21));
  append(*ring, 20, 25);
  EXPECT_EQ(numbers(*ring), range(1, 26));
  EXPECT_EQ(ring->oldest_time_ms(), 1'760'000'000'000);
}

TEST(Ring, OvertakesTheOldestAndSaysHowMany) {
  const TempFolder folder;
  const auto ring = open_ring(folder.file("ring"));
  append(*ring, 0, 1000, 700);
  EXPECT_EQ(ring->end(), 1001u);
  EXPECT_GT(ring->oldest(), 800u);
  EXPECT_LE(ring->used_bytes(), kSmall - 8192);
  EXPECT_GT(ring->used_bytes(), (kSmall - 8192) * 9 / 10);
  std::uint64_t lost = 0;
  EXPECT_EQ(numbers(*ring, &lost), range(ring->oldest(), 1001));
  EXPECT_EQ(lost, ring->oldest() - 1);
}

TEST(Ring, ManyLapsAndEveryReopening) {
  const TempFolder folder;
  std::uint64_t next = 0;
  for (int lap = 0; lap < 40; ++lap) {
    const auto ring = open_ring(folder.file("ring"));
    EXPECT_EQ(ring->recovery().text, "") << lap;
    EXPECT_EQ(ring->end(), next + 1);
    append(*ring, next, next + 37, 211 * static_cast<std::size_t>(lap % 10));
    next += 37;
    EXPECT_EQ(numbers(*ring), range(ring->oldest(), next + 1));
  }
}

TEST(Ring, RefusesWhatIsTooLarge) {
  const TempFolder folder;
  const auto ring = open_ring(folder.file("ring"));
  EventRecord large = event(0);
  large.json.assign(100'000, 'x');
  const auto refused = ring->append(large);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(ring->refused(), 1u);
  append(*ring, 0, 1);
  EXPECT_EQ(numbers(*ring), range(1, 2));
}

TEST(Ring, SequencesNeverGoBack) {
  const TempFolder folder;
  {
    const auto ring = open_ring(folder.file("ring"));
    append(*ring, 0, 5);
  }
  const auto ring = open_ring(folder.file("ring"), kSmall, 100);
  EXPECT_EQ(ring->end(), 100u);
  EXPECT_EQ(*ring->append(event(99)), 100u);
  std::uint64_t lost = 0;
  EXPECT_EQ(numbers(*ring, &lost), (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 100}));
  EXPECT_EQ(lost, 94u);
}

TEST(Ring, OneWriterAtATime) {
  const TempFolder folder;
  const auto ring = open_ring(folder.file("ring"));
  const auto second = Ring::open({folder.file("ring"), kSmall, 1000, 1});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
}

TEST(Ring, BackwardsPagesAndFind) {
  const TempFolder folder;
  const auto ring = open_ring(folder.file("ring"));
  append(*ring, 0, 50);
  RingReader reader(*ring);
  std::vector<std::uint64_t> got;
  std::uint64_t before = UINT64_MAX;
  for (;;) {
    const auto views = reader.read_before(before, 7, 1 << 20);
    if (views.empty()) break;
    for (const auto& view : views) got.push_back(view.seq);
    before = views.back().seq;
  }
  std::vector<std::uint64_t> expected = range(1, 51);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(got, expected);
  const RecordView* found = reader.find(id_of(17));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->seq, 18u);
  EXPECT_EQ(reader.find(id_of(50)), nullptr);

  // By head alone, in pages of heads.
  got.clear();
  std::uint64_t scanned = UINT64_MAX;
  int calls = 0;
  while (scanned != 0 && ++calls < 100) {
    const auto wanted = [](const RecordHead& head) { return head.risk == Risk::kHigh; };
    for (const auto& view : reader.read_before(scanned, 3, 1 << 20, 10, wanted, scanned)) {
      EXPECT_EQ(view.risk, Risk::kHigh);
      got.push_back(view.seq);
    }
  }
  EXPECT_EQ(got.size(), 16u);  // numbers 2, 5, ... 47
  EXPECT_TRUE(std::is_sorted(got.rbegin(), got.rend()));

  std::vector<std::uint64_t> seen;
  reader.visit_heads(10, 15, [&seen](const RecordHead& head) {
    EXPECT_EQ(head.source->text(), "10.0.0." + std::to_string(head.seq - 1));
    EXPECT_EQ(head.site_hash, text_hash(std::to_string((head.seq - 1) % 3)));
    seen.push_back(head.seq);
    return true;
  });
  EXPECT_EQ(seen, range(10, 15));
  EXPECT_EQ(reader.first_at(1'760'000'000'000 + 20), 21u);
  EXPECT_EQ(reader.first_at(0), 1u);
  EXPECT_EQ(reader.first_at(INT64_MAX), 51u);
}

// --- amendments
// ---------------------------------------------------------------------------------------------------

ResponseReport report_for(std::uint64_t number) {
  ResponseReport report;
  report.id = id_of(number);
  report.rsp_start_time_ms = 1111;
  report.rsp_end_time_ms = 2222;
  report.status = 503;
  report.size = 77;
  report.reason_phrase = "Not \"ok\"\r\n";
  return report;
}

TEST(Ring, AmendmentIsMergedOnReading) {
  const TempFolder folder;
  {
    const auto ring = open_ring(folder.file("ring"));
    append(*ring, 0, 3);
    EXPECT_TRUE(ring->amend(report_for(1)));
    EXPECT_FALSE(ring->amend(report_for(99)));
    EXPECT_EQ(ring->amendments_dropped(), 1u);
    append(*ring, 3, 5);
    EXPECT_EQ(numbers(*ring), range(1, 6));  // amendments take no sequence number
  }
  const auto ring = open_ring(folder.file("ring"));
  EXPECT_EQ(ring->recovery().text, "");
  RingReader reader(*ring);
  const RecordView* view = reader.find(id_of(1));
  ASSERT_NE(view, nullptr);
  EXPECT_EQ(view->response_status, 503);
  EXPECT_EQ(view->response_size, 77u);
  const std::string merged = reader.merged_json(*view);
  RecordValues before;
  RecordValues after;
  ASSERT_TRUE(scan_record(view->json, before));
  ASSERT_TRUE(scan_record(merged, after));
  for (std::size_t i = 0; i < kRecordMembers; ++i) {
    const auto name = kMembers[i].name;
    if (name == "rsp_start_time") {
      EXPECT_EQ(after[i], "1111");
    } else if (name == "rsp_end_time") {
      EXPECT_EQ(after[i], "2222");
    } else if (name == "resp_reason_phrase") {
      EXPECT_EQ(after[i], "\"Not \\\"ok\\\"\\u000d\\u000a\"");
    } else {
      EXPECT_EQ(after[i], before[i]);
    }
  }
  const RecordView* other = reader.find(id_of(2));
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->response_status, 0);
  EXPECT_EQ(reader.merged_json(*other), other->json);
}

TEST(Ring, SecondReportCompletesTheFirst) {
  const TempFolder folder;
  const auto ring = open_ring(folder.file("ring"));
  append(*ring, 0, 1);
  ResponseReport first;
  first.id = id_of(0);
  first.rsp_start_time_ms = 5;
  first.status = 200;
  ResponseReport second;
  second.id = id_of(0);
  second.rsp_end_time_ms = 9;
  second.size = 3;
  EXPECT_TRUE(ring->amend(first));
  EXPECT_TRUE(ring->amend(second));
  RingReader reader(*ring);
  const RecordView* view = reader.find(id_of(0));
  ASSERT_NE(view, nullptr);
  EXPECT_EQ(view->response_status, 200);
  EXPECT_EQ(view->response_size, 3u);
  RecordValues values;
  const std::string merged = reader.merged_json(*view);
  ASSERT_TRUE(scan_record(merged, values));
  EXPECT_EQ(values[member_number("rsp_start_time") - 1].substr(0, 1), "5");
}

TEST(Ring, AmendmentOfAnOvertakenEventIsDroppedAndCounted) {
  const TempFolder folder;
  const auto ring = open_ring(folder.file("ring"));
  append(*ring, 0, 1000, 700);
  EXPECT_FALSE(ring->amend(report_for(0)));
  EXPECT_EQ(ring->amendments_dropped(), 1u);
  // Only amendments, from the newest event back: they push the events out.
  const std::uint64_t before = ring->records();
  std::uint64_t accepted = 0;
  for (std::uint64_t number = 999; ring->amend(report_for(number)) && number > 0; --number) ++accepted;
  EXPECT_GT(accepted, before / 2);
  EXPECT_LT(accepted, before);
  EXPECT_EQ(ring->records(), accepted);
  append(*ring, 1000, 1002);
  EXPECT_EQ(ring->end(), 1003u);
}

TEST(Ring, WhatWasToldFirstStaysAndWhatIsNotNewTakesNoRoom) {
  const TempFolder folder;
  const auto ring = open_ring(folder.file("ring"));
  append(*ring, 0, 1);
  int wakeups = 0;
  ring->set_wakeup([&wakeups] { ++wakeups; });
  ResponseReport report = report_for(0);
  report.time_ms = 77;
  EXPECT_TRUE(ring->amend(report));
  EXPECT_EQ(wakeups, 1);  // whoever waits for it is told
  const std::uint64_t used = ring->used_bytes();
  report.time_ms = 88;
  report.rsp_start_time_ms = 1;
  report.rsp_end_time_ms = 2;
  report.status = 200;
  report.size = 1;
  report.reason_phrase = "Another";
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(ring->amend(report));
  EXPECT_EQ(ring->used_bytes(), used);
  EXPECT_EQ(wakeups, 1);
  RingReader reader(*ring);
  const RecordView* view = reader.find(id_of(0));
  ASSERT_NE(view, nullptr);
  EXPECT_EQ(view->report_time_ms, 77);
  EXPECT_EQ(view->response_status, 503);
  EXPECT_NE(reader.merged_json(*view).find("\"rsp_start_time\":1111,"), std::string::npos);
  EXPECT_EQ(reader.merged_json(*view).find("Another"), std::string::npos);
}

TEST(Ring, RemembersWhetherAReportWasAnnouncedAndWhenItCame) {
  const TempFolder folder;
  {
    const auto ring = open_ring(folder.file("ring"));
    append(*ring, 0, 1);
    EventRecord announced = event(1);
    announced.report_expected = true;
    ASSERT_TRUE(ring->append(announced));
    announced = event(2);
    announced.report_expected = true;
    ASSERT_TRUE(ring->append(announced));
    ResponseReport report = report_for(2);
    report.time_ms = 1'760'000'000'500;
    ASSERT_TRUE(ring->amend(report));
  }
  const auto ring = open_ring(folder.file("ring"));  // as found on opening
  RingReader reader(*ring);
  const struct {
    bool expected, reported;
    std::int64_t time_ms;
  } rows[] = {{false, false, 0}, {true, false, 0}, {true, true, 1'760'000'000'500}};
  for (std::uint64_t number = 0; number < 3; ++number) {
    const RecordView* view = reader.find(id_of(number));
    ASSERT_NE(view, nullptr) << number;
    EXPECT_EQ(view->report_expected, rows[number].expected) << number;
    EXPECT_EQ(view->reported, rows[number].reported) << number;
    EXPECT_EQ(view->report_time_ms, rows[number].time_ms) << number;
  }
}

// --- damage
// -------------------------------------------------------------------------------------------------------

TEST(RingDamage, InTheMiddleIsLeftOutAndSaid) {
  const TempFolder folder;
  const std::string path = folder.file("ring");
  {
    const auto ring = open_ring(path);
    append(*ring, 0, 30);
  }
  overwrite(path, offset_of(path, 10), "X");
  overwrite(path, offset_of(path, 11) + 30, std::string(40, '\xff'));
  {
    const auto ring = open_ring(path);
    EXPECT_EQ(ring->recovery().records, 28u);
    EXPECT_GT(ring->recovery().dropped_bytes, 2500u);
    EXPECT_NE(ring->recovery().text.find("damaged"), std::string::npos) << ring->recovery().text;
    std::uint64_t lost = 0;
    std::vector<std::uint64_t> expected = range(1, 11);
    for (const auto seq : range(13, 31)) expected.push_back(seq);
    EXPECT_EQ(numbers(*ring, &lost), expected);
    EXPECT_EQ(lost, 2u);
    append(*ring, 30, 31);
  }
  const auto ring = open_ring(path);  // healed: not said again
  EXPECT_EQ(ring->recovery().text, "");
  EXPECT_EQ(ring->recovery().records, 29u);
}

TEST(RingDamage, OfTheLastRecord) {
  const TempFolder folder;
  const std::string path = folder.file("ring");
  {
    const auto ring = open_ring(path);
    append(*ring, 0, 5);
  }
  overwrite(path, offset_of(path, 4), "XXXX");
  const auto ring = open_ring(path, kSmall, 6);
  EXPECT_EQ(numbers(*ring), range(1, 5));
  EXPECT_EQ(ring->end(), 6u);
  EXPECT_NE(ring->recovery().text.find("behind the last sound record were dropped"), std::string::npos);
}

TEST(RingDamage, HeadOrLivePageGone) {
  for (const std::uint64_t offset : {0u, 20u, 4096u, 4160u}) {
    const TempFolder folder;
    const std::string path = folder.file("ring");
    std::string generation;
    {
      const auto ring = open_ring(path);
      append(*ring, 0, 500, 700);  // more than a lap
      generation = ring->generation();
    }
    overwrite(path, offset, std::string(8, '\xa5'));
    const auto ring = open_ring(path);
    EXPECT_NE(ring->recovery().text, "") << offset;
    const auto seqs = numbers(*ring);
    ASSERT_GT(seqs.size(), 50u) << offset;
    EXPECT_EQ(seqs, range(501 - seqs.size(), 501));
    EXPECT_EQ(ring->generation() == generation, offset >= 4096);
    append(*ring, 500, 510);
    EXPECT_EQ(numbers(*ring).back(), 510u);
  }
}

TEST(RingDamage, NoRingAtAll) {
  const TempFolder folder;
  const std::string path = folder.file("ring");
  const std::string contents[] = {"", "short", std::string(300'000, 'x')};
  for (const auto& content : contents) {
    {
      std::ofstream file(path, std::ios::binary | std::ios::trunc);
      file << content;
    }
    const auto ring = open_ring(path);
    EXPECT_TRUE(ring->recovery().created);
    EXPECT_NE(ring->recovery().text.find("ring.unreadable"), std::string::npos);
    EXPECT_EQ(std::filesystem::file_size(path + ".unreadable"), content.size());
    append(*ring, 0, 2);
  }
}

TEST(RingDamage, ShorterFile) {
  const TempFolder folder;
  const std::string path = folder.file("ring");
  {
    const auto ring = open_ring(path);
    append(*ring, 0, 60);
  }
  std::filesystem::resize_file(path, 8192 + 66'000);
  const auto ring = open_ring(path);
  EXPECT_NE(ring->recovery().text, "");
  const auto seqs = numbers(*ring);
  ASSERT_GT(seqs.size(), 10u);
  EXPECT_EQ(seqs, range(1, seqs.size() + 1));
  EXPECT_EQ(ring->size_bytes(), kSmall);
}

TEST(RingDamage, NewerFormatIsRefused) {
  const TempFolder folder;
  const std::string path = folder.file("ring");
  { const auto ring = open_ring(path); }
  std::string head(44, '\0');
  {
    std::ifstream file(path, std::ios::binary);
    file.read(head.data(), 44);
  }
  head[8] = 2;
  const std::uint32_t crc = crc32c(head);
  head.append(reinterpret_cast<const char*>(&crc), 4);
  overwrite(path, 0, head);
  const auto ring = Ring::open({path, kSmall, 1000, 1});
  ASSERT_FALSE(ring);
  EXPECT_EQ(ring.error().code, ErrorCode::kInvalid);
  EXPECT_NE(ring.error().what.find("format 2"), std::string::npos);
}

TEST(Ring, CannotBeCreated) {
  const auto ring = Ring::open({"/nonexistent/folder/ring", kSmall, 1000, 1});
  ASSERT_FALSE(ring);
  EXPECT_EQ(ring.error().code, ErrorCode::kIo);
  EXPECT_NE(ring.error().what.find("/nonexistent/folder/ring"), std::string::npos);
}

// --- size
// ---------------------------------------------------------------------------------------------------------

TEST(RingResize, NewestRecordsMoveOver) {
  const TempFolder folder;
  const std::string path = folder.file("ring");
  std::string generation;
  {
    const auto ring = open_ring(path);
    append(*ring, 0, 100, 300);
    EXPECT_TRUE(ring->amend(report_for(95)));
    generation = ring->generation();
  }
  {
    const auto ring = open_ring(path, 8192 + 128 * 1024);
    EXPECT_TRUE(ring->recovery().resized);
    EXPECT_EQ(ring->generation(), generation);
    EXPECT_EQ(ring->end(), 101u);
    const auto seqs = numbers(*ring);
    EXPECT_GT(seqs.size(), 40u);
    EXPECT_EQ(seqs, range(101 - seqs.size(), 101));
    RingReader reader(*ring);
    EXPECT_EQ(reader.find(id_of(95))->response_status, 503);
    append(*ring, 100, 110, 300);
  }
  const auto ring = open_ring(path, 8192 + 512 * 1024);
  EXPECT_TRUE(ring->recovery().resized);
  EXPECT_EQ(ring->size_bytes(), 8192u + 512 * 1024);
  EXPECT_EQ(numbers(*ring).back(), 110u);
  append(*ring, 110, 300, 300);
  EXPECT_EQ(numbers(*ring).back(), 300u);
}

// --- another process's file
// ---------------------------------------------------------------------------------------

TEST(RingReadOnly, BesideALiveWriter) {
  const TempFolder folder;
  const std::string path = folder.file("ring");
  const auto ring = open_ring(path);
  append(*ring, 0, 10);
  const auto view = Ring::open_read_only(path);
  ASSERT_TRUE(view) << view.error().what;
  EXPECT_EQ((*view)->end(), 11u);
  EXPECT_EQ(numbers(**view), range(1, 11));
  EXPECT_FALSE((*view)->append(event(10)));
  EXPECT_FALSE((*view)->amend(report_for(1)));
  append(*ring, 10, 20);
  EXPECT_TRUE(ring->amend(report_for(12)));
  EXPECT_EQ(numbers(**view), range(1, 21));
  RingReader reader(**view);
  EXPECT_EQ(reader.find(id_of(12))->response_status, 503);
  append(*ring, 20, 1000, 700);  // laps ahead
  EXPECT_EQ(numbers(**view), range((*view)->oldest(), 1001));
  EXPECT_EQ((*view)->oldest(), ring->oldest());
}

TEST(RingReadOnly, MissingAndDamaged) {
  const TempFolder folder;
  const std::string path = folder.file("ring");
  const auto missing = Ring::open_read_only(path);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kMissing);
  {
    const auto ring = open_ring(path);
    append(*ring, 0, 30);
  }
  overwrite(path, offset_of(path, 10), "X");
  overwrite(path, offset_of(path, 20) - 250, std::string(100, '\0'));
  {
    const auto view = Ring::open_read_only(path);
    ASSERT_TRUE(view);
    std::vector<std::uint64_t> expected;
    for (const auto seq : range(1, 31)) {
      if (seq != 11 && seq != 21) expected.push_back(seq);
    }
    EXPECT_EQ(numbers(**view), expected);
  }
  overwrite(path, 0, "garbage!");
  const auto view = Ring::open_read_only(path);
  ASSERT_TRUE(view);
  EXPECT_EQ(numbers(**view).size(), 28u);
}

}  // namespace
}  // namespace wafd::forward
