// packaging/receivers and forward/format/FORMATS.md name keys and members: each must be one that is sent.
// Here without the receivers; rsyslog and syslog-ng are started in
// io/receiver_snippets_test.
#include <cctype>
#include <fstream>
#include <set>
#include <sstream>

#include <boost/json.hpp>
#include <expat.h>
#include <gtest/gtest.h>

#include "detect/core/verdict.h"
#include "forward/format/cef.h"
#include "forward/format/ecs.h"
#include "forward/format/leef.h"

namespace wafd::forward {
namespace {

namespace json = boost::json;

std::string read(const std::string& path) {
  std::ifstream file(std::string(WAFD_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> keys_of(std::span<const KeyRow> rows) {
  std::set<std::string> keys;
  for (const KeyRow& row : rows) keys.insert(std::string(row.key));
  return keys;
}

// Every word of `text` that begins with `prefix`.
std::set<std::string> words(const std::string& text, const std::string& prefix, const std::string& more) {
  std::set<std::string> found;
  const auto part = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || more.find(c) != std::string::npos;
  };
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) {
    std::size_t end = at + prefix.size();
    while (end < text.size() && part(text[end])) ++end;
    if (at == 0 || !part(text[at - 1])) found.insert(text.substr(at, end - at));
    at = end;
  }
  return found;
}

TEST(Formats, TheDocumentHasARowForEveryMemberAndNamesEveryKey) {
  const std::string doc = read("forward/format/FORMATS.md");
  for (std::size_t i = 0; i < kRecordMembers; ++i)
    EXPECT_NE(doc.find("\n| " + std::to_string(i + 1) + " | `" + std::string(kMembers[i].name) + "` | "),
              std::string::npos)
        << kMembers[i].name;
  for (const auto& rows : {cef_rows(), leef_rows(), ecs_rows()})
    for (const KeyRow& row : rows)
      EXPECT_NE(doc.find("`" + std::string(row.key) + "`"), std::string::npos) << row.key;
}

TEST(Formats, NoMemberIsLeftBehind) {
  std::set<std::string_view> urls = {"scheme", "host", "urlpath", "query_string"},
                             headers = {"rule_id", "attack_type"};
  const std::set<std::string_view> repeated = {"req_payload",     "req_location",      "req_rule_id",
                                               "req_decode_path", "req_rule_module",   "req_proxy_name",
                                               "protocol",        "timestamp",         "req_attack_type",
                                               "req_risk_level",  "req_detector_name", "req_action"};
  for (const auto& rows : {cef_rows(), leef_rows(), ecs_rows()}) {
    std::set<std::string_view> sent = repeated;
    for (const KeyRow& row : rows) {
      if (row.member != 0) sent.insert(kMembers[row.member - 1].name);
      if (row.source == KeySource::kUrl) sent.insert(urls.begin(), urls.end());
    }
    if (rows.data() != ecs_rows().data()) sent.insert(headers.begin(), headers.end());
    for (const RecordMember& member : kMembers) EXPECT_TRUE(sent.contains(member.name)) << member.name;
  }
}

TEST(Receivers, SentinelReadsKeysThatAreSent) {
  const auto keys = keys_of(cef_rows());
  const auto used = words(read("packaging/receivers/sentinel-parser.kql"), ";wafd", "");
  EXPECT_GE(used.size(), 8u);
  for (const std::string& word : used) EXPECT_TRUE(keys.contains(word.substr(1))) << word;
}

TEST(Receivers, SplunkReadsMembersThatAreSent) {
  const std::string props = read("packaging/receivers/splunk-props.conf");
  std::istringstream lines(props);
  std::size_t aliases = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("FIELDALIAS-")) continue;
    ++aliases;
    std::istringstream parts(line.substr(line.find('=') + 1));
    std::string member;
    parts >> member;
    EXPECT_NE(member_number(member), 0u) << line;
  }
  EXPECT_GE(aliases, 10u);
}

TEST(Receivers, ElasticPipelineReadsFieldsThatAreSentOrMade) {
  const json::value pipeline = json::parse(read("packaging/receivers/elastic-ingest-pipeline.json"));
  EXPECT_GE(pipeline.at("processors").as_array().size(), 10u);
  const auto keys = keys_of(ecs_rows());
  const std::string text = json::serialize(pipeline);
  for (const char* prefix : {"{{{url.", "{{{source.", "{{{destination."})
    for (const std::string& word : words(text, prefix, "._"))
      EXPECT_TRUE(keys.contains(word.substr(3))) << word;
}

TEST(Receivers, GraylogExtractorsAreJson) {
  const json::value list = json::parse(read("packaging/receivers/graylog-extractors.json"));
  EXPECT_EQ(list.at("extractors").at(0).at("extractor_type"), "json");
}

TEST(Receivers, WazuhFilesAreXmlAndNameMembersThatAreSent) {
  for (const char* name : {"wazuh-decoder.xml", "wazuh-rules.xml"}) {
    const std::string text = read(std::string("packaging/receivers/") + name);
    XML_Parser parser = XML_ParserCreate(nullptr);
    EXPECT_EQ(XML_Parse(parser, text.data(), static_cast<int>(text.size()), 1), XML_STATUS_OK)
        << name << ": " << XML_ErrorString(XML_GetErrorCode(parser)) << " line "
        << XML_GetCurrentLineNumber(parser);
    XML_ParserFree(parser);
    for (const std::string& word : words(text, "$(", "_")) {
      const std::string member = word.substr(2);
      EXPECT_TRUE(member_number(member) != 0 || member == "count") << name << ": " << member;
    }
  }
}

TEST(Receivers, EveryAttackTypeAndActionIsInTheMaps) {
  const std::string map = read("packaging/receivers/qradar-event-map.csv");
  const std::string splunk = read("packaging/receivers/splunk-attack-types.csv");
  for (std::size_t i = 0; i < kAttackTypes; ++i) {
    const auto type = static_cast<AttackType>(i);
    for (const Action action : {Action::kDeny, Action::kMonitor, Action::kAllow})
      EXPECT_NE(map.find(std::string("\n") + to_string(type) + "," + to_string(action) + "," +
                         to_words(type) + ","),
                std::string::npos)
          << to_string(type);
    EXPECT_NE(splunk.find(std::string("\n") + to_string(type) + "," + to_words(type) + "\n"),
              std::string::npos)
        << to_string(type);
  }
}

}  // namespace
}  // namespace wafd::forward
