#include "forward/ring/cursor_store.h"

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

constexpr char kCursorMagic[16] = "WAFDCURSORS 1\n";
constexpr std::size_t kMagicName = 12;  // without the number of the format
constexpr std::size_t kHeadBytes = 4096;
constexpr std::size_t kCountAt = 64;

// How many cursors there are; zeros: written by a version that did not count.
struct Count {
  char magic[4];
  std::uint32_t used;
  std::uint32_t crc;
};

// One place of a slot. `version` grows with every write of the slot; an empty id is a removed cursor.
struct Place {
  std::uint64_t version;
  std::uint64_t next_seq;
  std::uint32_t sequence_id;
  std::uint32_t id_bytes;
  char id[CursorStore::kMaxIdBytes];
  char generation[32];
  std::uint32_t crc;
  std::uint32_t sent_ahead;  // behind the CRC: earlier versions wrote 0 here and checked what is before it
};
static_assert(sizeof(Place) == 128);

constexpr std::size_t kFileBytes = kHeadBytes + CursorStore::kSlots * 2 * sizeof(Place);

std::uint32_t crc_of(const Place& place) noexcept {
  return crc32c({reinterpret_cast<const char*>(&place), offsetof(Place, crc)});
}

std::uint32_t crc_of(const Count& count) noexcept {
  return crc32c({reinterpret_cast<const char*>(&count), offsetof(Count, crc)});
}

Error system_failure(const std::string& what, const std::string& path) {
  return {ErrorCode::kIo, 0, path + ": " + what + ": " + std::generic_category().message(errno)};
}

bool blank(const char* bytes, std::size_t size) {
  return std::all_of(bytes, bytes + size, [](char c) { return c == '\0'; });
}

Place place_at(const char* base, std::size_t slot, std::size_t i) noexcept {
  Place place;
  std::memcpy(&place, base + kHeadBytes + (slot * 2 + i) * sizeof place, sizeof place);
  return place;
}

bool sound(const Place& place) noexcept {
  return place.version > 0 && place.crc == crc_of(place) && place.id_bytes <= sizeof place.id;
}

// The newest sound place of a slot; version 0: none.
Place best_of(const char* base, std::size_t slot) noexcept {
  Place best{};
  for (std::size_t i = 0; i < 2; ++i) {
    const Place place = place_at(base, slot, i);
    if (sound(place) && place.version > best.version) best = place;
  }
  return best;
}

// The fault of a file whose head is good; empty: nothing.
std::string damage_of(const char* base) {
  std::uint32_t used = 0;
  for (std::size_t slot = 0; slot < CursorStore::kSlots; ++slot) {
    const Place best = best_of(base, slot);
    if (best.version > 0 && best.id_bytes > 0) ++used;
    if (best.version == 0 && !blank(base + kHeadBytes + slot * 2 * sizeof(Place), 2 * sizeof(Place)))
      return "damaged";
  }
  Count count;
  std::memcpy(&count, base + kCountAt, sizeof count);
  if (blank(reinterpret_cast<const char*>(&count), sizeof count)) return "";
  if (count.crc != crc_of(count)) return "damaged";
  return used < count.used ? "damaged" : "";
}

}  // namespace

