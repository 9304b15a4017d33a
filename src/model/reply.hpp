// What came of a call into the world. Every adapter sorts its protocol's answers into these five and nothing else; the
// engine decides on them alone (engine.md 3).
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <string>
#include <vector>

namespace sickbay {

// done: it happened. accepted: it was taken on and will happen or fail; observe it. refused: it will certainly not
// happen (a precondition, a wrong argument). not_sent: nothing reached the other side (no connection). unknown: it may
// have reached the other side (time-out, broken connection, an answer we cannot read).
BOOST_DEFINE_ENUM_CLASS(Answer, done, accepted, refused, not_sent, unknown)

struct Reply {
  Answer answer = Answer::unknown;
  std::string reference;                   // the other side's own id for it, if it gave one
  std::string detail;                      // what it said, for a person
  std::vector<std::string> blockers = {};  // of a drain: "pod x: PodDisruptionBudget y allows no eviction"
  BOOST_DESCRIBE_CLASS(Reply, (), (answer, reference, detail, blockers), (), ())
};

}  // namespace sickbay
