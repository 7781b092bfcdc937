#include "probe/probe.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "detect/core/bytes.h"

namespace wafd::probe {
namespace {

// Attacks that the default sensitivity denies wherever they stand, as text and percent-encoded.
constexpr std::string_view kAttack = "1' UNION SELECT username, password FROM users-- -";
constexpr std::string_view kEncoded = "1%27%20UNION%20SELECT%20username%2C%20password%20FROM%20users--%20-";
constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr std::string_view kForgedAddress = "203.0.113.77";  // for documentation (RFC 5737)
constexpr std::size_t kFirstBodyBytes = 8 << 10;
constexpr std::size_t kHeaders = 300;

// The meaning of one answer, beside the harmless one.
enum class Outcome { kBlocked, kRefused, kPassed, kNone };

class Run {
 public:
  Run(const Options& options, const Send& send, const AddressOf& address_of)
      : options_(options), send_(send), address_of_(address_of) {}

  std::vector<Finding> all() {
    if (!reached()) return std::move(findings_);
    const Answer query = ask(with_query());
    say("query", "an attack in the query", query);
    const bool form = say("form", "an attack in a form body", ask(with_body(kForm, form_of(0))));
    say("json", "an attack in a JSON body",
        ask(with_body("application/json", fmt::format(R"({{"q":"{}"}})", kAttack))));
    body_size(form);
    steering();
    event_id(query);
    address(query);
    headers();
    return std::move(findings_);
  }

 private:
  Answer ask(Request request) const {
    request.headers.emplace_back("X-Wafd-Probe", options_.marker);
    return send_(request);
  }
  static Request with_query() {
    Request request;
    request.query = fmt::format("wafd_probe={}", kEncoded);
    return request;
  }
  static Request with_body(std::string_view type, std::string body) {
    Request request;
    request.method = "POST";
    request.headers.emplace_back("Content-Type", type);
    request.body = std::move(body);
    return request;
  }
  // A form of that many bytes with the attack at its end.
  static std::string form_of(std::size_t bytes) {
    const std::string attack = fmt::format("&q={}", kEncoded);
    std::string body = "a=";
    body.append(bytes > attack.size() + body.size() ? bytes - attack.size() - body.size() : 1, 'x');
    return body + attack;
  }

  Outcome outcome(const Answer& answer) const {
    if (answer.status == 0) return Outcome::kNone;
    if (!event_id_of(answer.text).empty()) return Outcome::kBlocked;
    if (answer.status == 403 && harmless_ != 403) return Outcome::kBlocked;
    return answer.status >= 400 && answer.status != harmless_ && answer.status != 404 && answer.status != 405
               ? Outcome::kRefused
               : Outcome::kPassed;
  }
  static std::string words(Outcome outcome, const Answer& answer) {
    switch (outcome) {
      case Outcome::kBlocked:
        return fmt::format("blocked ({})", answer.status);
      case Outcome::kRefused:
        return fmt::format(
            "refused with {}, without an event id: by the gateway or the application, it seems",
            answer.status);
      case Outcome::kPassed:
        return fmt::format("NOT blocked ({})", answer.status);
      case Outcome::kNone:
        break;
    }
    return "no answer: " + answer.error;
  }
  static State state_of(Outcome outcome) {
    return outcome == Outcome::kBlocked  ? State::kGood
           : outcome == Outcome::kPassed ? State::kBad
                                         : State::kUnknown;
  }
  bool say(std::string check, std::string_view what, const Answer& answer) {
    const Outcome is = outcome(answer);
    findings_.push_back({std::move(check), state_of(is), fmt::format("{}: {}", what, words(is, answer))});
    return is == Outcome::kBlocked;
  }

  bool reached() {
    const Answer answer = ask({});
    const bool blocked = !event_id_of(answer.text).empty();
    if (answer.status != 0 && !blocked) {
      harmless_ = answer.status;
      return true;
    }
    findings_.push_back(
        {"reached", State::kBad,
         blocked ? fmt::format("a harmless request is blocked ({}): choose another URL", answer.status)
                 : "no answer to a harmless request: " + answer.error});
    return false;
  }

  void body_size(bool form_blocked) {
    if (!form_blocked) {
      findings_.push_back(
          {"body_size", State::kUnknown, "size of bodies: not tried, because no body is blocked"});
      return;
    }
    std::size_t largest = 0;
    for (std::size_t bytes = std::min(kFirstBodyBytes, options_.max_body_bytes);;) {
      const Answer answer = ask(with_body(kForm, form_of(bytes)));
      const Outcome is = outcome(answer);
      if (is != Outcome::kBlocked) {
        findings_.push_back({"body_size", state_of(is),
                             fmt::format("bodies are blocked up to {} bytes; one of {} bytes: {}", largest,
                                         bytes, words(is, answer))});
        return;
      }
      largest = bytes;
      if (bytes == options_.max_body_bytes) break;
      bytes = std::min(bytes * 2, options_.max_body_bytes);
    }
    findings_.push_back({"body_size", State::kGood,
                         fmt::format("bodies are blocked up to {} bytes, the most that was tried", largest)});
  }

