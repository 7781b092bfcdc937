#include "forward/io/web/web_question.h"

#include <algorithm>

#include <fmt/format.h>

#include "forward/io/web/guarded_curl.h"

namespace wafd::forward {
namespace {

struct Sink {
  std::string body;
  std::size_t most = 0;
  bool may_cut = false, cut = false;

  static std::size_t write(const char* from, std::size_t size, std::size_t count, void* self) noexcept {
    auto& sink = *static_cast<Sink*>(self);
    const std::size_t bytes = size * count;
    const std::size_t room = sink.most - sink.body.size();
    if (bytes > room && !sink.may_cut) return 0;
    if (bytes > room) sink.cut = true;
    sink.body.append(from, std::min(bytes, room));
    return bytes;
  }
};

int go_on(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
  return static_cast<const std::atomic<bool>*>(stop)->load() ? 1 : 0;
}

std::string words(CURLcode code, const DestinationGuard& guard) {
  if (!guard.denied.empty()) return guard.denied;
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return "its name does not exist, or no name server answered";
    case CURLE_COULDNT_CONNECT:
      return "nobody accepts connections there";
    case CURLE_OPERATION_TIMEDOUT:
      return "no answer in time";
    case CURLE_PEER_FAILED_VERIFICATION:
      return "its certificate is not one that is believed: not signed by a known authority, out of time, or "
             "made for another name";
    case CURLE_SSL_CACERT_BADFILE:
      return "ca: the certificates could not be read";
    case CURLE_SSL_CONNECT_ERROR:
      return "no TLS connection came about";
    case CURLE_WRITE_ERROR:
      return "its answer is too large";
    case CURLE_UNSUPPORTED_PROTOCOL:
      return "its address is no https URL";
    default:
      return "the connection broke before an answer came";
  }
}

}  // namespace

WebReply ask(const WebQuestion& question, std::vector<Endpoint> own_listeners, std::vector<IpAddress> local,
             const std::atomic<bool>& stop) {
  DestinationGuard guard{std::move(own_listeners), std::move(local), {}, {}};
  Sink sink{{}, question.max_answer_bytes, question.cut_answer};
  List headers;
  const Easy easy(curl_easy_init());
  CURL* c = easy.get();
  prepare_guarded(c, guard, question.whole_ms);
  set(c, CURLOPT_QUICK_EXIT, 1L);  // a name that nobody resolves holds up nobody
  prepare_tls(c, true, question.ca);
  set(c, CURLOPT_URL, question.url.c_str());
  set(c, CURLOPT_PROTOCOLS_STR, question.plain ? "http,https" : "https");
  set(c, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(c, CURLOPT_USERAGENT, "wafd/" WAFD_VERSION);
  set(c, CURLOPT_NOPROGRESS, 0L);
  set(c, CURLOPT_XFERINFOFUNCTION, &go_on);
  set(c, CURLOPT_XFERINFODATA, &stop);
  set(c, CURLOPT_WRITEFUNCTION, &Sink::write);
  set(c, CURLOPT_WRITEDATA, &sink);
  for (const auto& [name, value] : question.headers) append(headers, fmt::format("{}: {}", name, value));
  append(headers, "Expect:");
  set(c, CURLOPT_HTTPHEADER, headers.get());
  if (question.method == "POST") {
    set(c, CURLOPT_POSTFIELDSIZE, static_cast<long>(question.body.size()));
    set(c, CURLOPT_POSTFIELDS, question.body.data());
  }
  WebReply out;
  if (const CURLcode code = curl_easy_perform(c); code != CURLE_OK && !sink.cut) {
    out.failure = words(code, guard);
    return out;
  }
  long status = 0;
  curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
  out.status = static_cast<int>(status);
  curl_off_t retry_after_s = 0;
  curl_easy_getinfo(c, CURLINFO_RETRY_AFTER, &retry_after_s);
  if (retry_after_s > 0) out.retry_after_s = retry_after_s;
  out.body = std::move(sink.body);
  out.cut = sink.cut;
  return out;
}

}  // namespace wafd::forward
