#include "doctor_command.h"

#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/api/admin_status.h"
#include "console/io/admin_client.h"
#include "console/settings/store.h"
#include "detect/core/ip_address.h"
#include "doctor/examine.h"
#include "doctor/io/look.h"
#include "files/given_text.h"
#include "files/small_file.h"
#include "forward/notify/web_address.h"
#include "run_check.h"

namespace wafd {
namespace {

void ask(const std::string& state_dir, doctor::Facts& facts) {
  const auto answer = console::ask_daemon(state_dir, console::kAskForStatus);
  if (!answer) {
    facts.running =
        answer.error().code == ErrorCode::kMissing ? doctor::Running::kNo : doctor::Running::kMute;
    facts.running_error = answer.error().what;
    return;
  }
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(*answer, error);
  const boost::json::object* object = error ? nullptr : value.if_object();
  const boost::json::value* status = object == nullptr ? nullptr : object->if_contains("status");
  if (status == nullptr || !status->is_object()) {
    facts.running = doctor::Running::kMute;
    facts.running_error = "its answer is not a status; perhaps it is of another version";
    return;
  }
  facts.running = doctor::Running::kYes;
  facts.status = status->get_object();
}

void add_name(doctor::Facts& facts, const std::string& what, const std::string& host) {
  if (!host.empty() && !IpAddress::parse(host)) facts.names.push_back({what, host, ""});
}

// PEM text or file:/PATH.
void add_certificate(doctor::Facts& facts, const std::string& what, const std::string& pem,
                     doctor::Certificates of = doctor::Certificates::kChain, bool renewed = false) {
  if (pem.empty()) return;
  const bool text = pem.starts_with("-----BEGIN ");
  const std::string file = names_file(pem) ? file_named_by(pem) : pem;
  doctor::CertificateFacts facts_of;
  facts_of.what = what;
  facts_of.file = text ? "the certificate" : file;
  facts_of.renewed = renewed;
  const auto end = doctor::certificate_end_s(file, of);
  if (end)
    facts_of.not_after_s = *end;
  else
    facts_of.error = end.error().what;
  facts.certificates.push_back(std::move(facts_of));
}

void look_at_settings(const Config& config, doctor::Facts& facts) {
  const std::string file = config.settings_source == "file"    ? config.settings_file
                           : config.settings_source == "fleet" ? config.state_dir + console::kFleetCopyFile
                                                               : config.state_dir + "/settings.json";
  const auto text = read_file(file, console::kMaxSettingsBytes);
  if (!text) return;  // none yet, or `files` says who may read them
  std::vector<std::string> notes;
  const auto settings = console::parse_stored_settings(*text, notes);
  if (!settings) {
    if (facts.configuration_error.empty()) facts.configuration_error = file + ": " + settings.error().what;
    return;
  }
  for (const forward::TargetSettings& target : settings->targets) {
    if (!target.enabled) continue;
    const std::string what = "target " + target.name;
    add_name(facts, what, target.host);
    for (const forward::HostPort& backup : target.backups) add_name(facts, what, backup.host);
    add_certificate(facts, what + ", ca", target.tls.ca, doctor::Certificates::kAuthorities);
    add_certificate(facts, what + ", client certificate", target.tls.certificate);
  }
  for (const forward::ChannelSettings& channel : settings->channels) {
    if (!channel.enabled) continue;
    const std::string what = "channel " + channel.name;
    const auto web = forward::parse_web_address(channel.url);
    add_name(facts, what, channel.kind == forward::ChannelKind::kMail ? channel.host : web ? web->host : "");
    add_certificate(facts, what + ", ca", channel.ca, doctor::Certificates::kAuthorities);
  }
  if (settings->oidc.enabled)
    if (const auto web = forward::parse_web_address(settings->oidc.issuer)) {
      add_name(facts, "sign-in provider", web->host);
      add_certificate(facts, "sign-in provider, ca", settings->oidc.ca, doctor::Certificates::kAuthorities);
    }
}

void look_at_certificates(const Config& config, doctor::Facts& facts) {
  const std::string own = config.state_dir + "/console.crt",
                    uploaded = config.state_dir + "/console-uploaded.pem";
  if (!config.console_certificate.empty())
    add_certificate(facts, "console", config.console_certificate);
  else if (read_file(uploaded, console::kMaxSettingsBytes))
    add_certificate(facts, "console", uploaded);
  else if (read_file(own, console::kMaxSettingsBytes))
    add_certificate(facts, "console", own, doctor::Certificates::kChain, true);
  add_certificate(facts, "listener t1k", config.t1k_certificate);
  add_certificate(facts, "listener t1k, clients", config.t1k_client_ca, doctor::Certificates::kAuthorities);
  add_certificate(facts, "listener envoy", config.envoy_certificate);
  add_certificate(facts, "listener envoy, clients", config.envoy_client_ca,
                  doctor::Certificates::kAuthorities);
}

doctor::Facts gather(const Result<Config>& loaded, const std::string& state_dir) {
  Config config = loaded ? *loaded : default_config();
  if (!state_dir.empty()) config.state_dir = state_dir;
  doctor::Facts facts;
  facts.now_ms = static_cast<std::int64_t>(std::time(nullptr)) * 1000;
  const auto sound = loaded ? check_all(config) : Result<void>(tl::unexpected<Error>(loaded.error()));
  if (!sound) facts.configuration_error = sound.error().what;
  facts.state_dir = config.state_dir;
  doctor::look_at_files(facts);
  facts.disk = doctor::look_at_disk(config.state_dir, config.state_dir + "/ring",
                                    static_cast<std::uint64_t>(config.ring_size_mib) << 20);
  facts.clock_synchronised = doctor::clock_synchronised();
  look_at_settings(config, facts);
  look_at_certificates(config, facts);
  doctor::look_at_names(facts.names);
  facts.limits = doctor::look_at_limits(descriptors_needed(config));
  ask(config.state_dir, facts);
  return facts;
}

}  // namespace

int run_doctor(const Result<Config>& config, const std::string& state_dir, bool as_json) {
  const auto findings = doctor::examine(gather(config, state_dir));
  if (as_json)
    fmt::print("{}\n", boost::json::serialize(doctor::to_json(findings)));
  else
    fmt::print("{}", doctor::to_text(findings));
  return doctor::exit_status(doctor::worst(findings));
}

int run_health(const Config& config) {
  doctor::Facts facts;
  facts.state_dir = config.state_dir;
  ask(config.state_dir, facts);
  const std::string why = doctor::unready(facts);
  if (!why.empty()) fmt::print(stderr, "wafd: {}\n", why);
  return why.empty() ? 0 : 1;
}

}  // namespace wafd
