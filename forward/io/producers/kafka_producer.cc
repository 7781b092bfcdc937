#include "forward/io/producers/kafka_producer.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/socket.h>

#include "detect/core/plain_text.h"
#include "forward/io/producers/kafka_conf.h"
#include "forward/target/destination.h"
#include "ingest/io/kit/socket_stream.h"

namespace wafd::forward {
namespace {

constexpr std::int64_t kFirstAnswerMs = 10'000;
constexpr std::int64_t kRefusalWaitMs = 1000;
constexpr std::int64_t kForbiddenWaitMs = 1000;  // for another broker to answer
constexpr std::uint64_t kMaxMessages = 10'000;   // in the queue and on their way
constexpr std::int64_t kSilentMs = 5000;
constexpr int kEventsATurn = 16;
constexpr std::size_t kMaxText = 300;

std::string sha256_hex(const char* data, std::size_t size) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  std::string out;
  if (EVP_Digest(data, size, digest, &length, EVP_sha256(), nullptr) != 1) return out;
  for (unsigned i = 0; i < length; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

// A broker refused this one message for what it is.
bool is_poison(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE || error == RD_KAFKA_RESP_ERR_INVALID_RECORD ||
         error == RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE || error == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE;
}

}  // namespace

// The state that librdkafka's threads may touch; it lives until they are gone.
struct KafkaProducer::Shared : std::enable_shared_from_this<Shared> {
  Shared(kit::Loop& l, const TargetSettings& target, std::vector<Endpoint> listeners)
      : loop(&l),
        own_listeners(std::move(listeners)),
        source(IpAddress::parse(target.source_address)),
        fingerprint(target.tls.fingerprint_sha256),
        verify(target.tls.verify) {}

  kit::Loop* loop;  // under mutex; null: the producer is gone, and the loop perhaps
  const std::vector<Endpoint> own_listeners;
  const std::optional<IpAddress> source;
  const std::string fingerprint;
  const bool verify;
  std::atomic<bool> posted = false;
  KafkaProducer* owner = nullptr;  // the loop's thread alone
  std::mutex mutex;
  std::string forbidden;  // why we did not make the last connection, under mutex

  void leave() {
    const std::scoped_lock lock(mutex);
    loop = nullptr;
  }

  // librdkafka tells nobody of a connection that its application does not make.
  void forbid(std::string why) {
    {
      const std::scoped_lock lock(mutex);
      forbidden = std::move(why);
    }
    wake(nullptr, this);
  }

  // Something was put into the empty queue of events.
  static void wake(rd_kafka_t*, void* opaque) noexcept {
    auto* self = static_cast<Shared*>(opaque);
    if (self->posted.exchange(true)) return;
    const std::scoped_lock lock(self->mutex);
    if (self->loop == nullptr) return;
    self->loop->post([weak = self->weak_from_this()] {
      const auto shared = weak.lock();
      if (shared && shared->owner) shared->owner->drain();
    });
  }

  static int connect(int fd, const sockaddr* to, int size, const char*, void* opaque) noexcept {
    auto* self = static_cast<Shared*>(opaque);
    sockaddr_storage storage{};
    std::memcpy(&storage, to, std::min(static_cast<std::size_t>(size), sizeof storage));
    const auto address = kit::endpoint_of(storage);
    if (!address) return EAFNOSUPPORT;
    const auto allowed =
        check_destination(address->address, address->port, Transport::kKafka, self->own_listeners);
    if (!allowed) {
      self->forbid(allowed.error().what);
      return EACCES;
    }
    if (self->source) {
      sockaddr_storage local{};
      kit::to_sockaddr({*self->source, 0}, local);
      if (local.ss_family != to->sa_family ||
          ::bind(fd, reinterpret_cast<const sockaddr*>(&local), static_cast<socklen_t>(size)) != 0) {
        self->forbid(
            fmt::format("source_address: {} cannot reach {}", self->source->text(), address->text()));
        return EADDRNOTAVAIL;
      }
    }
    // The socket does not block: a connection that is under way is as good as one that is made.
    if (::connect(fd, to, static_cast<socklen_t>(size)) == 0 || errno == EINPROGRESS) return 0;
    return errno;
  }

