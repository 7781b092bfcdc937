// One target at work: reads the ring, makes messages, writes them to the receiver, keeps the state machine's
// word.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "forward/format/message.h"
#include "forward/io/producers/producer.h"
#include "forward/io/target_link.h"
#include "forward/io/tls_settings.h"
#include "forward/query/event_query.h"
#include "forward/ring/ring.h"
#include "forward/target/delivery.h"
#include "forward/target/node_beat.h"
#include "forward/target/target_machine.h"
#include "ingest/io/kit/tls.h"

namespace wafd::forward {

class TargetRunner;
class ProducerReaper;

struct RunnerParts {
  kit::Loop& loop;
  const Clock& clock;
  Random& random;
  const Ring& ring;
  std::string node;
  ZoneTime zone;
  std::vector<Endpoint> own_listeners;
  kit::ResolveOptions resolve;
  MachineOptions machine;  // transport, endpoints and rate limit are filled from the target
  bool paced = true;       // off for measurements of the cost alone
  std::function<void(const TargetRunner&)> on_progress;  // after each batch: settled() may have moved
  std::shared_ptr<ProducerReaper> producer_reaper = {};  // none: a producer's end is waited for
  std::shared_ptr<const NodeBeat> beat = {};             // for databases; may be none
  std::int64_t silent_ms = 60'000;    // peer_silent(): a receiver that is gone without a word
  std::int64_t file_look_ms = 5'000;  // how often certificate files are looked at
};

// Lives on the delivery loop. Nothing given to the kernel or libuv points into the ring. Memory: one batch
// (128 KiB), the marks of the replay window, 1,000 audit lines that wait and 10,000 that are not settled.
class TargetRunner {
 public:
  // `filter` was parsed from the target's. A disabled target does nothing but keep its place.
  TargetRunner(const RunnerParts& parts, TargetSettings target, EventQuery filter, Position start);
  ~TargetRunner();
  TargetRunner(const TargetRunner&) = delete;
  TargetRunner& operator=(const TargetRunner&) = delete;

  void start();
  void wake();                          // there are new records, or lines: send what may be sent now
  void audit(const std::string& json);  // if the target's streams have it
  void health(std::int64_t uptime_s);   // likewise
  // Ends in order: with `drain`, what the ring holds up to now is sent first; then what was sent is waited
  // for, at most until `deadline_us` (monotonic); `done`, if given, is called once it is finished, and may
  // not destroy it.
  void finish(bool drain, std::int64_t deadline_us, std::function<void()> done = {});
  bool finished() const noexcept { return machine_.state() == TargetState::kStopped; }

  const TargetSettings& target() const noexcept { return target_; }
  Position settled() const { return machine_.settled(); }
  std::uint64_t highest_sent() const noexcept { return machine_.highest_sent(); }
  void remember_sent(std::uint64_t seq) noexcept { machine_.remember_sent(seq); }  // before start()
  // Before start(): events before that sequence are not sent but told of in a gap message, because what of
  // them the receiver has is not known. 0: none.
  void tell_gap_to(std::uint64_t seq) noexcept { gap_to_ = seq; }
  std::uint64_t gap_to() const noexcept { return gap_to_; }
  TargetStatus status();
  const TargetCounters& counters() const noexcept { return machine_.counters(); }
  bool trouble() const noexcept;  // whether summary() tells of something that is not well
  std::string summary() const;    // for the log: "up, 10.0.0.1:514" or "waiting, connect to …"
  void adopt_counters(const TargetRunner& other);  // an edited target goes on counting

 private:
  struct Extra {  // a line that is in no ring
    std::string json;
    std::int64_t time_us = 0;  // Unix time
    std::uint64_t end = 0;     // bytes of the connection's messages up to its end
    bool alive = false;        // a sign of life, else a line of the audit log
    std::uint32_t id = 0;      // its sequenceId, once it was made
  };

