#include "ingest/io/kit/stream.h"

#include <filesystem>
#include <fstream>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/io/kit/socket_stream.h"
#include "tests/ingest/io/kit/kit_support.h"

namespace wafd::kit {
namespace {

std::string temporary_folder() {
  std::string pattern = ::testing::TempDir() + "wafd-kit-XXXXXX";
  return ::mkdtemp(pattern.data());
}

TEST(Stream, CarriesBytesBothWaysOverTcpAndUnix) {
  const auto folder = temporary_folder();
  for (const std::string& path : {std::string(), folder + "/s"}) {
    Loop loop;
    Pair pair(loop, path);
    ASSERT_TRUE(pair.connected);
    pair.server->start(pair.at_server);
    pair.client->start(pair.at_client);
    pair.at_server.then = [&](std::string_view bytes) {
      EXPECT_TRUE(pair.server->write(std::string(bytes), {}));
    };
    const std::string sent("a\0b\xff", 4);
    EXPECT_TRUE(pair.client->write(sent, {}));
    EXPECT_TRUE(run_until(loop, [&] { return pair.at_client.received.size() == 4; }));
    EXPECT_EQ(pair.at_client.received, sent);
    EXPECT_EQ(pair.client->wire_bytes(), 4u);
    EXPECT_EQ(pair.server->peer().has_value(), path.empty());
    if (path.empty()) {
      EXPECT_EQ(pair.server->peer(), pair.client->local());
      EXPECT_EQ(pair.client->peer(), pair.sockets.local());
    }
    EXPECT_GE(pair.client->descriptor(), 0);
  }
  std::filesystem::remove_all(folder);
}

TEST(Listener, WithoutADescriptorTheLoopGoesOnAndLaterAccepts) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP()
      << "the sanitizer of undefined behaviour looks at memory through a pipe, which needs descriptors";
#endif
  Loop loop;
  auto sockets = ListenSockets::tcp(*Endpoint::parse("127.0.0.1:0"), 1).value();
  std::unique_ptr<Stream> accepted;
  Listener listener(loop, sockets.take(0), false,
                    [&](std::unique_ptr<Stream> stream) { accepted = std::move(stream); });
  const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_storage address{};
  to_sockaddr(sockets.local(), address);
  ASSERT_EQ(::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof(sockaddr_in)), 0);
  rlimit enough{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &enough), 0);
  // Below every number that is in use: not even libuv's spare descriptor helps.
  const rlimit none{3, enough.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  int turns = 0;
  Timer turn(loop, [&] { ++turns; });
  turn.start(1, 1);
  EXPECT_TRUE(run_until(loop, [&] { return turns >= 20; }));
  EXPECT_EQ(accepted, nullptr);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &enough), 0);
  EXPECT_TRUE(run_until(loop, [&] { return accepted != nullptr; }));
  ::close(client);
}

TEST(Stream, LargeWriteIsQueuedBoundedAndTold) {
  Loop loop;
  Pair pair(loop);
  ASSERT_TRUE(pair.connected);
  pair.client->start(pair.at_client);
  pair.client->set_max_queued_bytes(1 << 20);
  // Nobody reads at the server yet, so the second must wait and a third find the bound passed.
  const std::string big(32 << 20, 'x');
  int written = 0, refused = 0;
  EXPECT_TRUE(pair.client->write(big, [&](bool ok) { written += ok; }));
  EXPECT_EQ(written, 0);
  ASSERT_GT(pair.client->queued_bytes(), 1u << 20);
  refused += !pair.client->write("more", {});
  EXPECT_EQ(refused, 1);
  pair.server->start(pair.at_server);
  EXPECT_TRUE(run_until(loop, [&] { return pair.at_server.received.size() == big.size(); }));
  EXPECT_TRUE(run_until(loop, [&] { return written == 1; }));
  EXPECT_GE(pair.at_client.writable, 1);
  EXPECT_EQ(pair.client->queued_bytes(), 0u);
  EXPECT_TRUE(pair.client->write("more", {}));
  EXPECT_TRUE(run_until(loop, [&] { return pair.at_server.received.size() == big.size() + 4; }));
}

