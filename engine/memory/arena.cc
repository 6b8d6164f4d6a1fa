#include "engine/memory/arena.h"

#include "absl/strings/str_cat.h"
#include "engine/base/status.h"

namespace rdmalab {

absl::StatusOr<std::unique_ptr<Arena>> Arena::Create(Registrar& registrar,
                                                     const ArenaOptions& options) {
  const std::string what = absl::StrCat("arena of ", options.bytes, " bytes");
  absl::StatusOr<AlignedBuffer> memory = AlignedBuffer::Create({
      .bytes = options.bytes,
      .populate = options.populate,
      .huge_pages = options.huge_pages,
  });
  if (!memory.ok()) return WithContext(memory.status(), what);
  absl::StatusOr<std::unique_ptr<Registration>> registration =
      registrar.Register(memory->data(), options.bytes);
  if (!registration.ok()) return WithContext(registration.status(), what);
  return std::unique_ptr<Arena>(new Arena(options, *std::move(memory), *std::move(registration)));
}

}  // namespace rdmalab
