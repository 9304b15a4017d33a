// Who may do what: tokens that are kept as hashes, roles that cannot be outgrown, and the first admin.
#include "people/people.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/text.hpp"
#include "model/json.hpp"
#include "store/audit.hpp"
#include "store/people.hpp"

namespace sickbay::people {
namespace {

class PeopleTest : public testing::Test {
 protected:
  PeopleTest() : directory_(std::filesystem::temp_directory_path() / ("sickbay-people-" + random_uuid())) {
    std::filesystem::create_directory(directory_);
    auto opened = store::Store::open({.url = "sqlite::memory:"}, clock_);
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    store_ = std::move(*opened);
    people_.emplace(*store_, ids_);
  }
  ~PeopleTest() override { std::filesystem::remove_all(directory_); }

  std::string token_file() const { return directory_ / "admin-token"; }
  std::string admin_secret() {
    const auto made = people_->bootstrap(token_file());
    EXPECT_TRUE(made && *made);
    std::ifstream file(token_file());
    std::string secret;
    std::getline(file, secret);
    return secret;
  }
  Caller admin() { return people_->authenticate(admin_secret()).value(); }
  std::vector<AuditRow> audit() {
    return store_
        ->read([](store::Tx& tx) -> Result<std::vector<AuditRow>> {
          auto rows = store::unpublished_audit(tx, 100);
          return rows;
        })
        .value();
  }