  // Each way to ask a WAF says the request in headers of its own; a client that can set them could have
  // another judged.
  void steering() {
    Request request = with_query();
    for (const char* name : {"X-Forwarded-Uri", "X-Original-URI", "X-Original-URL", "X-Rewrite-URL",
                             "X-Envoy-Original-Path", "X-Crowdsec-Appsec-Uri"})
      request.headers.emplace_back(name, "/");
    for (const char* name : {"X-Forwarded-Method", "X-Original-Method", "X-Crowdsec-Appsec-Verb"})
      request.headers.emplace_back(name, "GET");
    const Answer answer = ask(std::move(request));
    const Outcome is = outcome(answer);
    findings_.push_back(
        {"steering", state_of(is),
         fmt::format("an attack beside forged headers that tell another request: {}", words(is, answer))});
  }

  void event_id(const Answer& answer) {
    const std::string id = event_id_of(answer.text);
    const bool blocked = outcome(answer) == Outcome::kBlocked;
    findings_.push_back({"event_id",
                         !id.empty() ? State::kGood
                         : blocked   ? State::kBad
                                     : State::kUnknown,
                         !id.empty() ? fmt::format("the answer has the event id: {}", id)
                         : blocked
                             ? "the answer to a blocked request has no event id"
                             : "event id: not checked, because the attack in the query is not blocked"});
  }

  void address(const Answer& query) {
    const auto say_it = [&](State state, std::string text) {
      findings_.push_back({"address", state, "the client's address: " + std::move(text)});
    };
    if (!address_of_) return say_it(State::kUnknown, "not checked (needs --console and --token)");
    Request request = with_query();
    for (const char* name : {"X-Forwarded-For", "X-Real-IP", "True-Client-IP", "X-Crowdsec-Appsec-Ip"})
      request.headers.emplace_back(name, kForgedAddress);
    const std::string id = event_id_of(ask(std::move(request)).text);
    const std::string plain = event_id_of(query.text);
    if (id.empty() || plain.empty())
      return say_it(State::kUnknown, "not checked, because no answer has an event id");
    const std::string forged = address_of_(id), seen = address_of_(plain);
    if (forged.empty() || seen.empty())
      return say_it(State::kUnknown, "not checked, the console does not know the event");
    if (forged == kForgedAddress)
      return say_it(State::kBad, "a client can forge it by a header such as X-Forwarded-For");
    if (seen == options_.own_address) return say_it(State::kGood, seen + ", as it is, and not to be forged");
    say_it(State::kUnknown,
           fmt::format("events say {}, and the requests were sent from {}: is there a proxy between, or is "
                       "it the gateway's own address?",
                       seen, options_.own_address));
  }

  void headers() {
    Request request;
    for (std::size_t i = 1; i < kHeaders; ++i)
      request.headers.emplace_back(fmt::format("X-Filler-{}", i), "x");
    request.headers.emplace_back("Referer", fmt::format("http://probe.example/?q={}", kEncoded));
    const Answer answer = ask(std::move(request));
    const Outcome is = outcome(answer);
    // A request that nobody serves harms nobody.
    findings_.push_back(
        {"headers", is == Outcome::kRefused ? State::kGood : state_of(is),
         fmt::format("an attack in header {} of a request: {}", kHeaders, words(is, answer))});
  }

  const Options& options_;
  const Send& send_;
  const AddressOf& address_of_;
  unsigned harmless_ = 0;  // the status of a harmless request
  std::vector<Finding> findings_;
};

}  // namespace

const char* to_string(State state) noexcept {
  return state == State::kGood ? "ok" : state == State::kBad ? "FAIL" : "?";
}

std::string event_id_of(std::string_view text) {
  constexpr std::size_t kDigits = 32;
  constexpr std::size_t kBetween = 8;  // `": "` or `: `
  const std::string low = to_lower(text);
  const auto is_digit = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  for (const std::string_view name : {"event_id", "event-id"}) {
    for (std::size_t at = low.find(name); at != std::string::npos; at = low.find(name, at + 1)) {
      std::size_t begin = at + name.size();
      const std::size_t last = begin + kBetween;
      while (begin < last && begin < low.size() && !is_digit(low[begin])) ++begin;
      std::size_t end = begin;
      while (end < low.size() && is_digit(low[end])) ++end;
      if (end - begin == kDigits) return low.substr(begin, kDigits);
    }
  }
  return {};
}

std::vector<Finding> run(const Options& options, const Send& send, const AddressOf& address_of) {
  return Run(options, send, address_of).all();
}

}  // namespace wafd::probe