  // With a fingerprint the broker's own certificate must have it, and without `verify` that is all.
  static int certificate(rd_kafka_t*, const char*, std::int32_t, int* x509_error, int depth, const char* der,
                         std::size_t size, char*, std::size_t, void* opaque) noexcept {
    auto* self = static_cast<Shared*>(opaque);
    if (!self->verify) *x509_error = 0;
    if (depth == 0 && sha256_hex(der, size) != self->fingerprint) {
      self->forbid("tls.fingerprint_sha256: the broker's certificate has another fingerprint");
      return 0;
    }
    return *x509_error == 0 ? 1 : 0;
  }
};

KafkaProducer::KafkaProducer(kit::Loop& loop, std::shared_ptr<ProducerReaper> reaper,
                             std::shared_ptr<Shared> shared, Options options, Callbacks callbacks)
    : loop_(loop),
      reaper_(std::move(reaper)),
      shared_(std::move(shared)),
      options_(options),
      callbacks_(std::move(callbacks)),
      deadline_(loop, [this] {
        if (!up_ && !forbidden_.empty()) return give_up(forbidden_);
        if (!up_)
          return give_up(fmt::format("no Kafka broker answered within {} s{}{}", kFirstAnswerMs / 1000,
                                     last_error_.empty() ? "" : ": ", last_error_));
        if (window_.waiting() == 0 && window_.held_by_refusal())
          give_up(fmt::format("the Kafka cluster refuses messages: {}", refusal_));
      }) {
  shared_->owner = this;
}

Result<std::unique_ptr<KafkaProducer>> KafkaProducer::create(kit::Loop& loop,
                                                             std::shared_ptr<ProducerReaper> reaper,
                                                             const TargetSettings& target,
                                                             std::vector<Endpoint> own_listeners,
                                                             Options options, Callbacks callbacks) {
  if (!reaper) reaper = std::make_shared<ProducerReaper>();
  auto conf = kafka_conf(target, options.give_up_ms, options.one_by_one);
  if (!conf) return tl::unexpected(conf.error());
  const auto shared = std::make_shared<Shared>(loop, target, std::move(own_listeners));
  rd_kafka_conf_set_opaque(conf->get(), shared.get());
  rd_kafka_conf_set_connect_cb(conf->get(), &Shared::connect);
  if (uses_tls(target) && !target.tls.fingerprint_sha256.empty())
    rd_kafka_conf_set_ssl_cert_verify_cb(conf->get(), &Shared::certificate);
  rd_kafka_conf_set_log_cb(conf->get(), [](const rd_kafka_t*, int, const char*, const char*) {});
  rd_kafka_conf_set_events(conf->get(), RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_STATS);

  std::unique_ptr<KafkaProducer> made(
      new KafkaProducer(loop, std::move(reaper), shared, options, std::move(callbacks)));
  char why[512] = {};
  made->handle_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf->get(), why, sizeof why);
  if (!made->handle_)
    return fail(ErrorCode::kInvalid, fmt::format("kafka: {}", printable_line(why, kMaxText)));
  (void)conf->release();  // the handle's now
  made->topic_ = rd_kafka_topic_new(made->handle_, kafka_topic(target).c_str(), nullptr);
  if (!made->topic_)
    return fail(ErrorCode::kInvalid, fmt::format("kafka.topic: {}", rd_kafka_err2str(rd_kafka_last_error())));
  made->events_ = rd_kafka_queue_get_main(made->handle_);
  rd_kafka_queue_cb_event_enable(made->events_, &Shared::wake, shared.get());
  Shared::wake(made->handle_, shared.get());  // for what came before: only an empty queue tells of the next
  made->deadline_.start(kFirstAnswerMs);
  return made;
}

KafkaProducer::~KafkaProducer() {
  shared_->owner = nullptr;
  shared_->leave();
  if (!handle_) return;
  if (events_) {
    rd_kafka_queue_cb_event_enable(events_, nullptr, nullptr);
    rd_kafka_queue_destroy(events_);
  }
  if (topic_) rd_kafka_topic_destroy(topic_);
  rd_kafka_purge(handle_, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
  reaper_->take([handle = handle_, shared = shared_] { rd_kafka_destroy(handle); });
}

std::uint64_t KafkaProducer::room() const noexcept {
  return window_.size() < kMaxMessages ? kMaxMessages - window_.size() : 0;
}

KafkaProducer::Taken KafkaProducer::produce(const Message& message) {
  const std::uint64_t id = window_.first() + window_.size();
  const auto opaque = reinterpret_cast<void*>(static_cast<std::uintptr_t>(id));
  const std::string_view key = message.record ? message.record->site_uuid : std::string_view();
  value_.assign(message.header).append(message.content);
  const rd_kafka_resp_err_t error =
      rd_kafka_producev(handle_, RD_KAFKA_V_RKT(topic_), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                        RD_KAFKA_V_KEY(key.empty() ? nullptr : key.data(), key.size()),
                        RD_KAFKA_V_VALUE(value_.data(), value_.size()), RD_KAFKA_V_TIMESTAMP(message.time_ms),
                        RD_KAFKA_V_OPAQUE(opaque), RD_KAFKA_V_END);
  if (error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) return Taken::kNever;
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return Taken::kLater;  // full, or a fatal error whose event comes
  if (window_.waiting() == 0) silent_since_ms_ = loop_.turn_start_ms();
  window_.sent(value_.size());
  return Taken::kYes;
}

void KafkaProducer::drain() {
  shared_->posted = false;  // before reading: what is put into an empty queue after this posts again
  int events = 0;
  for (; events < kEventsATurn && failure_.empty(); ++events) {
    rd_kafka_event_t* event = rd_kafka_queue_poll(events_, 0);
    if (!event) break;
    on_event(event);
    rd_kafka_event_destroy(event);
  }
  note_forbidden();
  if (events == kEventsATurn) Shared::wake(handle_, shared_.get());
  const std::weak_ptr<Shared> alive = shared_;
  const auto gone = [&] { return alive.expired() || !alive.lock()->owner; };
  if (std::exchange(answered_, false)) {
    if (window_.waiting() == 0 && window_.held_by_refusal()) deadline_.start(kRefusalWaitMs);
    const auto answered = callbacks_.answered;
    answered();
    if (gone()) return;
  }
  if (!up_ && !broker_.empty()) {
    up_ = true;
    deadline_.stop();
    const auto up = callbacks_.up;
    up();
    if (gone()) return;
  }
  if (!failure_.empty()) give_up(std::exchange(failure_, ""));
}

void KafkaProducer::note_forbidden() {
  std::string why;
  {
    const std::scoped_lock lock(shared_->mutex);
    why.swap(shared_->forbidden);
  }
  if (why.empty()) return;
  if (!up_ && forbidden_.empty()) deadline_.start(kForbiddenWaitMs);
  forbidden_ = std::move(why);
}

void KafkaProducer::give_up(std::string why) {
  deadline_.stop();
  const auto failed = callbacks_.failed;
  failed(std::move(why));
}

void KafkaProducer::on_event(rd_kafka_event_t* event) {
  switch (rd_kafka_event_type(event)) {
    case RD_KAFKA_EVENT_DR:
      while (const rd_kafka_message_t* message = rd_kafka_event_message_next(event)) on_report(*message);
      break;
    case RD_KAFKA_EVENT_STATS:
      on_statistics(rd_kafka_event_stats(event));
      break;
    case RD_KAFKA_EVENT_ERROR: {
      const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
      const bool all_down = error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN;
      if (all_down) broker_.clear();
      // That all are down says less than the error that was before it.
      if (!all_down || last_error_.empty())
        last_error_ = printable_line(rd_kafka_event_error_string(event), kMaxText);
      note_forbidden();
      if (rd_kafka_event_error_is_fatal(event) || (all_down && !up_)) failure_ = last_error();
      break;
    }
    default:
      break;
  }
}

void KafkaProducer::on_report(const rd_kafka_message_t& message) {
  const auto id = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(message._private));
  answered_ = true;
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    window_.taken(id);
    last_error_.clear();
    forbidden_.clear();
    silent_since_ms_ = loop_.turn_start_ms();
    return;
  }
  // Not rd_kafka_message_errstr(): of a message that was sent that is its payload, which no zero ends.
  last_error_ = printable_line(rd_kafka_err2str(message.err), kMaxText);
  if (is_poison(message.err) && options_.one_by_one) {
    refusal_ = last_error_;
    window_.refused(id);
    return;
  }
  if (is_poison(message.err)) batch_refused_ = true;
  if (failure_.empty())
    failure_ = fmt::format("Kafka topic {}: {}", rd_kafka_topic_name(topic_), last_error_);
}