  void apply(const TargetActions& actions);
  // Sends one batch. True: there is more, and the receiver takes it: once again in a later turn.
  bool pump();
  std::unique_ptr<TargetLink> make_link(std::size_t endpoint, TargetLink::Callbacks callbacks);
  TargetLink::Callbacks callbacks();  // of the link in use
  void dial(std::size_t endpoint);
  void up();
  void standby(std::size_t endpoint);
  void hand_over(std::int64_t now_us);
  void take_over(bool clean, std::int64_t now_us);
  void left();
  void check_name();
  void look_at_files(std::int64_t now_us);
  void note_error(std::string why);
  void drop_link();
  void failed(std::string why);
  void poll_facts(std::int64_t now_us);
  Result<std::unique_ptr<Producer>> make_producer(Producer::Callbacks callbacks);
  void dial_producer();
  bool pump_producer(std::int64_t now_us);
  bool pump_reports(std::uint64_t& budget, std::int64_t now_us);
  bool send_reports(std::uint64_t& budget, std::int64_t now_us);
  void settle(const AckWindow& window, const std::string& refusal);
  void arm(std::int64_t now_us);
  void after_finish(std::int64_t now_us);
  void end_in_order(bool clean);
  void told_finished();

  enum class StepKind : std::uint8_t { kEvent, kSkipped, kGap, kExtra };
  struct Mark {
    StepKind kind;
    bool truncated;
    std::uint32_t bytes;
    Position behind;
  };
  // `lasting`: the content stays where it is until the reader reads again.
  Producer::Message message_of(StepKind kind, const Message& m) const;
  using Step = std::function<bool(StepKind, const Message&, const Position& behind, bool lasting)>;
  struct Piece {  // of a batch: bytes elsewhere, or (`elsewhere` null) the batch's own at an offset
    const char* elsewhere;
    std::size_t offset, size;
  };
  void add_frame(const Message& message, bool lasting);
  bool write_batch();
  void pass_events();
  bool each_message(std::uint64_t budget, const Step& step);
  const RecordView* with_report(const RecordView& record, std::int64_t now_ms);
  void note(StepKind kind, const Position& behind, std::uint64_t bytes, bool truncated, std::int64_t now_us);
  bool pump_stream(std::int64_t now_us);
  void mark_ciphertext();
  bool pump_datagrams(std::int64_t now_us);
  std::uint32_t next_id(std::uint32_t id) const;
  void requeue_extras(const Position& from);
  bool each_line(std::uint64_t& budget, Position& at, bool all, const Step& step);
  void settle_extras(std::uint64_t bytes);

  RunnerParts parts_;
  TargetSettings target_;
  EventQuery filter_;
  bool wants_events_, wants_audit_, wants_health_;
  MessageMaker maker_;
  TargetMachine machine_;
  RingReader reader_;
  std::unique_ptr<TargetLink> link_;     // none: the machine waits
  std::unique_ptr<TargetLink> standby_;  // to the first receiver, or to where the name leads now
  std::unique_ptr<kit::ResolveQuery> name_check_;
  std::unique_ptr<Producer> producer_;  // instead of a link
  RingReader reports_reader_;
  std::uint64_t reports_place_ = 0;         // reports before it were seen
  std::deque<std::uint64_t> late_reports_;  // sequences of events that were read before their report came
  bool one_by_one_ = false;                 // the last producer had a batch refused
  std::uint64_t rejected_seen_ = 0;         // of the present window of RELP or the producer
  TlsSource tls_;
  std::size_t attempts_ = 0;
  std::int64_t facts_at_us_ = 0;
  std::int64_t files_at_us_ = INT64_MIN;
  const RecordView* record_ = nullptr;  // during a step of each_message: of an event
  std::vector<Mark> marks_;             // of the batch being made
  std::vector<Piece> pieces_;           // likewise, in order
  std::string batch_;                   // likewise: heads of frames, and contents that do not last
  std::vector<std::string_view> parts_out_;
  std::uint64_t batch_bytes_ = 0;           // made so far, over all batches
  bool retry_soon_ = false;                 // the socket's buffer was full
  std::size_t batch_records_ = SIZE_MAX;    // read at once; less behind an event that waits
  std::int64_t hold_until_us_ = INT64_MAX;  // monotonic: the next event waits for its report until then
  RecordView reported_;                     // the event at hand with its report, or without
  std::string reported_json_;
  std::deque<Extra> extras_, extras_sent_;  // waiting; written and not settled
  std::optional<std::int64_t> last_event_ms_;
  std::int64_t last_error_ms_ = 0, last_sent_ms_ = 0;
  std::int64_t wall_ms_ = 0;  // of this turn
  bool finishing_ = false;
  std::function<void()> on_finished_;
  std::uint64_t gap_to_ = 0;
  std::uint64_t drain_to_ = 0;  // sequence; 0: send nothing more
  std::int64_t finish_deadline_us_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  kit::Timer timer_;  // whatever is due next
};

}  // namespace wafd::forward
