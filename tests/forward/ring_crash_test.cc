// The ring when its process is killed in the middle of work, and when many threads use it at once.
#include <atomic>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "detect/core/record_cut.h"
#include "forward/ring/cursor_store.h"
#include "tests/forward/ring_support.h"

namespace wafd::forward {
namespace {

constexpr std::uint64_t kSize = 8192 + 1024 * 1024;

struct Told {
  std::uint64_t seq = 0;
  std::uint64_t number = 0;
};

// Appends from four threads for ever and tells each event through the pipe after append() has returned.
[[noreturn]] void child(const std::string& folder, std::uint64_t first_number, int pipe) {
  auto ring = Ring::open({folder + "/ring", kSize, 5, 1});
  auto cursors = CursorStore::open(folder + "/cursors", 5);
  if (!ring || !cursors) ::_exit(3);
  std::atomic<std::uint64_t> number{first_number};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (;;) {
        const std::uint64_t n = number.fetch_add(1);
        const auto seq = (*ring)->append(event(n, n * 37 % 3000));
        if (!seq) ::_exit(4);
        const Told told{*seq, n};
        if (::write(pipe, &told, sizeof told) != static_cast<ssize_t>(sizeof told)) ::_exit(5);
        if (n % 5 == 0) {
          ResponseReport report;
          report.id = id_of(n);
          report.status = 200;
          (*ring)->amend(report);
        }
        if (n % 7 == 0 && !(*cursors)->set("target", {(*ring)->generation(), *seq, 1})) ::_exit(6);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  ::_exit(7);
}

TEST(RingCrash, KilledUnderLoadLosesNothingThatWasTold) {
  const TempFolder folder;
  std::mt19937 random(20260101);
  std::uint64_t number = 0;
  std::uint64_t told_in_all = 0;
  std::uint64_t found_in_all = 0;
  for (int round = 0; round < 60; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      ::close(ends[0]);
      child(folder.file(""), number, ends[1]);
    }
    ::close(ends[1]);
    // Killed behind a random number of events, not at a time: wherever the threads are then.
    std::vector<Told> told;
    const std::size_t enough = 1 + random() % 900;
    Told one;
    bool killed = false;
    while (::read(ends[0], &one, sizeof one) == static_cast<ssize_t>(sizeof one)) {
      told.push_back(one);
      if (told.size() == enough) {
        ASSERT_EQ(::kill(pid, SIGKILL), 0);
        killed = true;  // and on, until the pipe is empty: what was told before the kill counts
      }
    }
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(killed && WIFSIGNALED(status)) << "the child ended by itself: " << WEXITSTATUS(status);

    auto opened = Ring::open({folder.file("ring"), kSize, 0, 1});
    ASSERT_TRUE(opened) << opened.error().what;
    Ring& ring = **opened;
    EXPECT_EQ(ring.recovery().dropped_bytes, 0u) << ring.recovery().text;
    RingReader reader(ring);
    // No hole before a complete record, and every record is whole.
    reader.seek(ring.oldest());
    std::uint64_t expected = ring.oldest();
    for (;;) {
      std::uint64_t overtaken = 0;
      const auto views = reader.read(64, 1 << 20, overtaken);
      ASSERT_EQ(overtaken, 0u);
      if (views.empty()) break;
      for (const RecordView& view : views) {
        ASSERT_EQ(view.seq, expected++);
        RecordValues values;
        ASSERT_TRUE(scan_record(view.json, values));
        ASSERT_EQ(values[member_number("event_id") - 1], "\"" + view.id.text() + "\"");
      }
    }
    ASSERT_EQ(expected, ring.end());
    for (const Told& t : told) {
      ASSERT_LT(t.seq, ring.end()) << "event " << t.number << " was told and is lost";
      number = std::max(number, t.number + 1);
      ++told_in_all;
      if (t.seq < ring.oldest()) continue;  // overtaken by later ones
      reader.seek(t.seq);
      std::uint64_t overtaken = 0;
      const auto views = reader.read(1, 1 << 20, overtaken);
      ASSERT_EQ(views.size(), 1u);
      ASSERT_EQ(views[0].seq, t.seq);
      ASSERT_EQ(views[0].id, id_of(t.number));
      ASSERT_EQ(views[0].json, event(t.number, t.number * 37 % 3000).json);
      ++found_in_all;
    }
    number += 10;  // numbers taken and not told
    const auto cursors = CursorStore::open(folder.file("cursors"), 0);
    ASSERT_TRUE(cursors);
    EXPECT_LE((*cursors)->max_seq(), ring.end());
    EXPECT_FALSE(told.size() > 50 && (*cursors)->list().empty());
  }
  EXPECT_GT(told_in_all, 10'000u);
  EXPECT_GT(found_in_all, 5'000u);
}

TEST(RingThreads, WritersReadersAndReportsTogether) {
  const TempFolder folder;
  auto opened = Ring::open({folder.file("ring"), 8192 + 256 * 1024, 2, 1});
  ASSERT_TRUE(opened);
  Ring& ring = **opened;
  auto beside = Ring::open_read_only(folder.file("ring"));
  ASSERT_TRUE(beside);
  std::atomic<std::uint64_t> wakeups{0}, amended{0};
  ring.set_wakeup([&wakeups] { wakeups.fetch_add(1, std::memory_order_relaxed); });

  constexpr std::uint64_t kEach = 1500;
  std::atomic<int> writing{3};
  std::atomic<std::uint64_t> read_count{0};
  std::atomic<std::uint64_t> wrong{0};
  // Whatever a reader is given is whole and is the event its id names.
  const auto check = [&wrong](const RecordView& view) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < 8; ++i) number |= std::uint64_t{view.id.bytes[15 - i]} << (8 * i);
    if (view.json != event(number, number % 2000).json || view.id != id_of(number)) wrong.fetch_add(1);
  };
  std::vector<std::thread> threads;
  for (std::uint64_t w = 0; w < 3; ++w) {
    threads.emplace_back([&, w] {
      for (std::uint64_t n = w * kEach; n < (w + 1) * kEach; ++n) {
        if (!ring.append(event(n, n % 2000))) wrong.fetch_add(1);
        if (n % 3 != 0) continue;
        ResponseReport report;
        report.id = id_of(n);
        report.status = 204;
        if (ring.amend(report)) amended.fetch_add(1);
      }
      writing.fetch_sub(1);
    });
  }
  const auto forwards = [&](const Ring& from) {
    RingReader reader(from);
    reader.seek(1);
    std::uint64_t expected = 1;
    while (expected <= 3 * kEach) {
      std::uint64_t overtaken = 0;
      const auto views = reader.read(20, 64 * 1024, overtaken);
      expected += overtaken;
      for (const RecordView& view : views) {
        if (view.seq != expected++) wrong.fetch_add(1);
        check(view);
        read_count.fetch_add(1);
        if (view.response_status != 0 && reader.merged_json(view).empty()) wrong.fetch_add(1);
      }
      if (views.empty()) std::this_thread::yield();
    }
  };
  threads.emplace_back(forwards, std::cref(ring));
  threads.emplace_back(forwards, std::cref(ring));
  threads.emplace_back(forwards, std::cref(**beside));
  threads.emplace_back([&] {
    RingReader reader(ring);
    while (writing.load() > 0) {
      std::uint64_t last = UINT64_MAX;
      for (const RecordView& view : reader.read_before(UINT64_MAX, 30, 64 * 1024)) {
        if (view.seq >= last) wrong.fetch_add(1);
        last = view.seq;
        check(view);
      }
      reader.visit_heads(0, UINT64_MAX, [](const RecordHead&) { return true; });
      reader.find(id_of(42));
    }
  });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0u);
  EXPECT_GT(read_count.load(), 0u);
  EXPECT_EQ(ring.end(), 3 * kEach + 1);
  EXPECT_EQ(wakeups.load(), 3 * kEach + amended.load());
}

}  // namespace
}  // namespace wafd::forward