// Every half a second; which broker is connected librdkafka tells this way alone.
void KafkaProducer::on_statistics(std::string_view text) {
  broker_.clear();
  // Of a topic that cannot be written librdkafka tells nothing: it asks again, for ever.
  if (window_.waiting() > 0 && last_error_.empty() && loop_.turn_start_ms() - silent_since_ms_ >= kSilentMs)
    last_error_ =
        fmt::format("Kafka topic {}: nothing acknowledged for {} s: is it there, and may it be written?",
                    rd_kafka_topic_name(topic_), kSilentMs / 1000);
  boost::system::error_code ec;
  const boost::json::value all = boost::json::parse(boost::json::string_view(text.data(), text.size()), ec);
  const auto* brokers = ec || !all.is_object() ? nullptr : all.as_object().if_contains("brokers");
  if (!brokers || !brokers->is_object()) return;
  for (const auto& [name, value] : brokers->as_object()) {
    const auto* state = value.is_object() ? value.as_object().if_contains("state") : nullptr;
    const bool connected = state && state->is_string() && state->as_string() == "UP";
    // The name is HOST:PORT/ID.
    if (connected)
      broker_ = printable_line(std::string_view(name).substr(0, std::string_view(name).rfind('/')), kMaxText);
    if (connected) return;
  }
}

}  // namespace wafd::forward
