#include "engine/base/status.h"

#include <memory>
#include <set>
#include <string>

#include "absl/strings/cord.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

absl::StatusOr<std::unique_ptr<int>> Boxed(int value) {
  if (value < 0) return absl::OutOfRangeError("negative");
  return std::make_unique<int>(value);
}

absl::StatusOr<int> Sum(int a, int b) {
  ASSIGN_OR_RETURN(const std::unique_ptr<int> first, Boxed(a));
  ASSIGN_OR_RETURN(const std::unique_ptr<int> second, Boxed(b));
  return *first + *second;
}

absl::Status Both(const absl::Status& first, const absl::Status& second) {
  RETURN_IF_ERROR(first);
  RETURN_IF_ERROR(second);
  return absl::OkStatus();
}

TEST(Status, MacrosPropagateTheFirstError) {
  EXPECT_EQ(*Sum(1, 2), 3);
  EXPECT_EQ(Sum(-1, 2).status(), absl::OutOfRangeError("negative"));
  EXPECT_EQ(Sum(1, -2).status(), absl::OutOfRangeError("negative"));
  EXPECT_TRUE(Both(absl::OkStatus(), absl::OkStatus()).ok());
  EXPECT_EQ(Both(absl::AbortedError("a"), absl::InternalError("b")), absl::AbortedError("a"));
}

TEST(Status, ExitCodesAreThoseOfTheTool) {
  EXPECT_EQ(ExitCodeOf(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCodeOf(absl::InternalError("")), 1);
  EXPECT_EQ(ExitCodeOf(absl::ResourceExhaustedError("disk full")), 1);
  EXPECT_EQ(ExitCodeOf(absl::InvalidArgumentError("")), 2);
  EXPECT_EQ(ExitCodeOf(absl::FailedPreconditionError("")), 3);
  EXPECT_EQ(ExitCodeOf(absl::UnavailableError("")), 4);
  EXPECT_EQ(ExitCodeOf(absl::DeadlineExceededError("")), 4);
  EXPECT_EQ(ExitCodeOf(absl::UnimplementedError("")), 5);
  EXPECT_EQ(ExitCodeOf(absl::CancelledError("")), 130);
}

TEST(Status, EveryCodeHasItsOwnName) {
  std::set<std::string> names;
  for (int code = 0; code <= 16; ++code) {
    names.insert(std::string(ErrorCodeName(static_cast<absl::StatusCode>(code))));
  }
  EXPECT_EQ(names.size(), 17);
  EXPECT_EQ(ErrorCodeName(absl::StatusCode::kDeadlineExceeded), "deadline_exceeded");
}

TEST(Status, ContextKeepsTheCode) {
  EXPECT_EQ(WithContext(absl::UnavailableError("reset"), "acquire"),
            absl::UnavailableError("acquire: reset"));
  EXPECT_TRUE(WithContext(absl::OkStatus(), "acquire").ok());
}

TEST(Status, ContextAndNoteKeepWhatTravelsWithTheStatus) {
  absl::Status status = absl::UnavailableError("reset");
  status.SetPayload("rdmalab/test", absl::Cord("facts"));
  const absl::Status told = WithNote(WithContext(status, "acquire"), "the owner: gone");
  EXPECT_EQ(told.message(), "acquire: reset; the owner: gone");
  EXPECT_EQ(told.GetPayload("rdmalab/test"), absl::Cord("facts"));
  EXPECT_TRUE(WithNote(absl::OkStatus(), "the owner: gone").ok());
}

}  // namespace
}  // namespace rdmalab
