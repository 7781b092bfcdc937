// The test button: one message to a receiver, in stages, each with time and result, and a verdict of honest
// strength.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "forward/format/message.h"
#include "forward/io/dial.h"
#include "forward/protocol/relp_session.h"
#include "forward/target/delivery.h"

namespace wafd::forward {

class KafkaProducer;
class PostgresTrial;
struct PgRow;
class ProducerReaper;

struct TesterParts {
  const Clock& clock;
  Random& random;
  std::string node;
  ZoneTime zone;
  std::vector<Endpoint> own_listeners;
  kit::ResolveOptions resolve;
  std::shared_ptr<ProducerReaper> producer_reaper = {};  // none: a producer's end is waited for
};

// One test at a time runs in one Tester; it uses the formatter, framing and dialling of delivery. At most 8
// s. `done` is called once, on the loop's thread, never from within the constructor, and may destroy the
// Tester; the destructor gives up silently. What the peer sends is read and dropped, never shown.
class Tester final : private kit::StreamHandler {
 public:
  Tester(kit::Loop& loop, const TesterParts& parts, TargetSettings target, TestKind kind,
         std::function<void(TestResult)> done);
  ~Tester();
  Tester(const Tester&) = delete;
  Tester& operator=(const Tester&) = delete;

 private:
  void make_message();
  void begin_stage(std::string name);
  void end_stage(bool ok, boost::json::object detail, std::string error);
  void on_link(Link link);
  void on_dial_failed(DialStage stage, const Error& error);
  void begin_tls();
  void tls_ended(const std::string& what);
  void write_message();
  void write_relp();
  void write_kafka();
  void produce();
  void make_row(const RecordView* sample, std::string_view json);
  void try_postgres();
  void on_relp(std::string_view bytes);
  void relp_late();
  void relp_ended(const std::string& what);
  void after_quarter();
  void after_half();
  void fail_stage(const std::string& error, std::string_view hint, boost::json::object detail = {});
  void finish(std::string verdict, std::string text);

  void on_open() noexcept override;
  void on_data(std::string_view bytes) noexcept override {
    if (relp_ && done_) on_relp(bytes);
  }
  void on_end(const kit::StreamEnd& end) noexcept override;
  void on_datagram_error(const Error& error);

  kit::Loop& loop_;
  TesterParts parts_;
  TargetSettings target_;
  TestKind kind_;
  std::function<void(TestResult)> done_;
  TestResult result_;
  std::unique_ptr<RelpSession> relp_;
  std::unique_ptr<KafkaProducer> kafka_;
  std::unique_ptr<PgRow> row_;  // of PostgreSQL: the message as a row
  std::unique_ptr<PostgresTrial> postgres_;
  std::string opening_;  // of RELP, before the message
  std::string bytes_;    // of the message with its framing
  std::string stage_;
  std::int64_t stage_began_us_ = 0;
  bool half_ = false;  // the first quarter of a second after the write is over
  std::unique_ptr<kit::Timer> limit_, pause_;
  std::unique_ptr<Dial> dial_;
  Link link_;
};

// Bytes for people: printable ASCII as it is, backslash doubled, `\n`, `\r`, `\t`, anything else `\xnn`.
std::string escape_bytes(std::string_view bytes);

}  // namespace wafd::forward
