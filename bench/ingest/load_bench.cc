// Requests a second over loopback: T1K and HTTP ingest with the real engine, beside a bare libuv echo of the
// same bytes in the same run. Prints one line each with its ratio to the echo.
//   load_bench [SECONDS] [CONNECTIONS]

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "ingest/io/ingest.h"
#include "ingest/io/kit/connect.h"
#include "ingest/io/kit/listen.h"
#include "ingest/io/kit/system.h"

namespace {

using namespace wafd;

std::string section(unsigned first_byte, std::string_view data) {
  std::string out(1, static_cast<char>(first_byte));
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(data.size() >> shift & 0xff);
  return out.append(data);
}

const std::string kHead =
    "GET /products/list?category=shoes&page=2&sort=price HTTP/1.1\r\nHost: shop.example\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 "
    "Safari/537.36\r\n"
    "Accept: text/html,application/xhtml+xml\r\nAccept-Language: en\r\nAccept-Encoding: gzip, deflate, br\r\n"
    "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n\r\n";

class NoSink final : public EventSink {
 public:
  Result<std::uint64_t> append(const EventRecord&) noexcept override { return ++sequence_; }
  bool amend(const ResponseReport&) noexcept override { return false; }

 private:
  std::atomic<std::uint64_t> sequence_{0};
};

// One connection that asks again as soon as it was answered.
class Asker final : public kit::StreamHandler {
 public:
  Asker(kit::Loop& loop, const Endpoint& to, const std::string& request, std::size_t answer_bytes,
        std::uint64_t& count)
      : request_(request), answer_bytes_(answer_bytes), count_(count) {
    kit::ConnectOptions options;
    options.to = to;
    connector_ = std::make_unique<kit::Connector>(loop, options, [this](auto result) {
      if (!result) {
        std::fprintf(stderr, "%s\n", result.error().what.c_str());
        std::exit(1);
      }
      stream_ = std::move(*result);
      stream_->start(*this);
      stream_->write(request_, {});
    });
  }

 private:
  void on_data(std::string_view bytes) noexcept override {
    received_ += bytes;
    // T1K and the echo answer with a fixed number of bytes; HTTP with a head that ends in an empty line.
    const bool complete =
        answer_bytes_ != 0 ? received_.size() >= answer_bytes_ : received_.ends_with("\r\n\r\n");
    if (!complete) return;
    received_.clear();
    ++count_;
    stream_->write(request_, {});
  }
  void on_end(const kit::StreamEnd&) noexcept override {
    std::fprintf(stderr, "the server closed a connection\n");
    std::exit(1);
  }
  const std::string& request_;
  std::size_t answer_bytes_;
  std::uint64_t& count_;
  std::string received_;
  std::unique_ptr<kit::Connector> connector_;
  std::unique_ptr<kit::Stream> stream_;
};

double measure(const Endpoint& to, const std::string& request, std::size_t answer_bytes, int seconds,
               int connections) {
  kit::Loop loop;
  std::uint64_t count = 0;
  std::vector<std::unique_ptr<Asker>> askers;
  askers.reserve(static_cast<std::size_t>(connections));
  for (int i = 0; i < connections; ++i)
    askers.push_back(std::make_unique<Asker>(loop, to, request, answer_bytes, count));
  kit::Timer end(loop, [&] { loop.stop(); });
  end.start(seconds * 1000);
  const auto begin = std::chrono::steady_clock::now();
  loop.run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(count) / took.count();
}

// The peer: answers every `request_bytes` with six bytes and looks at none.
class Echo {
 public:
  explicit Echo(std::size_t request_bytes)
      : sockets_(kit::ListenSockets::tcp(*Endpoint::parse("127.0.0.1:0"), 1).value()) {
    listener_ =
        std::make_unique<kit::Listener>(loop_, sockets_.take(0), false, [this, request_bytes](auto stream) {
          peers_.push_back(std::make_unique<Peer>(std::move(stream), request_bytes));
        });
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Echo() {
    loop_.stop();
    thread_.join();
  }
  const Endpoint& at() const { return sockets_.local(); }

 private:
  struct Peer final : kit::StreamHandler {
    Peer(std::unique_ptr<kit::Stream> s, std::size_t bytes) : request_bytes(bytes), stream(std::move(s)) {
      stream->start(*this);
    }
    void on_data(std::string_view bytes) noexcept override {
      for (got += bytes.size(); got >= request_bytes; got -= request_bytes) stream->write("\xc1\x01....", {});
    }
    void on_end(const kit::StreamEnd&) noexcept override {}
    std::size_t request_bytes, got = 0;
    std::unique_ptr<kit::Stream> stream;
  };
  kit::Loop loop_;
  kit::ListenSockets sockets_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::unique_ptr<kit::Listener> listener_;
  std::thread thread_;
};

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 3;
  const int connections = argc > 2 ? std::atoi(argv[2]) : 16;
  auto engine = detect::Engine::build({});
  auto policy = detect::Policy::build({});
  if (!engine || !policy || seconds <= 0 || connections <= 0) {
    std::fprintf(stderr, "usage: load_bench [SECONDS] [CONNECTIONS]\n");
    return 2;
  }
  const kit::SystemClock clock;
  kit::SystemRandom random;
  NoSink sink;
  ingest::IngestOptions options;
  options.workers = 1;
  options.t1k_listen->port = 0;
  options.http_listen->port = 0;
  auto running = ingest::Ingest::open(options, {clock, random, sink, "bench", {}, {}, {}, {}},
                                      std::shared_ptr<const detect::Engine>(std::move(*engine)),
                                      std::make_shared<const detect::Policy>(std::move(*policy)));
  if (!running) {
    std::fprintf(stderr, "%s\n", running.error().what.c_str());
    return 1;
  }
  (*running)->start();
  const auto t1k = section(0x41, kHead) +
                   section(0x03,
                           "\x01\n\x13"
                           "203.0.113.7\n\x16http\n") +
                   section(0xa0, "Proto:3\n");
  const auto http = "GET /check" + kHead.substr(4);
  const Echo echo(t1k.size());
  const auto plain = measure(echo.at(), t1k, 6, seconds, connections);
  std::printf("%-22s %10.0f requests/s  ratio 1.00\n", "bare echo", plain);
  const auto by_t1k = measure(*Endpoint::parse((*running)->address(ingest::IngestListener::kT1k)), t1k, 6,
                              seconds, connections);
  std::printf("%-22s %10.0f requests/s  ratio %.2f\n", "T1K", by_t1k, by_t1k / plain);
  const auto by_http = measure(*Endpoint::parse((*running)->address(ingest::IngestListener::kHttp)), http, 0,
                               seconds, connections);
  std::printf("%-22s %10.0f requests/s  ratio %.2f\n", "HTTP /check", by_http, by_http / plain);
  (*running)->stop(1000);
  return 0;
}
