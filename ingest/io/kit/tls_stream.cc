#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "ingest/io/kit/tls_impl.h"

namespace wafd::kit {
namespace {

// A BIO that appends what OpenSSL writes to a string of ours: a memory BIO clears all of its memory each time
// it is emptied.
struct BioMethodDeleter {
  void operator()(BIO_METHOD* method) const noexcept { BIO_meth_free(method); }
};
const std::unique_ptr<BIO_METHOD, BioMethodDeleter>& appending_bio() {
  static const std::unique_ptr<BIO_METHOD, BioMethodDeleter> method = [] {
    std::unique_ptr<BIO_METHOD, BioMethodDeleter> m(BIO_meth_new(BIO_TYPE_SOURCE_SINK, "append"));
    BIO_meth_set_write(m.get(), [](BIO* bio, const char* bytes, int size) noexcept {
      static_cast<std::string*>(BIO_get_data(bio))->append(bytes, static_cast<std::size_t>(size));
      return size;
    });
    BIO_meth_set_ctrl(
        m.get(), [](BIO*, int command, long, void*) noexcept { return command == BIO_CTRL_FLUSH ? 1l : 0l; });
    return m;
  }();
  return method;
}

// The TLS engine between memory that the peer's bytes go into and a string of those for it. Everything that
// OpenSSL wants to send goes to the lower stream at once.
class TlsStream final : public Stream, private StreamHandler {
 public:
  TlsStream(std::unique_ptr<Stream> lower, std::shared_ptr<const TlsContext> context, bool server,
            std::string name)
      : lower_(std::move(lower)), context_(std::move(context)), name_(std::move(name)) {
    ssl_.reset(SSL_new(context_->impl().ctx.get()));
    from_peer_ = BIO_new(BIO_s_mem());
    to_peer_ = BIO_new(appending_bio().get());
    BIO_set_data(to_peer_, &to_peer_bytes_);
    BIO_set_init(to_peer_, 1);
    BIO_set_mem_eof_return(from_peer_, -1);
    SSL_set_bio(ssl_.get(), from_peer_, to_peer_);
    if (server) {
      SSL_set_accept_state(ssl_.get());
    } else {
      SSL_set_connect_state(ssl_.get());
      name_the_peer();
    }
  }

  ~TlsStream() override { *alive_ = false; }

  void start(StreamHandler& handler) override {
    handler_ = &handler;
    lower_->start(*this);
    handshake();
  }
  void pause() override { lower_->pause(); }  // what is decrypted already still comes
  void resume() override { lower_->resume(); }

  bool write(std::string bytes, std::function<void(bool)> done) override {
    if (finishing_ || failed_ || write_ended_) return false;
    if (!open_) {
      if (!waiting_.empty() && waiting_bytes_ + bytes.size() > max_queued_) return false;
      waiting_bytes_ += bytes.size();
      waiting_.emplace_back(std::move(bytes), std::move(done));
      return true;
    }
    const auto queued = lower_->queued_bytes();
    if (queued != 0 && queued + bytes.size() > max_queued_) return false;
    return encrypt(bytes, std::move(done));
  }

  // Full records whatever the pieces: small ones are put together first.
  bool write_parts(std::span<const std::string_view> parts) override {
    std::size_t size = 0;
    for (const std::string_view part : parts) size += part.size();
    const auto queued = lower_->queued_bytes();
    if (!open_ || finishing_ || failed_ || write_ended_ || (queued != 0 && queued + size > max_queued_))
      return Stream::write_parts(parts);  // waits, or says no
    char record[kRecordBytes];
    std::size_t filled = 0;
    for (std::string_view part : parts) {
      while (!part.empty()) {
        const std::size_t n = std::min(part.size(), sizeof record - filled);
        std::memcpy(record + filled, part.data(), n);
        part.remove_prefix(n);
        filled += n;
        if (filled == sizeof record && !encrypt_only({record, std::exchange(filled, 0)})) return false;
      }
    }
    return encrypt({record, filled}, {});
  }

