#include "forward/cursor_store.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "detect/core/digest.h"

namespace wafd::forward {
namespace {

constexpr char kMagic[16] = "WAFDCURSORS 1\n";
constexpr std::size_t kHeadOctets = 4096;

// One place of a slot. `version` grows with every write of the slot; an empty id is a removed cursor.
struct Place {
  std::uint64_t version;
  std::uint64_t next_seq;
  std::uint32_t sequence_id;
  std::uint32_t id_octets;
  char id[CursorStore::kMaxIdOctets];
  char generation[32];
  std::uint32_t crc;
  std::uint32_t sent_ahead;  // behind the CRC: earlier versions wrote 0 here and checked what is before it
};
static_assert(sizeof(Place) == 128);

constexpr std::size_t kFileOctets = kHeadOctets + CursorStore::kSlots * 2 * sizeof(Place);

std::uint32_t crc_of(const Place& place) noexcept {
  return crc32c({reinterpret_cast<const char*>(&place), offsetof(Place, crc)});
}

Error system_failure(const std::string& what, const std::string& path) {
  return {ErrorCode::kIo, 0, path + ": " + what + ": " + std::generic_category().message(errno)};
}

}  // namespace

Result<std::unique_ptr<CursorStore>> CursorStore::open(const std::string& path,
                                                       std::int64_t sync_interval_ms) {
  std::unique_ptr<CursorStore> store(new CursorStore);
  store->fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (store->fd_ < 0) return tl::unexpected(system_failure("cannot open the cursors", path));
  if (::flock(store->fd_, LOCK_EX | LOCK_NB) != 0) {
    return fail(ErrorCode::kConflict, path + ": the cursors are in use by another process");
  }
  struct stat status {};
  if (::fstat(store->fd_, &status) != 0)
    return tl::unexpected(system_failure("cannot read the cursors", path));
  char magic[sizeof kMagic] = {};
  if (status.st_size > 0 && ::pread(store->fd_, magic, sizeof magic, 0) < 0) {
    return tl::unexpected(system_failure("cannot read the cursors", path));
  }
  // All zeros: created, and then the machine stopped.
  const bool fresh = std::all_of(magic, magic + sizeof magic, [](char c) { return c == '\0'; });
  if (!fresh && std::memcmp(magic, kMagic, sizeof magic) != 0) {
    return fail(ErrorCode::kInvalid, path + ": expected a cursor file of format 1, found something else");
  }
  if (static_cast<std::size_t>(status.st_size) < kFileOctets) {
    if (const int error = ::posix_fallocate(store->fd_, 0, kFileOctets); error != 0) {
      errno = error;
      return tl::unexpected(system_failure("cannot allocate the cursors", path));
    }
  }
  void* base = ::mmap(nullptr, kFileOctets, PROT_READ | PROT_WRITE, MAP_SHARED, store->fd_, 0);
  if (base == MAP_FAILED) return tl::unexpected(system_failure("cannot map the cursors", path));
  store->base_ = static_cast<char*>(base);
  std::memcpy(store->base_, kMagic, sizeof kMagic);
  store->read_all();
  store->syncer_ = std::make_unique<PeriodicThread>(
      sync_interval_ms, [at = store->base_] { ::msync(at, kFileOctets, MS_SYNC); });
  return store;
}

CursorStore::~CursorStore() {
  syncer_.reset();
  if (base_ != nullptr) ::munmap(base_, kFileOctets);
  if (fd_ >= 0) ::close(fd_);
}

void CursorStore::read_all() {
  for (std::size_t slot = kSlots; slot-- > 0;) {
    Place best{};
    for (std::size_t i = 0; i < 2; ++i) {
      Place place;
      std::memcpy(&place, base_ + kHeadOctets + (slot * 2 + i) * sizeof place, sizeof place);
      if (place.version > best.version && place.crc == crc_of(place) && place.id_octets <= sizeof place.id)
        best = place;
    }
    Known known{slot, best.version, {}};
    known.cursor.next_seq = best.next_seq;
    known.cursor.sequence_id = best.sequence_id;
    known.cursor.sent_ahead = best.sent_ahead;
    known.cursor.generation.assign(best.generation, strnlen(best.generation, sizeof best.generation));
    if (best.id_octets == 0 || !known_.emplace(std::string(best.id, best.id_octets), known).second) {
      free_.emplace_back(slot, best.version);
    }
  }
}

void CursorStore::write(std::string_view id, const Known& known) noexcept {
  Place place{};
  place.version = known.version;
  place.next_seq = known.cursor.next_seq;
  place.sequence_id = known.cursor.sequence_id;
  place.sent_ahead = known.cursor.sent_ahead;
  place.id_octets = static_cast<std::uint32_t>(id.size());
  std::memcpy(place.id, id.data(), id.size());
  std::memcpy(place.generation, known.cursor.generation.data(),
              std::min(sizeof place.generation, known.cursor.generation.size()));
  place.crc = crc_of(place);
  // The place that does not hold the version before.
  std::memcpy(base_ + kHeadOctets + (known.slot * 2 + known.version % 2) * sizeof place, &place,
              sizeof place);
}

std::optional<Cursor> CursorStore::get(std::string_view id) const {
  const std::lock_guard guard(lock_);
  const auto found = known_.find(id);
  if (found == known_.end()) return std::nullopt;
  return found->second.cursor;
}

Result<void> CursorStore::set(std::string_view id, const Cursor& cursor) {
  if (id.empty() || id.size() > kMaxIdOctets)
    return fail(ErrorCode::kTooLarge, "cursor id: expected 1 to 64 octets");
  const std::lock_guard guard(lock_);
  auto found = known_.find(id);
  if (found == known_.end()) {
    if (free_.empty()) return fail(ErrorCode::kResource, "cursors: all 256 places are taken");
    const auto [slot, version] = free_.back();
    free_.pop_back();
    found = known_.emplace(std::string(id), Known{slot, version, {}}).first;
  }
  found->second.cursor = cursor;
  ++found->second.version;
  write(id, found->second);
  return {};
}

void CursorStore::remove(std::string_view id) {
  const std::lock_guard guard(lock_);
  const auto found = known_.find(id);
  if (found == known_.end()) return;
  Known known = found->second;
  known_.erase(found);
  known.cursor = {};
  ++known.version;
  write({}, known);
  free_.emplace_back(known.slot, known.version);
}

std::vector<std::pair<std::string, Cursor>> CursorStore::list() const {
  const std::lock_guard guard(lock_);
  std::vector<std::pair<std::string, Cursor>> out;
  for (const auto& [id, known] : known_) out.emplace_back(id, known.cursor);
  return out;
}

std::uint64_t CursorStore::max_seq() const {
  const std::lock_guard guard(lock_);
  std::uint64_t highest = 1;
  for (const auto& [id, known] : known_) highest = std::max(highest, known.cursor.next_seq);
  return highest;
}

}  // namespace wafd::forward