  std::filesystem::path directory_;
  ManualClock clock_;
  SeededIds ids_{1};
  std::unique_ptr<store::Store> store_;
  std::optional<Auth> people_;
};

TEST_F(PeopleTest, TheFirstStartMakesAnAdminAndTheSecondDoesNot) {
  const Caller caller = people_->authenticate(admin_secret()).value();
  EXPECT_EQ(caller.principal.role, Role::admin);
  EXPECT_TRUE(caller.sees_all());
  struct stat status{};
  ASSERT_EQ(stat(token_file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  std::filesystem::remove(token_file());
  EXPECT_FALSE(people_->bootstrap(token_file()).value());
  EXPECT_FALSE(std::filesystem::exists(token_file()));
}

TEST_F(PeopleTest, AnAdminWhoseTokenCannotBeWrittenIsNotMade) {
  EXPECT_EQ(people_->bootstrap("/nonexistent/admin-token").error().code, Errc::io);
  EXPECT_TRUE(people_->list_principals()->empty());
}

TEST_F(PeopleTest, TheSecretIsNotInTheDatabase) {
  const std::string secret = admin_secret();
  const auto tokens = people_->list_tokens().value();
  ASSERT_EQ(tokens.size(), 1u);
  EXPECT_EQ(tokens[0].token.hash, sha256_hex(secret));
  EXPECT_EQ(to_json_text(tokens[0].token).find(secret), std::string::npos);
}

TEST_F(PeopleTest, AWrongSecretIsNobody) {
  const std::string secret = admin_secret();
  for (const std::string& wrong : {std::string(), secret.substr(1), secret + "0", sha256_hex(secret),
                                   std::string(100'000, 'x'), std::string("\0\xff", 2)}) {
    const auto caller = people_->authenticate(wrong);
    ASSERT_FALSE(caller);
    EXPECT_EQ(caller.error().code, Errc::unauthenticated);
  }
}

TEST_F(PeopleTest, ATokenEndsWhenItsTimeIsOver) {
  const Caller by = admin();
  const Made made = people_->create_token({"ci", Role::viewer, {}, hours{1}}, by).value();
  clock_.advance(minutes{59});
  EXPECT_TRUE(people_->authenticate(made.secret));
  clock_.advance(minutes{1});
  EXPECT_FALSE(people_->authenticate(made.secret));
}

TEST_F(PeopleTest, ARevokedTokenEndsAtOnceAndRevokingAgainIsFine) {
  const Caller by = admin();
  const Made made = people_->create_token({"ci", Role::viewer, {}, {}}, by).value();
  EXPECT_TRUE(people_->authenticate(made.secret));
  EXPECT_TRUE(people_->revoke_token(made.token.id, by));
  EXPECT_FALSE(people_->authenticate(made.secret));
  EXPECT_TRUE(people_->revoke_token(made.token.id, by));
  EXPECT_EQ(people_->revoke_token("tok-none", by).error().code, Errc::not_found);
}

TEST_F(PeopleTest, TheLastAdminCannotLockEverybodyOut) {
  const Caller by = admin();
  EXPECT_EQ(people_->revoke_token(by.token.id, by).error().code, Errc::refused);
  ASSERT_TRUE(people_->create_token({"other", Role::admin, {}, {}}, by));
  EXPECT_TRUE(people_->revoke_token(by.token.id, by));
}

TEST_F(PeopleTest, NobodyHandsOutMoreThanTheyHave) {
  const Caller by = admin();
  const Made limited = people_->create_token({"site", Role::operator_, {"clu-1"}, {}}, by).value();
  const Caller caller = people_->authenticate(limited.secret).value();
  EXPECT_EQ(people_->create_token({"x", Role::admin, {"clu-1"}, {}}, caller).error().code, Errc::forbidden);
  EXPECT_EQ(people_->create_token({"x", Role::viewer, {"clu-2"}, {}}, caller).error().field, "clusters");
  EXPECT_EQ(people_->create_token({"x", Role::viewer, {}, {}}, caller).error().field, "clusters");
  EXPECT_TRUE(people_->create_token({"x", Role::viewer, {"clu-1"}, {}}, caller));
  EXPECT_EQ(people_->create_token({" ", Role::viewer, {"clu-1"}, {}}, caller).error().field, "name");
  EXPECT_EQ(people_->create_token({"x", Role::viewer, {"clu-1"}, Duration{0}}, caller).error().field, "expires_in");
}

TEST_F(PeopleTest, RolesAndClustersAreChecked) {
  const Caller by = admin();
  const Caller viewer =
      people_->authenticate(people_->create_token({"v", Role::viewer, {"clu-1"}, {}}, by)->secret).value();
  EXPECT_TRUE(Auth::allow(viewer, Role::viewer, "clu-1"));
  EXPECT_EQ(Auth::allow(viewer, Role::operator_, "clu-1").error().code, Errc::forbidden);
  EXPECT_EQ(Auth::allow(viewer, Role::viewer, "clu-2").error().code, Errc::forbidden);
  EXPECT_TRUE(Auth::allow(by, Role::admin, "clu-2"));
}

TEST_F(PeopleTest, ATicketSpeaksOnlyForItsNodeAndNotForPeople) {
  const Caller by = admin();
  const Made ticket = people_->create_ticket("clu-1", "gpu-7", hours{1}, by).value();
  const Caller caller = people_->authenticate(ticket.secret).value();
  EXPECT_EQ(caller.token.purpose, TokenPurpose::ticket);
  EXPECT_EQ(caller.token.node, "gpu-7");
  EXPECT_EQ(Auth::allow(caller, Role::viewer, "clu-1").error().code, Errc::forbidden);
  clock_.advance(hours{1});
  EXPECT_FALSE(people_->authenticate(ticket.secret));
  EXPECT_EQ(people_->create_ticket("clu-1", "gpu-7", hours{24 * 31}, by).error().field, "expires_in");
  EXPECT_EQ(people_->create_ticket("clu-1", "", hours{1}, by).error().field, "node");
}

TEST_F(PeopleTest, ASpentTicketMayBeShownAgainForTenMinutesSinceItsAnswerMayHaveBeenLost) {
  const Made ticket = people_->create_ticket("clu-1", "gpu-7", hours{1}, admin()).value();
  ASSERT_TRUE(store_
                  ->write([&](store::Tx& tx) -> Result<bool> {
                    return store::spend_ticket(tx, ticket.token.hash, clock_.now());
                  })
                  .value());
  EXPECT_TRUE(people_->authenticate(ticket.secret));  // whether it is the same agent start is for its hello to see
  clock_.advance(minutes{10});
  EXPECT_FALSE(people_->authenticate(ticket.secret));
}

TEST_F(PeopleTest, WhateverIsChangedIsWrittenDown) {
  const Caller by = admin();
  const Made made = people_->create_token({"ci", Role::viewer, {}, {}}, by).value();
  ASSERT_TRUE(people_->create_ticket("clu-1", "gpu-7", hours{1}, by));
  ASSERT_TRUE(people_->revoke_token(made.token.id, by));
  ASSERT_TRUE(people_->note(by, "PUT /policy", "clu-1", "refused with 422"));
  std::vector<std::string> verbs;
  for (const auto& row : audit()) verbs.push_back(row.principal + " " + row.verb + " " + row.outcome);
  EXPECT_EQ(verbs, (std::vector<std::string>{"sickbay tokens.bootstrap done", "admin tokens.create done",
                                             "admin tickets.create done", "admin tokens.revoke done",
                                             "admin PUT /policy refused with 422"}));
}

}  // namespace
}  // namespace sickbay::people