  std::size_t queued_bytes() const noexcept override { return lower_->queued_bytes() + waiting_bytes_; }
  void set_max_queued_bytes(std::size_t bytes) noexcept override {
    max_queued_ = bytes;
    // Records and handshake messages come on top and must never be refused below.
    lower_->set_max_queued_bytes(bytes + bytes / 8 + (256u << 10));
  }
  std::uint64_t wire_bytes() const noexcept override { return lower_->wire_bytes(); }
  void set_idle_timeout_ms(std::int64_t ms) override { lower_->set_idle_timeout_ms(ms); }

  void end_writing() override {
    if (finishing_ || failed_ || write_ended_) return;
    write_ended_ = true;
    say_goodbye();
    lower_->end_writing();
  }

  void close() override {
    if (finishing_) return;
    finishing_ = true;
    handler_ = nullptr;
    if (!failed_ && !write_ended_) say_goodbye();
    lower_->close();
  }

  std::optional<Endpoint> peer() const override { return lower_->peer(); }
  std::optional<Endpoint> local() const override { return lower_->local(); }
  int descriptor() const noexcept override { return lower_->descriptor(); }
  const TlsInfo* tls() const noexcept override { return described_ ? &info_ : nullptr; }

 private:
  void say_goodbye() noexcept {
    if (!open_) return;
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
    flush({});
  }

  void name_the_peer() {
    if (name_.empty()) return;
    auto* parameters = SSL_get0_param(ssl_.get());
    if (IpAddress::parse(name_)) {
      if (context_->impl().verify) X509_VERIFY_PARAM_set1_ip_asc(parameters, name_.c_str());
      return;
    }
    SSL_set_tlsext_host_name(ssl_.get(), name_.c_str());
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (context_->impl().verify) X509_VERIFY_PARAM_set1_host(parameters, name_.data(), name_.size());
  }

  void on_data(std::string_view bytes) noexcept override {
    BIO_write(from_peer_, bytes.data(), static_cast<int>(bytes.size()));
    const auto alive = alive_;
    if (!open_) {
      handshake();
      if (!*alive || !open_) return;
    }
    decrypt();
  }

  void on_end(const StreamEnd& end) noexcept override {
    if (failed_) return;
    failed_ = true;
    if (!open_ && end.kind == StreamEndKind::kEof) {
      tell({StreamEndKind::kError, Error{ErrorCode::kIo, 0, "TLS: the peer closed during the handshake"}});
    } else {
      tell(end);
    }
  }

  void on_writable() noexcept override {
    if (handler_ != nullptr && open_) handler_->on_writable();
  }

  void tell(const StreamEnd& end) noexcept {
    if (handler_ == nullptr || ended_) return;
    ended_ = true;
    const auto alive = alive_;
    for (auto& [bytes, done] : std::exchange(waiting_, {})) {
      if (done) done(false);
      if (!*alive) return;
    }
    waiting_bytes_ = 0;
    if (handler_ != nullptr) handler_->on_end(end);
  }

  void broken(std::string_view what) noexcept {
    if (failed_) return;
    failed_ = true;
    flush({});  // the alert
    tell({StreamEndKind::kError, Error{ErrorCode::kInvalid, 0, fmt::format("TLS: {}", what)}});
  }

  void describe() {
    info_ = describe_session(ssl_.get(), context_->impl().verify);
    described_ = true;
  }

  void handshake() noexcept {
    ERR_clear_error();
    const int rc = SSL_do_handshake(ssl_.get());
    if (rc != 1) {
      const int why = SSL_get_error(ssl_.get(), rc);
      if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
        flush({});
        return;
      }
      const auto verdict = SSL_get_verify_result(ssl_.get());
      const auto reason = take_openssl_error();
      if (verdict != X509_V_OK) describe();
      broken(verdict != X509_V_OK ? X509_verify_cert_error_string(verdict)
             : reason.empty()     ? "handshake failed"
                                  : reason);
      return;
    }
    const auto& wanted = context_->impl().fingerprint;
    if (!wanted.empty()) {
      const X509Ptr leaf(SSL_get1_peer_certificate(ssl_.get()));
      if (!leaf || fingerprint_sha256(leaf.get()) != wanted) {
        describe();
        broken("the certificate's fingerprint is not the expected one");
        return;
      }
    }
    open_ = true;
    describe();
    flush({});
    auto waiting = std::exchange(waiting_, {});
    waiting_bytes_ = 0;
    for (auto& [bytes, done] : waiting) encrypt(bytes, std::move(done));
    if (handler_ != nullptr) handler_->on_open();
  }

