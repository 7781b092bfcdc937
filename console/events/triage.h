// People's own data about events: triage, pinned events that outlive the ring, saved views. `triage.json` and
// `pins.json` in the state folder, each replaced as a whole.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console/events/marks.h"
#include "detect/core/error.h"
#include "detect/core/event_id.h"

namespace wafd::console {

enum class Label : std::uint8_t { kNone, kTruePositive, kFalsePositive };
const char* to_string(Label) noexcept;  // "" | "true_positive" | "false_positive"
std::optional<Label> parse_label(std::string_view) noexcept;

struct Triage {
  bool closed = false;
  Label label = Label::kNone;
  std::string note;
  std::string by;
  std::int64_t at_ms = 0;
};

struct Pin {
  std::string by;
  std::int64_t at_ms = 0;
  std::string event;  // JSON text as the API gives the event: {"seq":…,"record":{…},"detail":{…}}
};

struct SavedView {
  std::string id;
  std::string name;
  std::string query;  // query string of the page's address, without "?"
  bool shared = false;
  std::string owner;
};

inline constexpr std::size_t kMaxTriaged =
    20'000;  // beyond: what was touched longest ago is forgotten, counted
inline constexpr std::size_t kMaxPins = 500;
inline constexpr std::size_t kMaxViews = 500;
inline constexpr std::size_t kMaxNoteBytes = 2000;
inline constexpr std::size_t kMaxViewBytes = 2000;

// One thread, but for the snapshot that marks() gives. A change that could not be saved has not happened.
class TriageStore {
 public:
  // A damaged file is put aside as NAME.damaged and begun anew; notice() says so.
  static TriageStore open(const std::string& state_dir);

  const std::string& notice() const noexcept { return notice_; }
  std::uint64_t forgotten() const noexcept {
    return forgotten_;
  }  // triage dropped for newer, since the start

  std::shared_ptr<const Marks> marks() const noexcept { return marks_; }
  const Triage* triage_of(const EventId& id) const noexcept;
  const std::map<EventId, Pin>& pins() const noexcept { return pins_; }
  const std::vector<SavedView>& views() const noexcept { return views_; }

  Result<void> set_triage(const std::vector<std::pair<EventId, Triage>>& changes);
  Result<void> pin(const EventId& id, Pin pin);
  Result<bool> unpin(const EventId& id);  // false: it was not pinned
  Result<void> add_view(SavedView view);
  Result<bool> remove_view(std::string_view id);

 private:
  Result<void> save_triage() const;
  Result<void> save_pins() const;
  void make_marks();

  std::string folder_;
  std::string notice_;
  std::uint64_t forgotten_ = 0;
  std::map<EventId, Triage> triage_;
  std::map<EventId, Pin> pins_;
  std::vector<SavedView> views_;
  std::shared_ptr<const Marks> marks_ = std::make_shared<const Marks>();
};

}  // namespace wafd::console
