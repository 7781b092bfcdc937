// Small files of state: replaced whole, read with a limit, one writer.
#include "files/small_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temp_folder.h"

namespace wafd {
namespace {

TEST(Files, ReplacedWholeAndGuarded) {
  test::TempFolder folder;
  const std::string path = folder.path + "/x";
  EXPECT_EQ(read_file(path, 10).error().code, ErrorCode::kMissing);
  ASSERT_TRUE(write_file(path, "one"));
  ASSERT_TRUE(write_file(path, "two"));
  EXPECT_EQ(read_file(path, 10).value(), "two");
  EXPECT_EQ(read_file(path, 2).error().code, ErrorCode::kTooLarge);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_FALSE(write_file(folder.path + "/missing/x", "y"));
  auto lock = StateLock::take(folder.path);
  ASSERT_TRUE(lock);
  EXPECT_EQ(StateLock::take(folder.path).error().code, ErrorCode::kConflict);
  lock->reset();
  EXPECT_TRUE(StateLock::take(folder.path));
}

}  // namespace
}  // namespace wafd