  void decrypt() noexcept {
    char plain[16 * 1024];  // one record at most
    const auto alive = alive_;
    while (true) {
      ERR_clear_error();
      const int n = SSL_read(ssl_.get(), plain, sizeof plain);
      if (n > 0) {
        if (handler_ == nullptr || ended_) return;
        handler_->on_data({plain, static_cast<std::size_t>(n)});
        if (!*alive || handler_ == nullptr) return;
        continue;
      }
      const int why = SSL_get_error(ssl_.get(), n);
      flush({});
      if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return;
      if (why == SSL_ERROR_ZERO_RETURN) {
        // A peer may say close_notify before it has read everything; its FIN tells that it has.
        if (!write_ended_) tell({StreamEndKind::kEof, {}});
      } else {
        const auto reason = take_openssl_error();
        broken(reason.empty() ? "broken record" : reason);
      }
      return;
    }
  }

  bool encrypt(std::string_view bytes, std::function<void(bool)> done) noexcept {
    return encrypt_only(bytes) && flush(std::move(done));
  }

  // Large texts go down in slices, so that what is kept for the next time stays small.
  bool encrypt_only(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
      ERR_clear_error();
      const int n =
          SSL_write(ssl_.get(), bytes.data(), static_cast<int>(std::min(bytes.size(), kRecordBytes)));
      if (n <= 0) {
        // The BIO takes everything, so this is a broken session.
        failed_ = true;
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(n));
      if (to_peer_bytes_.size() > kSliceBytes && !flush({})) return false;
    }
    return true;
  }

  bool flush(std::function<void(bool)> done) noexcept {
    if (to_peer_bytes_.empty() && !done) return true;
    if (done) return lower_->write(std::exchange(to_peer_bytes_, {}), std::move(done));
    const std::string_view parts[] = {to_peer_bytes_};
    const bool taken = lower_->write_parts(parts);
    if (to_peer_bytes_.capacity() > 2 * kSliceBytes)
      to_peer_bytes_ = {};
    else
      to_peer_bytes_.clear();
    return taken;
  }

  static constexpr std::size_t kRecordBytes = 16 * 1024;  // the most that one record takes
  static constexpr std::size_t kSliceBytes = 64 * 1024;

  std::unique_ptr<Stream> lower_;
  std::shared_ptr<const TlsContext> context_;
  std::string name_;
  SslPtr ssl_;
  BIO* from_peer_ = nullptr;  // owned by ssl_
  BIO* to_peer_ = nullptr;
  std::string to_peer_bytes_;  // what to_peer_ was given
  StreamHandler* handler_ = nullptr;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // a handler may destroy this stream
  bool open_ = false;
  bool described_ = false;  // info_ is filled
  bool ended_ = false;
  bool write_ended_ = false;
  bool finishing_ = false;
  bool failed_ = false;
  std::deque<std::pair<std::string, std::function<void(bool)>>>
      waiting_;  // written before the handshake was done
  std::size_t waiting_bytes_ = 0;
  std::size_t max_queued_ = 4u << 20;
  TlsInfo info_;
};

}  // namespace

std::unique_ptr<Stream> make_tls_server(std::unique_ptr<Stream> lower,
                                        std::shared_ptr<const TlsContext> context) {
  return std::make_unique<TlsStream>(std::move(lower), std::move(context), true, std::string());
}

std::unique_ptr<Stream> make_tls_client(std::unique_ptr<Stream> lower,
                                        std::shared_ptr<const TlsContext> context, std::string name) {
  return std::make_unique<TlsStream>(std::move(lower), std::move(context), false, std::move(name));
}

}  // namespace wafd::kit