TEST(Stream, PiecesArriveAsOneText) {
  Loop loop;
  Pair pair(loop);
  ASSERT_TRUE(pair.connected);
  pair.client->start(pair.at_client);
  std::string all;  // more than the socket takes at once, in more pieces than one system call does
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < 3000; ++i) {
    pieces.emplace_back(i % 7 == 0 ? 0 : 4000 + i, static_cast<char>('a' + i % 26));
    all += pieces.back();
  }
  const std::vector<std::string_view> parts(pieces.begin(), pieces.end());
  pair.client->set_max_queued_bytes(1 << 20);
  EXPECT_TRUE(pair.client->write_parts({}));
  EXPECT_TRUE(pair.client->write_parts(parts));
  ASSERT_GT(pair.client->queued_bytes(), 1u << 20);
  EXPECT_FALSE(pair.client->write_parts(parts));  // bytes wait already: nothing of these was taken
  pieces.clear();                                 // what waits was copied
  pair.server->start(pair.at_server);
  EXPECT_TRUE(run_until(loop, [&] { return pair.at_server.received.size() >= all.size(); }));
  EXPECT_TRUE(pair.at_server.received == all);
  EXPECT_EQ(pair.client->wire_bytes(), all.size());
  EXPECT_GE(pair.at_client.writable, 1);
}

TEST(Stream, CloseDeliversWhatIsQueuedAndEof) {
  Loop loop;
  Pair pair(loop);
  ASSERT_TRUE(pair.connected);
  pair.client->start(pair.at_client);
  // The server has unread bytes: a plain close() of the socket would reset and lose the answer.
  EXPECT_TRUE(pair.client->write("unread request", {}));
  EXPECT_TRUE(pair.server->write(std::string(8 << 20, 'y'), {}));
  pair.server->close();
  pair.server.reset();  // the farewell goes on by itself
  EXPECT_TRUE(run_until(loop, [&] { return pair.at_client.ended; }));
  EXPECT_EQ(pair.at_client.end.kind, StreamEndKind::kEof);
  EXPECT_EQ(pair.at_client.received.size(), 8u << 20);
}

TEST(Stream, AfterTheEndOfWritingReadingGoesOnUntilThePeerHasReadAll) {
  Loop loop;
  Pair pair(loop);
  ASSERT_TRUE(pair.connected);
  pair.client->start(pair.at_client);
  EXPECT_TRUE(pair.client->write(std::string(8 << 20, 'x'), {}));
  pair.client->end_writing();
  EXPECT_FALSE(pair.client->write("more", {}));
  pair.at_server.at_end = [&] {
    EXPECT_EQ(pair.at_server.received.size(), 8u << 20);
    EXPECT_FALSE(pair.at_client.ended);
    EXPECT_TRUE(pair.server->write("the last answer", {}));
    pair.server->close();
  };
  pair.server->start(pair.at_server);
  EXPECT_TRUE(run_until(loop, [&] { return pair.at_client.ended; }));
  EXPECT_EQ(pair.at_client.end.kind, StreamEndKind::kEof);
  EXPECT_EQ(pair.at_client.received, "the last answer");
}

