// Small files of state: replaced whole, read with a limit, one writer.
#include "files/small_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST(Files, AFileOfSomebodyElseStaysTheirs) {
  test::TempFolder folder;
  const std::string path = folder.path + "/wafd.json", link = folder.path + "/link";
  ASSERT_TRUE(replace_file(path, "new", 0644));
  struct stat made {};
  ASSERT_EQ(::stat(path.c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 07777, 0644u);
  // Root may give it to another group, as the package does; everybody else keeps its own.
  const gid_t group = ::geteuid() == 0 ? 54321 : made.st_gid;
  ASSERT_EQ(::chown(path.c_str(), made.st_uid, group), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_EQ(::symlink("wafd.json", link.c_str()), 0);
  ASSERT_TRUE(replace_file(link, "newer", 0644));
  struct stat now {};
  ASSERT_EQ(::lstat(path.c_str(), &now), 0);
  EXPECT_TRUE(S_ISREG(now.st_mode));
  EXPECT_EQ(now.st_gid, group);
  EXPECT_EQ(now.st_uid, made.st_uid);
  EXPECT_EQ(now.st_mode & 07777, 0640u);
  EXPECT_EQ(read_file(path, 10).value(), "newer");
  ASSERT_EQ(::lstat(link.c_str(), &now), 0);
  EXPECT_TRUE(S_ISLNK(now.st_mode)) << "the link stays one";
  ASSERT_EQ(::unlink(path.c_str()), 0);
  EXPECT_EQ(replace_file(link, "x", 0644).error().code, ErrorCode::kMissing);
  EXPECT_FALSE(replace_file(folder.path + "/missing/x", "y", 0644));
}

}  // namespace
}  // namespace wafd
