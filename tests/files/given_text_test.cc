// Texts of settings that may stand in files.
#include "files/given_text.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "files/small_file.h"
#include "tests/support/temp_folder.h"

namespace wafd {
namespace {

std::string dump(const Result<std::string>& read) { return read ? "= " + *read : read.error().what; }

TEST(GivenText, OneReadingOfASecretForAllWhoHaveOne) {
  test::TempFolder folder;
  const std::string path = folder.path + "/x", given = "file:" + path;
  const struct {
    std::string content, read;
  } rows[] = {
      {"s3cret", "= s3cret"},
      {"s3cret\n", "= s3cret"},
      {"s3cret\r\n", "= s3cret"},
      {"s3cret\n\n", "= s3cret"},
      {" inner and outer spaces \n", "=  inner and outer spaces "},
      {"", "m: " + path + " is empty"},
      {"\n", "m: " + path + " is empty"},
      {"one\ntwo\n", "m: " + path + " has more than one line"},
      {"one\rtwo", "m: " + path + " has more than one line"},
      {std::string(4096, 'a'), "= " + std::string(4096, 'a')},
      {std::string(4097, 'a'), "m: " + path + " is larger than 4096 bytes"},
  };
  for (const auto& row : rows) {
    ASSERT_TRUE(write_file(path, row.content));
    EXPECT_EQ(dump(read_secret("m", given)), row.read) << row.content;
  }
}

TEST(GivenText, WhatIsNoFileIsTheTextItself) {
  for (const std::string text : {"", "s3cret", "file", "file:relative", "two\nlines\n"}) {
    EXPECT_EQ(dump(read_secret("m", text)), "= " + text);
    EXPECT_EQ(dump(read_pem("m", text)), "= " + text);
  }
}

TEST(GivenText, WhatCannotBeReadIsSaidWithItsMember) {
  test::TempFolder folder;
  const std::string missing = folder.path + "/none", pipe = folder.path + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);  // to open it must not wait for a writer
  const struct {
    std::string path, error;
  } rows[] = {
      {missing, "m: " + missing + " cannot be read: No such file or directory"},
      {folder.path, "m: " + folder.path + " is not a regular file"},
      {pipe, "m: " + pipe + " is not a regular file"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(dump(read_secret("m", "file:" + row.path)), row.error);
    EXPECT_EQ(dump(read_pem("m", "file:" + row.path)), row.error);
    EXPECT_EQ(dump(read_pem_file("m", row.path)), row.error);
  }
}

TEST(GivenText, PemIsTheWholeFile) {
  test::TempFolder folder;
  const std::string path = folder.path + "/x", given = "file:" + path;
  ASSERT_TRUE(write_file(path, "-----BEGIN X-----\nAA==\n-----END X-----\n"));
  EXPECT_EQ(dump(read_pem("m", given)), "= -----BEGIN X-----\nAA==\n-----END X-----\n");
  ASSERT_TRUE(write_file(path, std::string((1 << 20) + 1, 'a')));
  EXPECT_EQ(dump(read_pem("m", given)), "m: " + path + " is larger than 1048576 bytes");
}

}  // namespace
}  // namespace wafd
