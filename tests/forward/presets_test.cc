#include "forward/target/presets.h"

#include <filesystem>
#include <set>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "forward/target/target_settings.h"

namespace wafd::forward {
namespace {

namespace json = boost::json;

TEST(Presets, EachIsATargetOfItsOwnWithHostAndNameAlone) {
  std::set<std::string_view> ids;
  for (const Preset& preset : presets()) {
    ids.insert(preset.id);
    auto object = with_preset(preset.id, {{"name", "siem"}, {"host", "192.0.2.1"}});
    ASSERT_TRUE(object) << object.error().what;
    const auto target = parse_target(*object);
    ASSERT_TRUE(target) << preset.id << ": " << target.error().what;
    // Everything a receiver depends on is said, so that nothing of another preset stays.
    for (const char* member : {"transport", "port", "header", "content", "framing", "max_message_bytes",
                               "time_precision", "bom", "sequence_id"})
      EXPECT_TRUE(object->contains(member)) << preset.id << ": " << member;
    EXPECT_FALSE(target->bom) << preset.id;
  }
  EXPECT_EQ(ids, (std::set<std::string_view>{"elastic_agent", "graylog", "qradar", "rsyslog", "sentinel",
                                             "splunk_sc4s", "syslog_ng", "wazuh"}));
}

// The known needs of the receivers.
TEST(Presets, FitTheirReceivers) {
  const auto of = [](std::string_view id) {
    return *parse_target(*with_preset(id, {{"name", "n"}, {"host", "h.example"}}));
  };
  EXPECT_EQ(of("qradar").content, Content::kLeef);
  EXPECT_EQ(of("qradar").max_message_bytes, 4096u);
  EXPECT_EQ(of("qradar").framing, Framing::kLf);
  EXPECT_EQ(of("qradar").time_precision, 3);
  EXPECT_EQ(of("sentinel").content, Content::kCef);
  EXPECT_EQ(of("sentinel").header, HeaderFormat::kRfc3164);
  EXPECT_EQ(of("sentinel").max_message_bytes, 8192u);
  EXPECT_EQ(of("elastic_agent").content, Content::kEcs);
  EXPECT_EQ(of("wazuh").header, HeaderFormat::kRfc3164);
  EXPECT_EQ(of("wazuh").framing, Framing::kLf);
  EXPECT_LE(of("wazuh").max_message_bytes, 65535u);
  EXPECT_EQ(of("graylog").framing, Framing::kLf);
  for (const char* id : {"rsyslog", "syslog_ng", "splunk_sc4s"}) {
    EXPECT_EQ(of(id).content, Content::kJson) << id;
    EXPECT_EQ(of(id).framing, Framing::kOctetCounting) << id;
    EXPECT_EQ(of(id).port, 601) << id;
  }
}

TEST(Presets, WhatTheTargetSaysCounts) {
  const auto o = with_preset("qradar", {{"name", "n"}, {"host", "h.example"}, {"max_message_bytes", 32000}});
  EXPECT_EQ(parse_target(*o)->max_message_bytes, 32000u);
  EXPECT_EQ(parse_target(*o)->content, Content::kLeef);
  const auto tls = with_preset("qradar", {{"name", "n"}, {"host", "h.example"}, {"transport", "tls"}});
  ASSERT_TRUE(parse_target(*tls)) << parse_target(*tls).error().what;
  EXPECT_EQ(parse_target(*tls)->port, 6514);
  const auto relp = with_preset("rsyslog", {{"name", "n"}, {"host", "h.example"}, {"transport", "relp"}});
  ASSERT_TRUE(parse_target(*relp)) << parse_target(*relp).error().what;
  EXPECT_EQ(parse_target(*relp)->transport, Transport::kRelp);
  EXPECT_EQ(parse_target(*relp)->port, 2514);
  EXPECT_EQ(with_preset("qrader", {}).error().what,
            "preset: expected one of \"elastic_agent\", \"graylog\", \"qradar\", \"sentinel\", \"rsyslog\", "
            "\"splunk_sc4s\", \"syslog_ng\", \"wazuh\", got \"qrader\"");
}

TEST(Presets, TheirFilesAreThere) {
  for (const json::value& preset : presets_json())
    for (const json::value& file : preset.at("files").as_array()) {
      const std::string path =
          std::string(WAFD_SOURCE_DIR) + "/packaging/receivers/" + std::string(file.as_string());
      EXPECT_TRUE(std::filesystem::is_regular_file(path)) << path;
    }
}

}  // namespace
}  // namespace wafd::forward
