#include "forward/io/producers/kafka_conf.h"

#include <string>

#include <fmt/format.h>

#include "files/given_text.h"

namespace wafd::forward {
namespace {

std::string text(const boost::json::object& object, std::string_view name) {
  const auto* v = object.if_contains(name);
  return v && v->is_string() ? std::string(v->as_string()) : "";
}

// Properties one after the other; the first error stays.
class Setter {
 public:
  explicit Setter(rd_kafka_conf_t* conf) : conf_(conf) {}
  void operator()(const char* name, const std::string& value) {
    char why[256] = {};
    if (error_.empty() && rd_kafka_conf_set(conf_, name, value.c_str(), why, sizeof why) != RD_KAFKA_CONF_OK)
      error_ = fmt::format("kafka: {}", why);
  }
  void pem(const char* name, std::string_view member, const std::string& given) {
    if (!given.empty()) set(name, read_pem(member, given));
  }
  void password(const char* name, std::string_view member, const std::string& given) {
    set(name, read_secret(member, given));
  }
  const std::string& error() const noexcept { return error_; }

 private:
  void set(const char* name, const Result<std::string>& read) {
    if (!error_.empty()) return;
    if (!read)
      error_ = read.error().what;
    else
      (*this)(name, *read);
  }

  rd_kafka_conf_t* conf_;
  std::string error_;
};

std::string brokers(const TargetSettings& t) {
  const auto one = [](const HostPort& at) {
    return fmt::format(fmt::runtime(at.host.find(':') == std::string::npos ? "{}:{}" : "[{}]:{}"), at.host,
                       at.port);
  };
  std::string out = one({t.host, t.port});
  for (const HostPort& backup : t.backups) out += "," + one(backup);
  return out;
}

}  // namespace

std::string kafka_topic(const TargetSettings& target) { return text(target.kafka, "topic"); }

Result<KafkaConf> kafka_conf(const TargetSettings& target, std::int64_t give_up_ms, bool one_by_one) {
  KafkaConf conf(rd_kafka_conf_new());
  Setter set(conf.get());
  set("client.id", "wafd");
  set("bootstrap.servers", brokers(target));
  set("acks", "all");
  set("enable.idempotence", "true");
  set("compression.type", text(target.kafka, "compression"));
  set("queue.buffering.max.kbytes", std::to_string(kKafkaQueueKib));
  set("queue.buffering.max.messages", "10000");
  set("message.max.bytes", "1040000");  // below what brokers take by default (1048588)
  set("message.timeout.ms", std::to_string(give_up_ms));
  set("linger.ms", "5");
  if (one_by_one) set("batch.num.messages", "1");
  set("receive.message.max.bytes", std::to_string(4 << 20));
  set("socket.keepalive.enable", "true");
  set("socket.nagle.disable", "true");
  set("reconnect.backoff.ms", "200");
  set("reconnect.backoff.max.ms", "30000");
  set("statistics.interval.ms", "500");

  const auto* sasl = target.kafka.if_contains("sasl");
  const bool login = sasl && sasl->is_object();
  const bool encrypted = uses_tls(target);
  set("security.protocol",
      encrypted ? (login ? "sasl_ssl" : "ssl") : (login ? "sasl_plaintext" : "plaintext"));
  if (login) {
    set("sasl.mechanism", text(sasl->as_object(), "mechanism"));
    set("sasl.username", text(sasl->as_object(), "username"));
    set.password("sasl.password", "kafka.sasl.password", text(sasl->as_object(), "password"));
  }
  if (encrypted) {
    const TlsSettings& tls = target.tls;
    // A fingerprint is compared by a callback that only comes where certificates are verified.
    set("enable.ssl.certificate.verification",
        tls.verify || !tls.fingerprint_sha256.empty() ? "true" : "false");
    set("ssl.endpoint.identification.algorithm", tls.verify ? "https" : "none");
    set.pem("ssl.ca.pem", "tls.ca", tls.ca);
    set.pem("ssl.certificate.pem", "tls.certificate", tls.certificate);
    set.pem("ssl.key.pem", "tls.key", tls.key);
  }
  if (!set.error().empty()) return fail(ErrorCode::kInvalid, set.error());
  return conf;
}

}  // namespace wafd::forward