TEST(Stream, AfterTheEndOfWritingAPeerThatHasNotReadAllIsAnError) {
  Loop loop;
  Pair pair(loop);
  ASSERT_TRUE(pair.connected);
  pair.client->start(pair.at_client);
  EXPECT_TRUE(pair.client->write("unread", {}));
  pair.client->end_writing();
  pollfd unread{pair.server->descriptor(), POLLIN, 0};
  ASSERT_EQ(::poll(&unread, 1, 10'000), 1);
  pair.server.reset();
  EXPECT_TRUE(run_until(loop, [&] { return pair.at_client.ended; }));
  EXPECT_EQ(pair.at_client.end.kind, StreamEndKind::kError);
  pair.client->close();
}

TEST(Stream, FarewellToSilentPeerEndsWithTheLoop) {
  Loop loop;
  Pair pair(loop);
  ASSERT_TRUE(pair.connected);
  EXPECT_TRUE(pair.server->write(std::string(32 << 20, 'y'), {}));
  pair.server->close();
  pair.server.reset();
}  // ~Loop must neither hang nor leak

TEST(Stream, ResetIsAnError) {
  Loop loop;
  Pair pair(loop);
  ASSERT_TRUE(pair.connected);
  pair.server->start(pair.at_server);
  const linger hard{1, 0};
  ASSERT_EQ(::setsockopt(pair.client->descriptor(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard), 0);
  pair.client.reset();
  EXPECT_TRUE(run_until(loop, [&] { return pair.at_server.ended; }));
  EXPECT_EQ(pair.at_server.end.kind, StreamEndKind::kError);
  EXPECT_EQ(pair.at_server.end.error.what, "read: connection reset by peer");
}

TEST(Stream, MayBeDestroyedInItsCallbacks) {
  Loop loop;
  {
    Pair pair(loop);
    pair.server->start(pair.at_server);
    pair.at_server.then = [&](std::string_view) { pair.server.reset(); };
    EXPECT_TRUE(pair.client->write("x", {}));
    EXPECT_TRUE(run_until(loop, [&] { return pair.server == nullptr; }));
  }
  {
    Pair pair(loop);
    pair.server->start(pair.at_server);
    pair.at_server.at_end = [&] { pair.server.reset(); };
    pair.client.reset();
    EXPECT_TRUE(run_until(loop, [&] { return pair.server == nullptr; }));
  }
  {
    Pair pair(loop);
    pair.server->start(pair.at_server);
    EXPECT_TRUE(pair.client->write("x", [&](bool) { pair.client.reset(); }));
    EXPECT_TRUE(run_until(loop, [&] { return pair.client == nullptr; }));
  }
  {
    Pair pair(loop);
    bool called = false;
    EXPECT_TRUE(pair.client->write(std::string(32 << 20, 'z'), [&](bool) { called = true; }));
    pair.client.reset();
    for (int i = 0; i < 10; ++i) loop.run_once();
    EXPECT_FALSE(called) << "no callback after the destructor";
  }
}

TEST(Stream, IdleTimeoutIsTold) {
  Loop loop;
  Pair pair(loop);
  ASSERT_TRUE(pair.connected);
  pair.server->start(pair.at_server);
  pair.server->set_idle_timeout_ms(20);
  EXPECT_TRUE(run_until(loop, [&] { return pair.at_server.ended; }));
  EXPECT_EQ(pair.at_server.end.kind, StreamEndKind::kIdle);
}

TEST(Stream, PauseHoldsBytesBack) {
  Loop loop;
  Pair pair(loop);
  ASSERT_TRUE(pair.connected);
  pair.server->start(pair.at_server);
  pair.client->start(pair.at_client);
  pair.server->pause();
  EXPECT_TRUE(pair.client->write("held", {}));
  // An exchange on a second pair shows that the loop had its chance to read.
  Pair other(loop);
  EXPECT_EQ(pair.at_server.received, "");
  pair.server->resume();
  EXPECT_TRUE(run_until(loop, [&] { return pair.at_server.received == "held"; }));
}

TEST(ListenSockets, TakenPortIsAnErrorThatNamesIt) {
  auto first = ListenSockets::tcp(*Endpoint::parse("127.0.0.1:0"), 2);
  ASSERT_TRUE(first);
  EXPECT_NE(first->local().port, 0);
  const auto second = ListenSockets::tcp(first->local(), 2);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
  EXPECT_EQ(second.error().what, "listen on " + first->local().text() + ": address already in use");
}

TEST(ListenSockets, UnixSocketModeStaleFileAndTakenPath) {
  const auto folder = temporary_folder();
  const auto path = folder + "/s";
  {
    auto sockets = ListenSockets::unix_stream(path, 0620, 3);
    ASSERT_TRUE(sockets);
    EXPECT_EQ(sockets->size(), 3u);
    EXPECT_EQ(sockets->text(), "unix:" + path);
    struct stat found {};
    ASSERT_EQ(::stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777u, 0620u);
    const auto again = ListenSockets::unix_stream(path, 0620, 1);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, ErrorCode::kConflict);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  {
    // A file left behind by a process that was killed.
    auto crashed = ListenSockets::unix_stream(path, 0600, 1);
    ASSERT_TRUE(crashed);
    std::filesystem::create_hard_link(path, folder + "/stale");
  }
  EXPECT_TRUE(ListenSockets::unix_stream(folder + "/stale", 0600, 1));
  { std::ofstream(folder + "/file") << "x"; }
  EXPECT_FALSE(ListenSockets::unix_stream(folder + "/file", 0600, 1));
  EXPECT_TRUE(std::filesystem::exists(folder + "/file"));
  EXPECT_FALSE(ListenSockets::unix_stream(std::string(200, 'a'), 0600, 1));
  EXPECT_EQ(ListenSockets::unix_stream("/nonexistent-folder/s", 0600, 1).error().code, ErrorCode::kMissing);
  std::filesystem::remove_all(folder);
}

TEST(ListenSockets, ReusePortSpreadsOverLoops) {
  Loop loop;
  auto sockets = ListenSockets::tcp(*Endpoint::parse("127.0.0.1:0"), 2).value();
  int accepted[2] = {0, 0};
  std::vector<std::unique_ptr<Stream>> kept;
  Listener a(loop, sockets.take(0), false, [&](auto s) { ++accepted[0], kept.push_back(std::move(s)); });
  Listener b(loop, sockets.take(1), false, [&](auto s) { ++accepted[1], kept.push_back(std::move(s)); });
  std::vector<std::unique_ptr<Connector>> connectors;
  ConnectOptions options;
  options.to = sockets.local();
  for (int i = 0; i < 64; ++i) {
    connectors.push_back(std::make_unique<Connector>(loop, options, [&](auto r) {
      if (r) kept.push_back(std::move(*r));
    }));
  }
  EXPECT_TRUE(run_until(loop, [&] { return accepted[0] + accepted[1] == 64 && kept.size() == 128; }));
  EXPECT_GT(accepted[0], 0);
  EXPECT_GT(accepted[1], 0);
}

TEST(Connector, RefusedTimedOutAndSource) {
  Loop loop;
  Endpoint closed;
  { closed = ListenSockets::tcp(*Endpoint::parse("127.0.0.1:0"), 1)->local(); }
  std::string said;
  const auto attempt = [&](const ConnectOptions& options) {
    said.clear();
    bool inside = true;
    Connector connector(loop, options, [&](Result<std::unique_ptr<Stream>> r) {
      EXPECT_FALSE(inside);
      said = r ? (*r)->local()->address.text() : r.error().what;
    });
    inside = false;
    EXPECT_TRUE(run_until(loop, [&] { return !said.empty(); }));
    return said;
  };
  ConnectOptions options;
  options.to = closed;
  EXPECT_EQ(attempt(options), "connect to " + closed.text() + ": connection refused");

  auto sockets = ListenSockets::tcp(*Endpoint::parse("127.0.0.1:0"), 1).value();
  options.to = sockets.local();
  options.source = IpAddress::parse("127.0.0.9");
  EXPECT_EQ(attempt(options), "127.0.0.9");
  options.source = IpAddress::parse("192.0.2.1");  // not ours
  EXPECT_EQ(attempt(options), "connect to " + options.to.text() + ": address not available");
  options.source.reset();
  options.unix_path = "/nonexistent-folder/s";
  EXPECT_EQ(attempt(options), "connect to unix:/nonexistent-folder/s: no such file or directory");
}

TEST(Connector, TimesOutOnAFullBacklog) {
  // A listener that nobody accepts from and whose backlog is full drops further SYNs.
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(fd, 0), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  Loop loop;
  ConnectOptions options;
  options.to = Endpoint{*IpAddress::parse("127.0.0.1"), ntohs(address.sin_port)};
  options.timeout_ms = 50;
  std::vector<std::unique_ptr<Connector>> connectors;
  std::vector<std::unique_ptr<Stream>> kept;
  std::string said;
  for (int i = 0; i < 8; ++i) {
    connectors.push_back(std::make_unique<Connector>(loop, options, [&](auto r) {
      if (r) {
        kept.push_back(std::move(*r));
      } else {
        said = r.error().what;
      }
    }));
  }
  EXPECT_TRUE(run_until(loop, [&] { return !said.empty(); }));
  EXPECT_EQ(said, "connect to " + options.to.text() + ": timed out after 50 ms");
  ::close(fd);
}

TEST(Connector, GivenUpIsSilent) {
  Loop loop;
  auto sockets = ListenSockets::tcp(*Endpoint::parse("127.0.0.1:0"), 1).value();
  ConnectOptions options;
  options.to = sockets.local();
  bool called = false;
  {
    Connector connector(loop, options, [&](auto) { called = true; });
  }
  for (int i = 0; i < 10; ++i) loop.run_once();
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace wafd::kit