Result<void> CursorStore::open_file(const std::string& path, bool lock, File& file) {
  const auto open = [&] {
    file.fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return file.fd >= 0;
  };
  struct stat before {};
  const bool there = ::stat(path.c_str(), &before) == 0;
  if (!open()) return tl::unexpected(system_failure("cannot open the cursors", path));
  if (lock && ::flock(file.fd, LOCK_EX | LOCK_NB) != 0)
    return fail(ErrorCode::kConflict, path + ": the cursors are in use by another process");
  struct stat status {};
  if (::fstat(file.fd, &status) != 0) return tl::unexpected(system_failure("cannot read the cursors", path));
  char magic[sizeof kCursorMagic] = {};
  if (status.st_size > 0 && ::pread(file.fd, magic, sizeof magic, 0) < 0)
    return tl::unexpected(system_failure("cannot read the cursors", path));
  const auto size = static_cast<std::size_t>(status.st_size);
  if (!there) {
    file.state = "missing";
  } else if (blank(magic, sizeof magic)) {
    file.state = size == 0 ? "empty" : "zeroed";
  } else if (std::memcmp(magic, kCursorMagic, sizeof magic) != 0) {
    const char* format = magic + kMagicName;
    if (std::memcmp(magic, kCursorMagic, kMagicName) == 0 && (*format >= '2' && *format <= '9'))
      return fail(ErrorCode::kInvalid, path + ": expected a cursor file of format 1, found a later one");
    file.state = "no cursor file of ours, put aside as " + path + ".damaged";
    if (::rename(path.c_str(), (path + ".damaged").c_str()) != 0)
      return tl::unexpected(system_failure("cannot put the damaged cursors aside", path));
    ::close(file.fd);
    if (!open()) return tl::unexpected(system_failure("cannot open the cursors", path));
    if (lock && ::flock(file.fd, LOCK_EX | LOCK_NB) != 0)
      return fail(ErrorCode::kConflict, path + ": the cursors are in use by another process");
  } else if (size < kFileBytes) {
    file.state = "cut to " + std::to_string(size) + " bytes";
  }
  if (size < kFileBytes || !file.state.empty()) {
    if (const int error = ::posix_fallocate(file.fd, 0, kFileBytes); error != 0) {
      errno = error;
      return tl::unexpected(system_failure("cannot allocate the cursors", path));
    }
  }
  void* base = ::mmap(nullptr, kFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, 0);
  if (base == MAP_FAILED) return tl::unexpected(system_failure("cannot map the cursors", path));
  file.base = static_cast<char*>(base);
  if (file.state.empty()) file.state = damage_of(file.base);
  file.whole = file.state.empty();
  return {};
}

Result<std::unique_ptr<CursorStore>> CursorStore::open(const std::string& path,
                                                       std::int64_t sync_interval_ms) {
  std::unique_ptr<CursorStore> store(new CursorStore);
  File &file = store->file_, &copy = store->copy_;
  if (auto done = open_file(path, true, file); !done) return tl::unexpected(done.error());
  if (auto done = open_file(path + ".copy", false, copy); !done) {
    // Without a copy there is still the file.
    if (copy.base == nullptr) store->recovery_.text = done.error().what + "; there is no copy of the cursors";
    copy.whole = false;
  }
  store->recovery_.lost = !file.whole && !copy.whole;
  const bool fresh = file.state == "missing" && copy.state == "missing";
  if (!file.whole && !fresh) {
    store->recovery_.text =
        path + " was " + file.state + ": " +
        (copy.whole ? "the cursors were read from its copy" : "its copy was " + copy.state + ", too");
  } else if (!copy.whole && !fresh && copy.state != "missing" && !copy.state.empty()) {
    store->recovery_.text = path + ".copy was " + copy.state + ": it was made again";
  }
  store->read_all();
  store->write_all();
  store->syncer_ = std::make_unique<PeriodicThread>(sync_interval_ms, [at = file.base, too = copy.base] {
    ::msync(at, kFileBytes, MS_SYNC);
    if (too != nullptr) ::msync(too, kFileBytes, MS_SYNC);
  });
  return store;
}

CursorStore::~CursorStore() {
  syncer_.reset();
  for (const File& file : {file_, copy_}) {
    if (file.base != nullptr) ::munmap(file.base, kFileBytes);
    if (file.fd >= 0) ::close(file.fd);
  }
}

