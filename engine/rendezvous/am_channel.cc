#include "engine/rendezvous/am_channel.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/base/status.h"
#include "engine/rendezvous/wire.h"

namespace rdmalab {

absl::StatusOr<std::unique_ptr<AmInbox>> AmInbox::Create(const ucx::Worker& worker) {
  std::unique_ptr<AmInbox> inbox(new AmInbox(worker));
  RETURN_IF_ERROR(ucx::SetHandler<&AmInbox::OnReply>(worker, kAmReply, inbox.get()));
  return inbox;
}

AmInbox::~AmInbox() { (void)ucx::ClearHandler(worker_, kAmReply); }

ucx::Kept AmInbox::OnReply(const ucx::Arrival& arrival) {
  const absl::StatusOr<Reply> reply =
      DecodeReply({reinterpret_cast<const uint8_t*>(arrival.header.data()), arrival.header.size()});
  if (!reply.ok()) {
    broken_ = reply.status();
  } else if (reply->data_bytes != arrival.bytes) {
    broken_ = absl::DataLossError("a reply announces other data than came with it");
  } else if ((reply->sequence & kNobodyWaits) != 0) {
    return ucx::Kept::kNo;
  } else if (reply->kind == ReplyKind::kChunk) {
    TakeChunk(*reply, arrival);
  } else {
    TakeDescriptor(*reply, arrival);
  }
  return ucx::Kept::kNo;
}

AmInbox::Entry* AmInbox::Push(const Reply& reply) {
  if (count_ == entries_.size()) {
    broken_ = absl::DataLossError("more replies than requests");
    return nullptr;
  }
  Entry& entry = entries_[count_++];
  entry.received = {.reply = reply, .data = {}};
  return &entry;
}

void AmInbox::TakeChunk(const Reply& reply, const ucx::Arrival& arrival) {
  const bool fits = sink_.has_value() && reply.sequence >= sink_->first_sequence &&
                    reply.length == arrival.bytes && reply.offset <= sink_->to.size() &&
                    reply.length <= sink_->to.size() - reply.offset;
  Entry* entry = fits ? Push(reply) : nullptr;  // a chunk of a pull that was given up is dropped
  if (entry == nullptr) return;
  uint8_t* to = sink_->to.data() + reply.offset;
  if (arrival.rndv) {
    entry->receive =
        ucx::ReceiveActiveMessage(worker_, arrival.data, to, arrival.bytes, sink_->registered);
  } else {
    std::memcpy(to, arrival.data, arrival.bytes);
  }
}

void AmInbox::TakeDescriptor(const Reply& reply, const ucx::Arrival& arrival) {
  if (arrival.rndv || arrival.bytes > descriptor_.size()) {
    broken_ = absl::DataLossError(absl::StrCat("a descriptor of ", arrival.bytes, " bytes"));
    return;
  }
  Entry* entry = Push(reply);
  if (entry == nullptr || arrival.bytes == 0) return;
  std::memcpy(descriptor_.data(), arrival.data, arrival.bytes);
  entry->received.data = absl::MakeConstSpan(descriptor_).subspan(0, arrival.bytes);
}

absl::StatusOr<const ControlChannel::Received*> AmInbox::Next() {
  RETURN_IF_ERROR(broken_);
  for (size_t i = 0; i < count_; ++i) {
    Entry& entry = entries_[i];
    if (!entry.receive.Done()) continue;
    const absl::Status status = entry.receive.status();
    current_ = entry.received;
    std::move(entries_.begin() + static_cast<ptrdiff_t>(i) + 1,
              entries_.begin() + static_cast<ptrdiff_t>(count_),
              entries_.begin() + static_cast<ptrdiff_t>(i));
    entries_[--count_].receive = ucx::Request();
    RETURN_IF_ERROR(status);
    return &current_;
  }
  return nullptr;
}

bool AmInbox::Receiving() {
  return std::any_of(entries_.begin(), entries_.begin() + static_cast<ptrdiff_t>(count_),
                     [](Entry& entry) { return !entry.receive.Done(); });
}

void AmInbox::Clear() {
  for (size_t i = 0; i < count_; ++i) entries_[i].receive = ucx::Request();
  count_ = 0;
  broken_ = absl::OkStatus();
}

absl::Status AmChannel::Send(const Request& request, ucx::Patience& patience) {
  if (endpoint_.failed()) return endpoint_.failure();
  auto slot = std::find_if(sending_.begin(), sending_.end(),
                           [](ucx::Request& sending) { return sending.Done(); });
  while (slot == sending_.end()) {
    inbox_.worker().Progress();
    if (!patience.Spin()) return patience.verdict();
    slot = std::find_if(sending_.begin(), sending_.end(),
                        [](ucx::Request& sending) { return sending.Done(); });
  }
  const RequestBytes header = EncodeRequest(request);
  *slot = ucx::SendActiveMessage(
      endpoint_.peer(),
      {.id = kAmRequest,
       .header = absl::string_view(reinterpret_cast<const char*>(header.data()), header.size()),
       .want_reply = true});
  return slot->Done() ? slot->status() : absl::OkStatus();
}

absl::StatusOr<const ControlChannel::Received*> AmChannel::Poll() {
  if (endpoint_.failed()) return endpoint_.failure();
  inbox_.worker().Progress();
  return inbox_.Next();
}

}  // namespace rdmalab
