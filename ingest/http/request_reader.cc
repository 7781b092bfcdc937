#include "ingest/http/request_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/format.h>

#include "detect/core/bytes.h"

namespace wafd::http {
namespace {

namespace beast = boost::beast::http;
using Code = boost::beast::error_code;
using Text = boost::beast::string_view;

std::string_view view(Text text) noexcept { return {text.data(), text.size()}; }

// Beast's framing with our values behind it. One a message.
class Parser final : public beast::basic_parser<true> {
 public:
  explicit Parser(Request& out) : out_(out) {
    header_limit(1u << 30);  // ours is applied before
    body_limit(boost::none);
    eager(false);  // one chunk a call, so that a body can be given out in pieces
  }
  // A chunk's size line comes next. Beast asserts five bytes then, which are always still to come: "0 CR LF
  // CR LF".
  bool expects_chunk_head() const { return chunked() && chunk_left_ == 0; }
  std::string_view take_body() noexcept { return std::exchange(body_, {}); }

 private:
  void on_request_impl(beast::verb, Text method, Text target, int version, Code&) override {
    out_.method = view(method);
    out_.target = view(target);
    out_.version = static_cast<unsigned>(version);
  }
  void on_response_impl(int, Text, int, Code&) override {}
  void on_field_impl(beast::field, Text name, Text value, Code&) override {
    if (!in_trailers_) out_.fields.emplace_back(name, value);
  }
  void on_header_impl(Code&) override { in_trailers_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Code&) override {}
  std::size_t on_body_impl(Text body, Code&) override { return on_bytes(body); }
  void on_chunk_header_impl(std::uint64_t size, Text, Code&) override { chunk_left_ = size; }
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, Code&) override {
    chunk_left_ -= body.size();
    return on_bytes(body);
  }
  void on_finish_impl(Code&) override {}

  std::size_t on_bytes(Text body) noexcept {
    body_ = view(body);
    return body.size();
  }

  Request& out_;
  std::string_view body_;
  std::uint64_t chunk_left_ = 0;
  bool in_trailers_ = false;
};

constexpr std::string_view kOtherTokens = "!#$%&'*+-.^_`|~";  // RFC 9110 section 5.6.2, with ALPHA and DIGIT

// End of a head that is there, also one with LF alone (which is then refused); npos if more must come.
std::size_t end_of_head(std::string_view head, std::size_t from) noexcept {
  for (auto at = head.find('\n', from); at != std::string_view::npos; at = head.find('\n', at + 1)) {
    if (at + 1 < head.size() && head[at + 1] == '\n') return at + 2;
    if (at + 2 < head.size() && head[at + 1] == '\r' && head[at + 2] == '\n') return at + 3;
  }
  return std::string_view::npos;
}

tl::unexpected<Refusal> refuse(unsigned status, ErrorCode code, std::string what, std::size_t offset) {
  return tl::unexpected(Refusal{status, Error{code, offset, std::move(what)}});
}

}  // namespace

struct RequestReader::Impl {
  enum class State { kHead, kHeadDone, kBody, kDone, kRefused };

  explicit Impl(ReaderLimits l) : limits(l) { begin(); }

  void begin() {
    request = {};
    parser.emplace(request);
    state = State::kHead;
    carry.clear();
    streamed = false;
    body_limit = limits.max_body_bytes;
    body_bytes = 0;
    offset = 0;
    chunk = {};
  }

  tl::expected<Step, Refusal> read_head(std::string_view& bytes) {
    auto& head = request.raw_head;
    // RFC 9112 section 2.2: empty lines before a request line are skipped.
    while (head.empty() && !bytes.empty() && (bytes[0] == '\r' || bytes[0] == '\n')) bytes.remove_prefix(1);
    // Something else altogether, such as TLS, is not waited for until it makes a head.
    if (head.empty() && !bytes.empty() && !is_alnum(bytes[0]) &&
        kOtherTokens.find(bytes[0]) == std::string_view::npos)
      return refuse(400, ErrorCode::kInvalid, "expected a method", 0);
    const auto before = head.size();
    const auto room = limits.max_head_bytes + 1 - before;
    head.append(bytes.substr(0, room));
    const auto end = end_of_head(head, before < 3 ? 0 : before - 3);
    if (end == std::string_view::npos) {
      if (head.size() > limits.max_head_bytes) return too_long();
      bytes.remove_prefix(head.size() - before);
      return Step::kNeedMore;
    }
    if (end > limits.max_head_bytes) return too_long();
    bytes.remove_prefix(end - before);
    head.resize(end);
    return parse_head();
  }

  tl::unexpected<Refusal> too_long() {
    return refuse(431, ErrorCode::kTooLarge,
                  fmt::format("the head is longer than {} bytes", limits.max_head_bytes),
                  limits.max_head_bytes);
  }