void CursorStore::read_all() {
  for (std::size_t slot = kSlots; slot-- > 0;) {
    Place best = best_of(file_.base, slot);
    if (copy_.base != nullptr)
      if (const Place other = best_of(copy_.base, slot); other.version > best.version) best = other;
    Known known{slot, best.version, {}};
    known.cursor.next_seq = best.next_seq;
    known.cursor.sequence_id = best.sequence_id;
    known.cursor.sent_ahead = best.sent_ahead;
    known.cursor.generation.assign(best.generation, strnlen(best.generation, sizeof best.generation));
    if (best.id_bytes == 0 || !known_.emplace(std::string(best.id, best.id_bytes), known).second) {
      free_.emplace_back(slot, best.version);
    }
  }
}

// Both files as they are read: what one had lost is there again, and what is damaged is gone.
void CursorStore::write_all() noexcept {
  for (const File* file : {&file_, &copy_}) {
    if (file->base == nullptr) continue;
    for (std::size_t slot = 0; slot < kSlots; ++slot)
      if (best_of(file->base, slot).version == 0)
        std::memset(file->base + kHeadBytes + slot * 2 * sizeof(Place), 0, 2 * sizeof(Place));
    std::memcpy(file->base, kCursorMagic, sizeof kCursorMagic);
  }
  for (const auto& [id, known] : known_) write(id, known);
  write_count();
}

void CursorStore::write_count() noexcept {
  Count count{{'u', 's', 'e', 'd'}, static_cast<std::uint32_t>(known_.size()), 0};
  count.crc = crc_of(count);
  for (const File* file : {&file_, &copy_})
    if (file->base != nullptr) std::memcpy(file->base + kCountAt, &count, sizeof count);
}

void CursorStore::write(std::string_view id, const Known& known) noexcept {
  Place place{};
  place.version = known.version;
  place.next_seq = known.cursor.next_seq;
  place.sequence_id = known.cursor.sequence_id;
  place.sent_ahead = known.cursor.sent_ahead;
  place.id_bytes = static_cast<std::uint32_t>(id.size());
  std::copy_n(id.begin(), id.size(), place.id);
  const auto& generation = known.cursor.generation;
  std::copy_n(generation.begin(), std::min(sizeof place.generation, generation.size()), place.generation);
  place.crc = crc_of(place);
  // The place that does not hold the version before.
  const std::size_t at = kHeadBytes + (known.slot * 2 + known.version % 2) * sizeof place;
  for (const File* file : {&file_, &copy_})
    if (file->base != nullptr) std::memcpy(file->base + at, &place, sizeof place);
}

std::optional<Cursor> CursorStore::get(std::string_view id) const {
  const std::lock_guard guard(lock_);
  const auto found = known_.find(id);
  if (found == known_.end()) return std::nullopt;
  return found->second.cursor;
}

Result<void> CursorStore::set(std::string_view id, const Cursor& cursor) {
  if (id.empty() || id.size() > kMaxIdBytes)
    return fail(ErrorCode::kTooLarge, "cursor id: expected 1 to 64 bytes");
  const std::lock_guard guard(lock_);
  auto found = known_.find(id);
  const bool fresh = found == known_.end();
  if (fresh) {
    if (free_.empty()) return fail(ErrorCode::kResource, "cursors: all 256 places are taken");
    const auto [slot, version] = free_.back();
    free_.pop_back();
    found = known_.emplace(std::string(id), Known{slot, version, {}}).first;
  }
  found->second.cursor = cursor;
  ++found->second.version;
  write(id, found->second);
  if (fresh) write_count();  // behind the place, so that a kill between them leaves one too many
  return {};
}

void CursorStore::remove(std::string_view id) {
  const std::lock_guard guard(lock_);
  const auto found = known_.find(id);
  if (found == known_.end()) return;
  Known known = found->second;
  known_.erase(found);
  write_count();
  known.cursor = {};
  ++known.version;
  write({}, known);
  free_.emplace_back(known.slot, known.version);
}

std::vector<std::pair<std::string, Cursor>> CursorStore::list() const {
  const std::lock_guard guard(lock_);
  std::vector<std::pair<std::string, Cursor>> out;
  out.reserve(known_.size());
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
