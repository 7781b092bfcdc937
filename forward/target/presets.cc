#include "forward/target/presets.h"

#include <algorithm>
#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace wafd::forward {
namespace {

namespace json = boost::json;

// Transport, port, header, content, framing, size, time precision, BOM and sequenceId stand in every one,
// also where they are the default: choosing another preset must leave nothing of the one before.
constexpr Preset kPresets[] = {
    {"elastic_agent", "Elastic Agent",
     "Integration Custom TCP Logs on port 9514, its default framing (a line each), with the ingest pipeline "
     "of "
     "the snippet.",
     "elastic-agent.yml elastic-ingest-pipeline.json",
     R"({"transport":"tcp","port":9514,"header":"rfc5424","content":"ecs","framing":"lf","max_message_bytes":65536,
         "time_precision":3,"bom":false,"sequence_id":false})"},
    {"graylog", "Graylog",
     "Input Syslog TCP on port 5140 with the JSON extractor of the snippet. Its CEF inputs know no byte "
     "counting, so lines are used throughout.",
     "graylog-extractors.json graylog.md",
     R"({"transport":"tcp","port":5140,"header":"rfc5424","content":"json","framing":"lf","max_message_bytes":65536,
         "time_precision":3,"bom":false,"sequence_id":false})"},
    {"qradar", "IBM QRadar",
     "LEEF 2.0, lines over TCP. QRadar cuts what is longer than its TCP payload length, 4096 bytes unless "
     "it was "
     "raised there: then raise the maximum here too.",
     "qradar.md qradar-event-map.csv",
     R"({"transport":"tcp","port":514,"header":"rfc5424","content":"leef","framing":"lf","max_message_bytes":4096,
         "time_precision":3,"bom":false,"sequence_id":false})"},
    {"sentinel", "Microsoft Sentinel",
     "CEF to the rsyslog of the machine that runs the Azure Monitor Agent; its default maximum is 8 KiB.",
     "sentinel.md sentinel-parser.kql",
     R"({"transport":"tcp","port":514,"header":"rfc3164","content":"cef","framing":"octet_counting",
         "max_message_bytes":8192,"time_precision":3,"bom":false,"sequence_id":false})"},
    {"rsyslog", "rsyslog",
     "JSON over TCP, for rsyslog as in the snippet. With Debian's package rsyslog-relp installed choose the "
     "transport RELP (port "
     "2514): rsyslog then acknowledges every message.",
     "rsyslog.conf rsyslog-tls.conf",
     R"({"transport":"tcp","port":601,"header":"rfc5424","content":"json","framing":"octet_counting",
         "max_message_bytes":65536,"time_precision":6,"bom":false,"sequence_id":false})"},
    {"splunk_sc4s", "Splunk Connect for Syslog",
     "SC4S takes byte-counted RFC 5424 on TCP port 601. The snippet gives its parser and the props and "
     "transforms for the search head.",
     "splunk-sc4s.conf splunk-props.conf splunk-transforms.conf splunk-eventtypes.conf splunk-tags.conf "
     "splunk-attack-types.csv",
     R"({"transport":"tcp","port":601,"header":"rfc5424","content":"json","framing":"octet_counting",
         "max_message_bytes":65536,"time_precision":6,"bom":false,"sequence_id":false})"},
    {"syslog_ng", "syslog-ng", "JSON over TCP, for syslog-ng as in the snippet.",
     "syslog-ng.conf syslog-ng-tls.conf",
     R"({"transport":"tcp","port":601,"header":"rfc5424","content":"json","framing":"octet_counting",
         "max_message_bytes":65536,"time_precision":6,"bom":false,"sequence_id":false})"},
    {"wazuh", "Wazuh",
     "Wazuh reads lines of RFC 3164 over TCP, knows no TLS and drops byte-counted messages. Events are at "
     "most "
     "64 KiB there.",
     "wazuh.md wazuh-decoder.xml wazuh-rules.xml",
     R"({"transport":"tcp","port":514,"header":"rfc3164","content":"json","framing":"lf","max_message_bytes":60000,
         "time_precision":3,"bom":false,"sequence_id":false})"},
};

json::object settings_of(const Preset& preset) {
  return json::parse({preset.settings.data(), preset.settings.size()}).as_object();
}

}  // namespace

std::span<const Preset> presets() noexcept { return kPresets; }

Result<json::object> with_preset(std::string_view id, const json::object& target) {
  std::string known;
  for (const Preset& preset : kPresets) {
    if (preset.id == id) {
      json::object merged = settings_of(preset);
      // Settings that depend on the transport change with it: the default port of another one, one message a
      // datagram.
      const json::value* transport = target.if_contains("transport");
      if (transport && *transport != merged["transport"]) {
        merged.erase("port");
        if (*transport == "udp" || *transport == "tls") merged.erase("framing");
      }
      for (const auto& member : target) merged[member.key()] = member.value();
      return merged;
    }
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", preset.id);
  }
  return fail(ErrorCode::kUnknown, fmt::format("preset: expected one of {}, got \"{}\"", known, id));
}

json::array presets_json() {
  json::array all;
  for (const Preset& preset : kPresets) {
    json::array files;
    for (std::string_view rest = preset.files; !rest.empty();) {
      const std::size_t space = std::min(rest.find(' '), rest.size());
      files.push_back(json::value(rest.substr(0, space)));
      rest.remove_prefix(std::min(space + 1, rest.size()));
    }
    all.push_back(json::object{{"id", preset.id},
                               {"name", preset.name},
                               {"about", preset.about},
                               {"files", std::move(files)},
                               {"settings", settings_of(preset)}});
  }
  return all;
}

}  // namespace wafd::forward
