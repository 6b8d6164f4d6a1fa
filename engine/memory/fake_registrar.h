// A registrar for tests: remembers what is registered, and refuses on demand.
#ifndef RDMALAB_ENGINE_MEMORY_FAKE_REGISTRAR_H_
#define RDMALAB_ENGINE_MEMORY_FAKE_REGISTRAR_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/memory/registrar.h"

namespace rdmalab {

class FakeRegistrar : public Registrar {
 public:
  absl::StatusOr<std::unique_ptr<Registration>> Register(uint8_t* address, size_t bytes) override {
    if (!refusal.ok()) return refusal;
    ranges[address] = bytes;
    return std::make_unique<Fake>(*this, address);
  }

  std::map<uint8_t*, size_t> ranges;  // registered now
  absl::Status refusal;               // what Register returns while it is not OK

 private:
  class Fake : public Registration {
   public:
    Fake(FakeRegistrar& owner, uint8_t* address)
        : owner_(owner), address_(address), key_(absl::StrCat("key ", owner.keys_++)) {}
    ~Fake() override { owner_.ranges.erase(address_); }
    absl::string_view packed_key() const override { return key_; }

   private:
    FakeRegistrar& owner_;
    uint8_t* address_;
    std::string key_;
  };

  int keys_ = 0;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_MEMORY_FAKE_REGISTRAR_H_
