#include "forward/ring/cursor_store.h"

#include <algorithm>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include "tests/forward/ring_support.h"

namespace wafd::forward {
namespace {

const std::string kGeneration = "0123456789abcdef0123456789abcdef";

std::unique_ptr<CursorStore> open_store(const std::string& path) {
  auto store = CursorStore::open(path);
  EXPECT_TRUE(store) << (store ? "" : store.error().what);
  return store ? std::move(*store) : nullptr;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
}

TEST(CursorStore, SetGetRemoveAcrossReopening) {
  const TempFolder folder;
  const std::string path = folder.file("cursors");
  const Cursor cursor{kGeneration, 42, 7};
  {
    const auto store = open_store(path);
    EXPECT_EQ(store->max_seq(), 1u);
    EXPECT_FALSE(store->get("a"));
    ASSERT_TRUE(store->set("a", {kGeneration, 41, 6}));
    ASSERT_TRUE(store->set("a", cursor));
    ASSERT_TRUE(store->set("b", {kGeneration, 9, 1}));
    ASSERT_TRUE(store->set("c", {kGeneration, 100, 1}));
    store->remove("c");
    store->remove("never there");
  }
  const auto store = open_store(path);
  EXPECT_EQ(store->get("a"), cursor);
  EXPECT_EQ(store->get("b"), (Cursor{kGeneration, 9, 1}));
  EXPECT_FALSE(store->get("c"));
  EXPECT_EQ(store->max_seq(), 42u);
  EXPECT_EQ(store->list().size(), 2u);
}

TEST(CursorStore, Limits) {
  const TempFolder folder;
  const auto store = open_store(folder.file("cursors"));
  EXPECT_EQ(store->set("", {}).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(store->set(std::string(65, 'a'), {}).error().code, ErrorCode::kTooLarge);
  ASSERT_TRUE(store->set(std::string(64, 'a'), {kGeneration, 5, 5}));
  for (std::size_t i = 1; i < CursorStore::kSlots; ++i) ASSERT_TRUE(store->set("t" + std::to_string(i), {}));
  EXPECT_EQ(store->set("one more", {}).error().code, ErrorCode::kResource);
  store->remove("t3");
  EXPECT_TRUE(store->set("one more", {kGeneration, 8, 8}));
  EXPECT_EQ(store->get(std::string(64, 'a')), (Cursor{kGeneration, 5, 5}));
}

// Whatever byte of the newest write is damaged, the write before it is read.
TEST(CursorStore, TornWriteFallsBackToThePrevious) {
  const TempFolder folder;
  const std::string path = folder.file("cursors");
  { ASSERT_TRUE(open_store(path)->set("a", {kGeneration, 41, 6})); }
  const std::string before = read_file(path);
  { ASSERT_TRUE(open_store(path)->set("a", {kGeneration, 42, 7})); }
  const std::string after = read_file(path);
  ASSERT_EQ(before.size(), after.size());
  int fallen_back = 0;
  for (std::size_t at = 0; at < after.size(); ++at) {
    if (before[at] == after[at]) continue;
    std::string torn = after;
    torn[at] = before[at];  // as if that store had not happened yet
    write_file(path, torn);
    write_file(path + ".copy", torn);
    const auto cursor = open_store(path)->get("a");
    ASSERT_TRUE(cursor) << at;
    EXPECT_EQ(*cursor, (Cursor{kGeneration, 41, 6})) << at;
    ++fallen_back;
  }
  EXPECT_GT(fallen_back, 10);
  write_file(path, after);
  EXPECT_EQ(open_store(path)->get("a"), (Cursor{kGeneration, 42, 7}));
}

// 200 ways of damage to the file, to its copy, and to both. One of the two is enough for every cursor; with
// both damaged nothing is read that was not there, and it is said that cursors may be gone.
TEST(CursorStore, DamageIsReadFromTheCopyAndSaid) {
  const TempFolder folder;
  const std::string path = folder.file("cursors"), copy = path + ".copy";
  {
    const auto store = open_store(path);
    EXPECT_TRUE(store->recovery().lost) << "new: the caller knows whether there was anything";
    EXPECT_EQ(store->recovery().text, "");
    for (std::uint64_t i = 0; i < 20; ++i)
      ASSERT_TRUE(store->set("target-" + std::to_string(i), {kGeneration, 100 + i, 5}));
    store->remove("target-7");
  }
  const std::string sound = read_file(path);
  ASSERT_EQ(read_file(copy), sound);
  // But for the hint that no checksum covers.
  const auto list_of = [](const CursorStore& store) {
    auto list = store.list();
    for (auto& [id, cursor] : list) cursor.sent_ahead = 0;
    return list;
  };
  const auto listed = list_of(*open_store(path));
  ASSERT_EQ(listed.size(), 19u);
  EXPECT_EQ(open_store(path)->recovery().text, "");
  EXPECT_FALSE(open_store(path)->recovery().lost);

  std::uint64_t state = 7;
  const auto next = [&state](std::size_t below) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::size_t>(state >> 33) % below;
  };
  // Empty text: the file is gone.
  const auto damaged = [&](int way) -> std::optional<std::string> {
    std::string text = sound;
    switch (way % 8) {
      case 0:
        return std::nullopt;
      case 1:
        return std::string();
      case 2:
        return text.substr(0, 1 + next(text.size() - 1));
      case 3:
        return std::string(text.size(), '\0');
      case 4:  // everything behind the head
        return text.substr(0, 4096) + std::string(text.size() - 4096, '\0');
      case 5:
        for (char& c : text) c = static_cast<char>(next(256));
        return text;
      case 6: {  // zeros or noise from somewhere on
        const std::size_t at = next(text.size()), size = 1 + next(20'000);
        for (std::size_t i = at; i < std::min(text.size(), at + size); ++i)
          text[i] = static_cast<char>(way % 16 < 8 ? 0 : next(256));
        return text;
      }
      default:
        text[next(text.size())] = static_cast<char>(next(256));
        return text;
    }
  };
  const auto put = [](const std::string& file, const std::optional<std::string>& text) {
    std::filesystem::remove(file);
    if (text) write_file(file, *text);
  };
  int missed = 0;
  for (int way = 0; way < 200; ++way) {
    for (int which = 0; which < 3; ++which) {
      const auto text = damaged(way);
      put(path, which == 1 ? std::optional(sound) : text);
      put(copy, which == 0 ? std::optional(sound) : text);
      auto store = open_store(path);
      ASSERT_TRUE(store) << way;
      if (which < 2) {
        EXPECT_EQ(list_of(*store), listed) << "way " << way << ", file " << which;
        EXPECT_FALSE(store->recovery().lost) << way;
      } else {
        // A removed one may come back, which nobody has a use for.
        auto now_listed = list_of(*store);
        std::erase_if(now_listed, [](const auto& item) { return item.first == "target-7"; });
        for (const auto& cursor : now_listed)
          EXPECT_NE(std::find(listed.begin(), listed.end(), cursor), listed.end()) << way;
        if (now_listed != listed) {
          ++missed;
          EXPECT_TRUE(store->recovery().lost) << way;
          if (text) {
            EXPECT_NE(store->recovery().text.find(path + " was "), std::string::npos) << way;
          }
        }
      }
      // Both are whole again.
      ASSERT_TRUE(store->set("target-1", {kGeneration, 500, 1}));
      store.reset();
      const auto again = open_store(path);
      EXPECT_FALSE(again->recovery().lost) << way;
      EXPECT_EQ(again->recovery().text, "") << way;
      EXPECT_EQ(again->get("target-1")->next_seq, 500u);
      std::filesystem::remove(path + ".damaged");
    }
  }
  EXPECT_GT(missed, 100);
}

// A file of the version before has no count and no copy.
TEST(CursorStore, ReadsAFileThatDoesNotCount) {
  const TempFolder folder;
  const std::string path = folder.file("cursors");
  { ASSERT_TRUE(open_store(path)->set("a", {kGeneration, 41, 6})); }
  std::string text = read_file(path);
  text.replace(64, 12, 12, '\0');
  write_file(path, text);
  std::filesystem::remove(path + ".copy");
  const auto store = open_store(path);
  EXPECT_FALSE(store->recovery().lost);
  EXPECT_EQ(store->recovery().text, "");
  EXPECT_EQ(store->get("a"), (Cursor{kGeneration, 41, 6}));
}

TEST(CursorStore, PutsForeignFilesAsideAndRefusesLaterFormatsAndASecondOpening) {
  const TempFolder folder;
  const std::string path = folder.file("cursors");
  write_file(path, "WAFDCURSORS 2\n and more of it");
  const auto later = CursorStore::open(path);
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code, ErrorCode::kInvalid);
  EXPECT_NE(later.error().what.find(path), std::string::npos);
  write_file(path, "something else entirely");
  {
    const auto foreign = open_store(path);
    EXPECT_TRUE(foreign->recovery().lost);
    EXPECT_NE(foreign->recovery().text.find(path + ".damaged"), std::string::npos);
    EXPECT_EQ(read_file(path + ".damaged"), "something else entirely");
  }
  const auto store = open_store(path);
  const auto second = CursorStore::open(path);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
  EXPECT_FALSE(CursorStore::open("/nonexistent/cursors"));
}

}  // namespace
}  // namespace wafd::forward
