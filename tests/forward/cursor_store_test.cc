#include "forward/cursor_store.h"

#include <fstream>

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

void write_file(const std::string& path, const std::string& octets) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << octets;
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

// Whatever octet of the newest write is damaged, the write before it is read.
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
    const auto cursor = open_store(path)->get("a");
    ASSERT_TRUE(cursor) << at;
    EXPECT_EQ(*cursor, (Cursor{kGeneration, 41, 6})) << at;
    ++fallen_back;
  }
  EXPECT_GT(fallen_back, 10);
  write_file(path, after);
  EXPECT_EQ(open_store(path)->get("a"), (Cursor{kGeneration, 42, 7}));
}

TEST(CursorStore, RefusesForeignFilesAndASecondOpening) {
  const TempFolder folder;
  const std::string path = folder.file("cursors");
  write_file(path, "something else entirely");
  const auto foreign = CursorStore::open(path);
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, ErrorCode::kInvalid);
  EXPECT_NE(foreign.error().what.find(path), std::string::npos);
  std::filesystem::remove(path);
  const auto store = open_store(path);
  const auto second = CursorStore::open(path);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
  EXPECT_FALSE(CursorStore::open("/nonexistent/cursors"));
}

}  // namespace
}  // namespace wafd::forward