  tl::expected<Step, Refusal> parse_head() {
    for (auto at = request.raw_head.find('\n'); at != std::string::npos;
         at = request.raw_head.find('\n', at + 1)) {
      if (at == 0 || request.raw_head[at - 1] != '\r')
        return refuse(400, ErrorCode::kInvalid, "the head's lines must end with CR LF", at);
    }
    Code ec;
    const auto used =
        parser->put(boost::asio::const_buffer(request.raw_head.data(), request.raw_head.size()), ec);
    offset = request.raw_head.size();
    if (!ec && !parser->is_header_done()) ec = beast::error::need_more;
    if (ec == beast::error::bad_version)
      return refuse(505, ErrorCode::kInvalid, "expected HTTP/1.0 or HTTP/1.1", used);
    if (ec) return refuse(400, ErrorCode::kInvalid, ec.message(), used);
    // Only the one coding that everybody frames alike.
    if (const auto coding = request.value("transfer-encoding");
        !coding.empty() && (!iequals(coding, "chunked") || request.version != 11))
      return refuse(501, ErrorCode::kInvalid,
                    "expected no Transfer-Encoding but chunked, and that in HTTP/1.1", 0);
    request.keep_alive = parser->keep_alive();
    if (request.version == 11 && count_of(request.fields, "host") != 1)
      return refuse(400, ErrorCode::kInvalid, "expected one Host field", 0);
    state = State::kHeadDone;
    return Step::kHead;
  }

  tl::expected<Step, Refusal> read_body(std::string_view& bytes) {
    if (parser->is_done()) return finish();
    if (const auto length = parser->content_length(); length && !streamed && *length > body_limit)
      return too_large();
    while (true) {
      // A chunk's size line must be contiguous for the parser; what it could not use yet waits in `carry`.
      const auto before = carry.size();
      if (before != 0) carry.append(bytes.substr(0, limits.max_chunk_head_bytes + 1 - before));
      const std::string_view input = before != 0 ? std::string_view(carry) : bytes;
      if (input.empty()) return Step::kNeedMore;
      const bool chunk_head = parser->expects_chunk_head();
      std::size_t used = 0;
      if (!chunk_head || input.size() >= 5) {
        Code ec;
        used = parser->put(boost::asio::const_buffer(input.data(), input.size()), ec);
        if (ec && ec != beast::error::need_more)
          return refuse(400, ErrorCode::kInvalid, ec.message(), offset + used);
      }
      // Also one that came whole, so that fragmentation makes no difference.
      if (chunk_head && (used == 0 ? input.size() : used) > limits.max_chunk_head_bytes)
        return refuse(400, ErrorCode::kTooLarge,
                      fmt::format("a chunk head is longer than {} bytes", limits.max_chunk_head_bytes),
                      offset);
      if (used == 0) {
        if (before == 0) carry = bytes;
        bytes = {};
        return Step::kNeedMore;
      }
      offset += used;
      auto body = parser->take_body();
      if (before != 0) {
        held.assign(body);  // it lies in `carry`
        body = held;
      }
      if (used >= before) {
        bytes.remove_prefix(used - before);
        carry.clear();
      } else {  // a short size line, carried together with what follows it
        carry.resize(before);
        carry.erase(0, used);
      }
      body_bytes += body.size();
      if (!streamed && body_bytes > body_limit) return too_large();
      if (streamed && !body.empty()) {
        chunk = body;
        return Step::kBody;
      }
      request.body.append(body);
      if (parser->is_done()) return finish();
    }
  }

  tl::unexpected<Refusal> too_large() {
    return refuse(413, ErrorCode::kTooLarge, fmt::format("the body is larger than {} bytes", body_limit),
                  offset);
  }

  Step finish() {
    state = State::kDone;
    return Step::kMessage;
  }

  ReaderLimits limits;
  Request request;
  std::optional<Parser> parser;
  State state = State::kHead;
  std::string carry;
  std::string held;  // bytes of a chunk that came through `carry`
  std::string_view chunk;
  bool streamed = false;
  std::size_t body_limit = 0;
  std::size_t body_bytes = 0;
  std::size_t offset = 0;
};

RequestReader::RequestReader(ReaderLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
RequestReader::~RequestReader() = default;

tl::expected<Step, Refusal> RequestReader::next(std::string_view& bytes) {
  auto& i = *impl_;
  using State = Impl::State;
  if (i.state == State::kRefused)
    return refuse(400, ErrorCode::kInvalid, "the connection was refused before", 0);
  if (i.state == State::kDone) i.begin();
  if (i.state == State::kHeadDone) i.state = State::kBody;
  auto step = i.state == State::kHead ? i.read_head(bytes) : i.read_body(bytes);
  if (!step) i.state = State::kRefused;
  return step;
}

Request& RequestReader::request() noexcept { return impl_->request; }
void RequestReader::stream_body() noexcept { impl_->streamed = true; }
void RequestReader::limit_body(std::size_t max_bytes) noexcept { impl_->body_limit = max_bytes; }

bool RequestReader::expects_continue() const noexcept {
  const auto& i = *impl_;
  return i.request.version == 11 && i.state == Impl::State::kHeadDone && !i.parser->is_done() &&
         iequals(i.request.value("expect"), "100-continue");
}

std::string_view RequestReader::chunk() const noexcept { return impl_->chunk; }
std::string_view RequestReader::raw_head() const noexcept { return impl_->request.raw_head; }

bool RequestReader::in_message() const noexcept {
  const auto& i = *impl_;
  if (i.state == Impl::State::kHead) return !i.request.raw_head.empty();
  return i.state == Impl::State::kHeadDone || i.state == Impl::State::kBody;
}

}  // namespace wafd::http
