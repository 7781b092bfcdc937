#include "forward/query/events_command.h"

#include <gtest/gtest.h>

#include "detect/core/record_cut.h"
#include "tests/forward/ring_support.h"

namespace wafd::forward {
namespace {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

Outcome run(const std::string& arguments) {
  CLI::App app;
  Outcome outcome;
  outcome.status = -1;
  add_events_command(app, outcome.status);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  app.parse(arguments);
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(EventsCommand, PrintsWhatMatches) {
  const TempFolder folder;
  auto ring = Ring::open({folder.file("ring"), 1 << 20, 1000, 1});  // stays open: the daemon runs
  ASSERT_TRUE(ring);
  for (std::uint64_t n = 0; n < 150; ++n) ASSERT_TRUE((*ring)->append(event(n)));
  const std::string where = "events --state-dir " + folder.file("");

  const Outcome all = run(where);
  EXPECT_EQ(all.status, 0);
  EXPECT_EQ(all.err, "");
  EXPECT_EQ(lines(all.out), 100u);
  EXPECT_EQ(lines(run(where + " --limit 0").out), 150u);
  EXPECT_EQ(lines(run(where + " --limit 0 type:sqli").out), 7u);

  const Outcome one = run(where + " --limit 1");
  EXPECT_NE(one.out.find(id_of(149).text()), std::string::npos) << one.out;
  EXPECT_NE(one.out.find("10.0.0.149"), std::string::npos);

  const Outcome json = run(where + " --json --limit 3 id:" + id_of(7).text());
  ASSERT_EQ(lines(json.out), 1u);
  RecordValues values;
  EXPECT_TRUE(scan_record(std::string_view(json.out).substr(0, json.out.size() - 1), values));

  ring->reset();  // the daemon has stopped
  EXPECT_EQ(run(where + " --limit 0").out, run(where + " --limit 0").out);
  EXPECT_EQ(lines(run(where + " --limit 0").out), 150u);
}

TEST(EventsCommand, SaysWhatIsWrong) {
  const TempFolder folder;
  const Outcome missing = run("events --state-dir " + folder.file("none"));
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.err.find("none/ring"), std::string::npos) << missing.err;
  const Outcome query = run("events --state-dir " + folder.file("") + " colour:red");
  EXPECT_EQ(query.status, 2);
  EXPECT_NE(query.err.find("at character 1: expected a field"), std::string::npos) << query.err;
}

TEST(EventsCommand, NothingReachesTheTerminalRaw) {
  const TempFolder folder;
  auto ring = Ring::open({folder.file("ring"), 1 << 20, 1000, 1});
  ASSERT_TRUE(ring);
  AttackEvent e;
  e.host = e.urlpath = e.payload = e.method = e.src_ip = "\x1b[2J\r\n\xff\xe2\x80\xae\x07";
  EventRecord record = event(0);
  record.json.clear();
  record.offsets = append_record_json(e, record.json);
  ASSERT_TRUE((*ring)->append(record));
  const Outcome shown = run("events --state-dir " + folder.file(""));
  ASSERT_EQ(lines(shown.out), 1u);
  std::string rest = shown.out;
  for (std::size_t at = 0; (at = rest.find("\u2026")) != std::string::npos;) rest.erase(at, 3);
  for (const char c : rest) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << shown.out;
}

}  // namespace
}  // namespace wafd::forward
