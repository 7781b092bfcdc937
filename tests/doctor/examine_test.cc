// Facts about a node, each changed alone, and the findings that come of them.
#include "doctor/examine.h"

#include <functional>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wafd::doctor {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kNow = 1'800'000'000'000;  // 2027-01-15
constexpr std::int64_t kDayS = 86'400;

Facts well() {
  Facts facts;
  facts.now_ms = kNow;
  facts.state_dir = "/state";
  facts.state_owner = "wafd";
  facts.files = {{"/state/credentials.json", true, "wafd", 0600}, {"/state/ring", false, "wafd", 0644}};
  facts.disk.free_bytes = 20ull << 30;
  facts.disk.needed_bytes = 1ull << 30;
  facts.disk.inodes = facts.disk.free_inodes = 1'000'000;
  facts.clock_synchronised = true;
  facts.names = {{"target siem", "siem.example", ""}};
  facts.certificates = {{"console", "/a.pem", "", kNow / 1000 + 90 * kDayS, false}};
  facts.limits = {65536, 100, 4096};
  facts.running = Running::kYes;
  facts.status = boost::json::parse(R"({"ready":true,"version":"1","notes":[],
    "targets":[{"name":"siem","state":"up","lost":0,"rejected":0,"unacknowledged_ms":0},{"name":"old","state":"disabled"}],
    "listeners":[{"name":"http","address":"127.0.0.1:8740","last_request_ms":1799999999000}]})")
                     .as_object();
  return facts;
}

std::string dump(const std::vector<Finding>& findings, Level from) {
  std::string out;
  for (const Finding& one : findings)
    if (one.level >= from)
      out += std::string(to_string(one.level)) + " " + one.check + ": " + one.text + "\n";
  return out;
}

TEST(Doctor, FindsNothingWhereAllIsWell) {
  const auto findings = examine(well());
  EXPECT_EQ(dump(findings, Level::kWarning), "");
  EXPECT_EQ(exit_status(worst(findings)), 0);
  for (const char* check : {"configuration", "files", "disk", "clock", "names", "certificates", "limits",
                            "daemon", "targets", "gateways"})
    EXPECT_THAT(dump(findings, Level::kOk), HasSubstr(std::string("ok ") + check + ": "));
}

