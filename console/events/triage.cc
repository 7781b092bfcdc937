#include "console/events/triage.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "console/base/json_text.h"
#include "files/small_file.h"

namespace wafd::console {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t kMaxFileBytes = 64u << 20;

std::string text_in(const object& from, std::string_view name) {
  return std::string(text_member(from, name));
}
std::int64_t number_of(const object& from, std::string_view name) {
  const value* found = from.if_contains(name);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}
bool is_true(const object& from, std::string_view name) {
  const value* found = from.if_contains(name);
  return found != nullptr && found->is_bool() && found->get_bool();
}
// Calls `each` with the objects of a list.
template <class Each>
void for_each(const object& from, std::string_view name, Each each) {
  const value* found = from.if_contains(name);
  const array* list = found == nullptr ? nullptr : found->if_array();
  if (list == nullptr) return;
  for (const value& item : *list) {
    if (const object* one = item.if_object()) each(*one);
  }
}

// The object in a file of the folder; nothing if there is none, or it is damaged (then `notice` says so).
std::optional<object> read_object(const std::string& path, std::string& notice) {
  const auto bytes = read_file(path, kMaxFileBytes);
  if (!bytes && bytes.error().code == ErrorCode::kMissing) return std::nullopt;
  boost::system::error_code error;
  value document = bytes ? boost::json::parse(*bytes, error) : value();
  if (bytes && !error && document.is_object()) return std::move(document.get_object());
  std::rename(path.c_str(), (path + ".damaged").c_str());
  notice +=
      (notice.empty() ? "" : "; ") + path + " is damaged, put aside as " + path + ".damaged and begun anew";
  return std::nullopt;
}

}  // namespace

const char* to_string(Label label) noexcept {
  switch (label) {
    case Label::kTruePositive:
      return "true_positive";
    case Label::kFalsePositive:
      return "false_positive";
    case Label::kNone:
      break;
  }
  return "";
}

std::optional<Label> parse_label(std::string_view text) noexcept {
  for (const Label label : {Label::kNone, Label::kTruePositive, Label::kFalsePositive}) {
    if (text == to_string(label)) return label;
  }
  return std::nullopt;
}

TriageStore TriageStore::open(const std::string& state_dir) {
  TriageStore store;
  store.folder_ = state_dir;
  if (const auto root = read_object(state_dir + "/triage.json", store.notice_)) {
    for_each(*root, "triage", [&](const object& one) {
      const auto id = EventId::parse(text_member(one, "id"));
      if (!id) return;
      store.triage_[*id] = {is_true(one, "closed"),
                            parse_label(text_member(one, "label")).value_or(Label::kNone),
                            text_in(one, "note"), text_in(one, "by"), number_of(one, "at_ms")};
    });
    for_each(*root, "views", [&](const object& one) {
      store.views_.push_back({text_in(one, "id"), text_in(one, "name"), text_in(one, "query"),
                              is_true(one, "shared"), text_in(one, "owner")});
    });
  }
  if (const auto root = read_object(state_dir + "/pins.json", store.notice_)) {
    for_each(*root, "pins", [&](const object& one) {
      const auto id = EventId::parse(text_member(one, "id"));
      if (id) store.pins_[*id] = {text_in(one, "by"), number_of(one, "at_ms"), text_in(one, "event")};
    });
  }
  store.make_marks();
  return store;
}

void TriageStore::make_marks() {
  auto marks = std::make_shared<Marks>();
  marks->reserve(triage_.size() + pins_.size());
  for (const auto& [id, triage] : triage_) {
    const unsigned bits = (triage.closed ? 1u : 0u) | (triage.label == Label::kTruePositive ? 2u : 0u) |
                          (triage.label == Label::kFalsePositive ? 4u : 0u);
    if (bits != 0) (*marks)[id_prefix(id)] = static_cast<std::uint8_t>(bits);
  }
  for (const auto& item : pins_) {
    std::uint8_t& bits = (*marks)[id_prefix(item.first)];
    bits = static_cast<std::uint8_t>(bits | static_cast<std::uint8_t>(MarkBit::kPinned));
  }
  marks_ = std::move(marks);
}

