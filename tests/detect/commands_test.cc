// `wafd inspect` and `wafd rules check` as a user runs them: what they print, skip and exit with.
#include "detect/commands.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace wafd::detect {
namespace {

namespace fs = std::filesystem;

struct Ran {
  int status = -1;
  std::string out;
  std::string error;
};

class Commands : public testing::Test {
 protected:
  Commands() {
    std::string pattern = (fs::temp_directory_path() / "wafd_commands_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Commands() override { fs::remove_all(folder_); }

  void write(const std::string& name, std::string_view text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  // `arguments`, with the folder before each that begins with '/'; the folder is taken off what is printed.
  Ran run(std::vector<std::string> arguments) {
    for (std::string& argument : arguments) {
      if (argument.starts_with('/')) argument.insert(0, folder_.string());
    }
    Ran ran;
    CLI::App app;
    add_commands(app, ran.status);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    std::fflush(stdout);
    ran.out = without_folder(testing::internal::GetCapturedStdout());
    ran.error = without_folder(testing::internal::GetCapturedStderr());
    return ran;
  }

  std::string without_folder(std::string text) const {
    for (std::size_t at = 0; (at = text.find(folder_.string(), at)) != std::string::npos;)
      text.erase(at, folder_.string().size());
    return text;
  }

  fs::path folder_;
};

constexpr const char* kPlain = "GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n";

// The lines of a TSV without the last column, which is a time.
std::string without_times(const std::string& tsv) {
  std::string out;
  std::size_t at = 0;
  while (at < tsv.size()) {
    const std::size_t end = tsv.find('\n', at);
    const std::string line = tsv.substr(at, end - at);
    out += line.substr(0, line.rfind('\t')) + "\n";
    at = end + 1;
  }
  return out;
}

TEST_F(Commands, InspectSaysWhatItSkips) {
  write("in/b/one", kPlain);
  write("in/a\xff\n", "GET /?q=<script>alert(1)</script> HTTP/1.1\r\nHost: a\r\n\r\n");
  write("elsewhere/two", kPlain);
  fs::create_symlink(folder_ / "nothing", folder_ / "in/dangling");
  fs::create_symlink(folder_ / "elsewhere", folder_ / "in/folder");
  fs::create_symlink(folder_ / "elsewhere/two", folder_ / "in/file");
  ASSERT_EQ(::mkfifo((folder_ / "in/pipe").c_str(), 0600), 0);
  const Ran ran = run({"inspect", "/in"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(ran.out.starts_with("/in/a\\\\xff\\u000a\tdeny\txss\t")) << ran.out;
  EXPECT_NE(without_times(ran.out).find("\n/in/b/one\tpass\t-\t-\t-\t-\n/in/file\tpass\t-\t-\t-\t-\n"),
            std::string::npos)
      << ran.out;
  for (const char* said :
       {"/in/dangling: skipped: a link to nothing\n", "/in/folder: skipped: a link to a folder\n",
        "/in/pipe: skipped: no regular file\n"}) {
    EXPECT_NE(ran.error.find(std::string("wafd inspect: ") + said), std::string::npos) << ran.error;
  }
  EXPECT_EQ(std::count(ran.error.begin(), ran.error.end(), '\n'), 3);
}

TEST_F(Commands, InspectGoesOnBehindWhatCannotBeRead) {
  write("one", kPlain);
  const Ran ran = run({"inspect", "/missing", "/one"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.error, "wafd inspect: /missing: No such file or directory\n");
  EXPECT_EQ(without_times(ran.out), "/one\tpass\t-\t-\t-\t-\n");
}

TEST_F(Commands, RulesCheckNamesEveryMistakeOfEveryFile) {
  write("good.json",
        R"({"rules":[{"id":"a","name":"A","attack_type":"custom","risk":"low","expression":"abc"}]})");
  write("bad.json", "{\"rules\":[\n1,\n2]}");
  const Ran ran = run({"rules", "check", "/bad.json", "/missing", "/good.json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "/good.json: 1 rules, no mistakes\n");
  EXPECT_EQ(ran.error,
            "/bad.json:2: element 0 of \"rules\" is no object\n"
            "/bad.json:3: element 1 of \"rules\" is no object\n"
            "wafd rules check: /missing: No such file or directory\n");
}

TEST_F(Commands, RulesCheckStopsAtItsLimitAndSaysSo) {
  std::string text = "{\"rules\":[";
  for (int i = 0; i < 101; ++i) text += "1,";
  write("bad.json", text + "]}");
  const Ran ran = run({"rules", "check", "/bad.json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.error.ends_with("/bad.json: 100 mistakes; what follows was not looked at\n")) << ran.error;
}

}  // namespace
}  // namespace wafd::detect