TEST(Doctor, SaysWhatIsWrongAndWhatToDo) {
  const auto set = [](Facts& f, const char* pointer, boost::json::value value) {
    boost::json::value status = f.status;
    boost::system::error_code error;
    status.find_pointer(pointer, error)->operator=(std::move(value));
    f.status = status.as_object();
  };
  struct Row {
    std::function<void(Facts&)> change;
    const char* finds;
  };
  const Row rows[] = {
      {[](Facts& f) { f.configuration_error = "console.listen: in use"; },
       "error configuration: console.listen: in use\n"},
      {[](Facts& f) { f.state_error = "/state: Permission denied"; },
       "error files: /state: Permission denied\n"},
      {[](Facts& f) { f.files[0].mode = 0644; },
       "error files: /state/credentials.json holds secrets, and others may read it (mode 0644).\n"},
      {[](Facts& f) { f.files[1].owner = "root"; },
       "error files: /state/ring belongs to root, its folder to wafd.\n"},
      {[](Facts& f) { f.disk.free_bytes = 512u << 20; },
       "error disk: 512 MiB are free where /state is; the ring needs 1024 more.\n"},
      {[](Facts& f) { f.disk.free_bytes = 1100u << 20; },
       "warning disk: 1100 MiB are free where /state is.\n"},
      {[](Facts& f) { f.disk.free_inodes = 3; }, "warning disk: Only 3 more files can be made there.\n"},
      {[](Facts& f) { f.disk.inodes = f.disk.free_inodes = 0; }, ""},
      {[](Facts& f) { f.clock_synchronised = false; },
       "warning clock: Nothing keeps the clock: the kernel calls it not synchronised.\n"},
      {[](Facts& f) { f.clock_synchronised.reset(); }, ""},
      {[](Facts& f) { f.names[0].error = "Name or service not known"; },
       "error names: target siem: siem.example: Name or service not known.\n"},
      {[](Facts& f) { f.certificates[0].not_after_s = kNow / 1000 + 10 * kDayS; },
       "warning certificates: console: /a.pem ends on 2027-01-25.\n"},
      {[](Facts& f) {
         f.certificates[0].not_after_s = kNow / 1000 + 10 * kDayS;
         f.certificates[0].renewed = true;
       },
       ""},
      {[](Facts& f) { f.certificates[0].not_after_s = kNow / 1000; },
       "error certificates: console: /a.pem has ended on 2027-01-15.\n"},
      {[](Facts& f) { f.certificates[0].error = "it cannot be read"; },
       "error certificates: console: /a.pem: it cannot be read.\n"},
      {[](Facts& f) { f.limits.files = 64; }, "error limits: A process may open 64 files, wafd needs 100.\n"},
      {[](Facts& f) { f.limits.listen_backlog = 128; },
       "warning limits: net.core.somaxconn is 128: connections of gateways are refused in bursts.\n"},
      {[](Facts& f) { f.limits = {}; }, ""},
      {[](Facts& f) { f.running = Running::kNo; }, "warning daemon: No wafd runs with /state.\n"},
      {[](Facts& f) {
         f.running = Running::kMute;
         f.running_error = "connect: Permission denied";
       },
       "error daemon: wafd runs and does not answer: connect: Permission denied.\n"},
      {[&](Facts& f) { set(f, "/ready", false); }, "error daemon: wafd runs and is not ready yet.\n"},
      {[&](Facts& f) { set(f, "/notes", boost::json::array{"3 events could not be stored"}); },
       "warning daemon: 3 events could not be stored\n"},
      {[&](Facts& f) {
         set(f, "/targets/0",
             boost::json::parse(
                 R"({"name":"siem","state":"waiting","lag_events":7,"last_error":"refused"})"));
       },
       "error targets: siem is waiting, 7 events wait: refused.\n"},
      {[&](Facts& f) { set(f, "/targets/0/unacknowledged_ms", 40'000); },
       "error targets: siem is connected and acknowledges nothing: 0 messages wait.\n"},
      {[&](Facts& f) { set(f, "/targets/0/lost", 9); },
       "warning targets: siem lost 9 events that the ring overtook.\n"},
      {[&](Facts& f) { set(f, "/targets/0/rejected", 2); },
       "warning targets: siem refused 2 messages for good.\n"},
      {[&](Facts& f) { set(f, "/listeners/0/last_request_ms", nullptr); },
       "warning gateways: No request came to listener http (127.0.0.1:8740) since the start.\n"},
      {[&](Facts& f) { set(f, "/listeners/0/last_request_ms", kNow - 11 * 60'000); },
       "warning gateways: The last request came to listener http (127.0.0.1:8740) 11 minutes ago.\n"},
      {[](Facts& f) { f.status = {}; }, "error daemon: wafd runs and is not ready yet.\n"},
  };
  for (const Row& row : rows) {
    Facts facts = well();
    row.change(facts);
    const auto findings = examine(facts);
    EXPECT_EQ(dump(findings, Level::kWarning), row.finds);
    for (const Finding& one : findings) EXPECT_EQ(one.remedy.empty(), one.level == Level::kOk) << one.text;
  }
}

TEST(Doctor, HealthIsOfTheDaemonAlone) {
  Facts facts = well();
  facts.configuration_error = "wrong";
  EXPECT_EQ(unready(facts), "");
  facts.status["ready"] = false;
  EXPECT_EQ(unready(facts), "wafd is not ready yet");
  facts.running = Running::kMute;
  facts.running_error = "closed";
  EXPECT_EQ(unready(facts), "wafd does not answer: closed");
  facts.running = Running::kNo;
  EXPECT_EQ(unready(facts), "no wafd runs with /state");
}

TEST(Doctor, IsPrintedWithoutWhatTerminalsActOn) {
  const Finding findings[] = {{Level::kOk, "clock", "It is well.", ""},
                              {Level::kError, "names", "a\x1b[2Jb\nc", "Mend it."}};
  EXPECT_EQ(to_text(findings),
            "ok       clock         It is well.\n"
            "error    names         a [2Jb c\n"
            "                       -> Mend it.\n"
            "2 looked at: 1 errors, 0 warnings\n");
  EXPECT_EQ(to_json(findings).at("worst"), "error");
  EXPECT_EQ(to_json(findings).at("findings").at(1).at("remedy"), "Mend it.");
  EXPECT_EQ(exit_status(worst(findings)), 2);
}

}  // namespace
}  // namespace wafd::doctor
