// Lists of addresses as text: what is read of lines and of CSV, what is refused, what an import changes.
#include "console/settings/list_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "console/settings/policy_json.h"

namespace wafd::console {
namespace {

std::string told(const Result<std::vector<detect::ListEntry>>& entries) {
  if (!entries) return entries.error().what;
  std::string out;
  for (const detect::ListEntry& entry : *entries)
    out += fmt::format("{} {} {} {};", to_string(entry.kind), entry.cidr, entry.expires_s, entry.comment);
  return out;
}

TEST(ListText, Table) {
  struct Row {
    const char* text;
    const char* told;
  };
  constexpr Row kRows[] = {
      {"", ""},
      {"\n# a list\r\n; of theirs\n  \n", ""},
      {"192.0.2.1\n2001:db8::/32\r\n", "deny 192.0.2.1/32 0 ;deny 2001:db8::/32 0 ;"},
      {"192.0.2.0/24 ; SBL1\n192.0.2.1 # scans, twice\n198.51.100.1\tfrom the log",
       "deny 192.0.2.0/24 0 SBL1;deny 192.0.2.1/32 0 scans, twice;deny 198.51.100.1/32 0 from the log;"},
      {"\xef\xbb\xbfkind,cidr,expires_s,comment\r\nallow,192.0.2.1,0,\"a, "
       "\"\"b\"\"\"\r\ndeny,192.0.2.2,17,'=1+1\r\n",
       "allow 192.0.2.1/32 0 a, \"b\";deny 192.0.2.2/32 17 =1+1;"},
      {"# theirs\ncomment,cidr\nx,192.0.2.1\n\n# y\n,192.0.2.2\n",
       "deny 192.0.2.1/32 0 x;deny 192.0.2.2/32 0 ;"},
  };
  for (const Row& row : kRows) EXPECT_EQ(told(parse_list_text(row.text, {})), row.told) << row.text;
  EXPECT_EQ(told(parse_list_text("192.0.2.1\n192.0.2.2 own", {detect::ListKind::kAllow, "ours", 40})),
            "allow 192.0.2.1/32 40 ours;allow 192.0.2.2/32 40 own;");
}

TEST(ListText, WrongLinesAreNamed) {
  struct Row {
    const char* text;
    const char* what;
  };
  constexpr Row kRows[] = {
      {"192.0.2.1\n\nexample.com\n", "text: line 3: cidr: expected "},
      {"cidr,colour\n192.0.2.1,red\n",
       "text: line 1: expected columns of kind, cidr, expires_s, comment, got \"colour\""},
      {"kind,cidr\ndeny,192.0.2.1\nmaybe,192.0.2.2\ndeny\n", "text: line 3: kind: expected allow or deny"},
      {"kind,cidr\ndeny\n", "text: line 2: expected 2 cells, got 1"},
      {"cidr,comment\n192.0.2.1,\"two\nlines\"\nx,y\n", "text: line 4: cidr: expected "},
      {"cidr,expires_s\n192.0.2.1,soon\n", "text: line 2: expires_s: expected "},
  };
  for (const Row& row : kRows) {
    const std::string what = told(parse_list_text(row.text, {}));
    EXPECT_TRUE(what.starts_with(row.what)) << row.text << "\n" << what;
  }
  std::string many;
  for (int i = 0; i < 9; ++i) many += "x\n";
  EXPECT_TRUE(told(parse_list_text(many, {})).ends_with("; and 4 more lines"));
}

TEST(ListText, WhatIsExportedIsReadBack) {
  std::vector<detect::ListEntry> entries = {
      {"a", detect::ListKind::kAllow, "192.0.2.0/24", "ours, \"really\"", 0},
      {"b", detect::ListKind::kDeny, "2001:db8::/32", "-1 day", 4'000'000'000},
      {"c", detect::ListKind::kDeny, "0.0.0.0/8", "", 0},
  };
  const std::string csv = list_csv(entries);
  EXPECT_NE(csv.find(",'-1 day\r\n"), std::string::npos) << "no formula for a spreadsheet";
  const auto back = parse_list_text(csv, {});
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(told(back), told(entries));
}

TEST(ListText, AnImportAddsAndKeepsWhatItDoesNotSay) {
  std::vector<detect::ListEntry> lists = {{"a", detect::ListKind::kDeny, "192.0.2.1/32", "why", 50}};
  int ids = 0;
  const auto import = [&](std::string_view text) {
    const ListImport done = merge_lists(lists, parse_list_text(text, {}).value(), 20'000,
                                        [&] { return fmt::format("new{}", ++ids); });
    return fmt::format("{} {} {} {}", done.added, done.changed, done.present, done.ended);
  };
  EXPECT_EQ(import("192.0.2.1\n192.0.2.2\n192.0.2.2\n"), "1 0 2 0");
  EXPECT_EQ(lists[0].comment, "why");
  EXPECT_EQ(lists[1].id, "new1");
  EXPECT_EQ(import("192.0.2.1 because"), "0 1 0 0");
  EXPECT_EQ(lists[0].comment, "because");
  EXPECT_EQ(lists[0].expires_s, 50);
  EXPECT_EQ(import("cidr,expires_s\n192.0.2.3,20\n192.0.2.2,21\n"), "0 1 0 1");
  EXPECT_EQ(import("cidr,kind\n192.0.2.2,allow\n"), "1 0 0 0") << "the other list";
}

}  // namespace
}  // namespace wafd::console
