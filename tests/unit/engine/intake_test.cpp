// How an agent joins, and what becomes of it when its answer is lost.
#include "engine/intake.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "store/clusters.hpp"
#include "store/nodes.hpp"
#include "store/people.hpp"

namespace sickbay::engine {
namespace {

class Joining : public testing::Test {
 protected:
  Joining() {
    ticket_.hash = sha256_hex("ticket");
    ticket_.id = "tok-1";
    ticket_.purpose = TokenPurpose::ticket;
    ticket_.cluster = "c1";
    ticket_.node = "n1";
    const auto written = store_->write([&](store::Tx& tx) -> Status {
      Cluster cluster;
      cluster.id = cluster.name = "c1";
      store::put_cluster(tx, cluster);
      Node node;
      node.id = "node-1";
      node.cluster = "c1";
      node.name = "n1";
      store::put_node(tx, node);
      store::put_token(tx, ticket_);
      return {};
    });
    EXPECT_TRUE(written);
  }

  static wire::Hello hello(const std::string& boot) {
    wire::Hello hello;
    hello.cluster = "c1";
    hello.node = "n1";
    hello.machine_id = "m1";
    hello.boot_id = boot;
    hello.stream = "stream-of-" + boot;
    return hello;
  }

  ManualClock clock_;
  SeededIds ids_{1};
  std::unique_ptr<store::Store> store_ = std::move(*store::Store::open({.url = "sqlite::memory:"}, clock_));
  Token ticket_;
  Intake intake_{*store_, clock_, ids_, {}};
};

TEST_F(Joining, ATicketIsWorthACredentialOnce) {
  const auto joined = intake_.hello(hello("b1"), ticket_);
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_FALSE(joined->credential.empty());
  const auto other = intake_.hello(hello("b2"), ticket_);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::unauthenticated);
}

TEST_F(Joining, AnAgentWhoseAnswerWasLostGetsAnotherCredentialForTheSameTicket) {
  const auto lost = intake_.hello(hello("b1"), ticket_);
  ASSERT_TRUE(lost);
  for (int again = 0; again < 2; ++again) {
    clock_.advance(seconds{5});
    const auto joined = intake_.hello(hello("b1"), ticket_);
    ASSERT_TRUE(joined) << joined.error().message;
    EXPECT_FALSE(joined->credential.empty());
    EXPECT_NE(joined->credential, lost->credential);
    EXPECT_GT(joined->epoch, lost->epoch);
  }
}

TEST_F(Joining, TheTicketIsOverOnceTheAgentHasSpokenWithItsCredential) {
  const auto joined = intake_.hello(hello("b1"), ticket_);
  ASSERT_TRUE(joined);
  Token credential = ticket_;
  credential.purpose = TokenPurpose::agent;
  credential.node = joined->node_id;
  clock_.advance(seconds{5});
  ASSERT_TRUE(intake_.hello(hello("b1"), credential));
  EXPECT_FALSE(intake_.hello(hello("b1"), ticket_));
}

}  // namespace
}  // namespace sickbay::engine