const Triage* TriageStore::triage_of(const EventId& id) const noexcept {
  const auto found = triage_.find(id);
  return found == triage_.end() ? nullptr : &found->second;
}

Result<void> TriageStore::save_triage() const {
  array marks;
  for (const auto& [id, one] : triage_) {
    marks.push_back({{"id", id.text()},
                     {"closed", one.closed},
                     {"label", to_string(one.label)},
                     {"note", one.note},
                     {"by", one.by},
                     {"at_ms", one.at_ms}});
  }
  array views;
  for (const SavedView& view : views_) {
    views.push_back({{"id", view.id},
                     {"name", view.name},
                     {"query", view.query},
                     {"shared", view.shared},
                     {"owner", view.owner}});
  }
  object out;
  out["version"] = 1;
  out["triage"] = std::move(marks);
  out["views"] = std::move(views);
  return write_file(folder_ + "/triage.json", boost::json::serialize(out));
}

Result<void> TriageStore::save_pins() const {
  array pins;
  for (const auto& [id, pin] : pins_)
    pins.push_back({{"id", id.text()}, {"by", pin.by}, {"at_ms", pin.at_ms}, {"event", pin.event}});
  object out;
  out["version"] = 1;
  out["pins"] = std::move(pins);
  return write_file(folder_ + "/pins.json", boost::json::serialize(out));
}

Result<void> TriageStore::set_triage(const std::vector<std::pair<EventId, Triage>>& changes) {
  auto before = triage_;
  const std::uint64_t forgotten_before = forgotten_;
  for (const auto& [id, triage] : changes) {
    // A triage at its defaults is not stored.
    if (!triage.closed && triage.label == Label::kNone && triage.note.empty()) {
      triage_.erase(id);
    } else {
      triage_[id] = triage;
    }
  }
  while (triage_.size() > kMaxTriaged) {
    triage_.erase(std::min_element(triage_.begin(), triage_.end(), [](const auto& a, const auto& b) {
      return a.second.at_ms < b.second.at_ms;
    }));
    ++forgotten_;
  }
  if (auto saved = save_triage(); !saved) {
    triage_ = std::move(before);
    forgotten_ = forgotten_before;
    return saved;
  }
  make_marks();
  return {};
}

Result<void> TriageStore::pin(const EventId& id, Pin pin) {
  const bool there = pins_.contains(id);
  if (there) return {};
  if (pins_.size() >= kMaxPins) return fail(ErrorCode::kConflict, "There are 500 pinned events already.");
  pins_[id] = std::move(pin);
  if (auto saved = save_pins(); !saved) {
    pins_.erase(id);
    return saved;
  }
  make_marks();
  return {};
}

Result<bool> TriageStore::unpin(const EventId& id) {
  const auto found = pins_.find(id);
  if (found == pins_.end()) return false;
  auto node = pins_.extract(found);
  if (auto saved = save_pins(); !saved) {
    pins_.insert(std::move(node));
    return tl::unexpected<Error>(saved.error());
  }
  make_marks();
  return true;
}

Result<void> TriageStore::add_view(SavedView view) {
  if (views_.size() >= kMaxViews) return fail(ErrorCode::kConflict, "There are 500 saved views already.");
  views_.push_back(std::move(view));
  if (auto saved = save_triage(); !saved) {
    views_.pop_back();
    return saved;
  }
  return {};
}

Result<bool> TriageStore::remove_view(std::string_view id) {
  const auto found =
      std::find_if(views_.begin(), views_.end(), [&](const SavedView& view) { return view.id == id; });
  if (found == views_.end()) return false;
  const auto before = views_;
  views_.erase(found);
  if (auto saved = save_triage(); !saved) {
    views_ = before;
    return tl::unexpected<Error>(saved.error());
  }
  return true;
}

}  // namespace wafd::console
