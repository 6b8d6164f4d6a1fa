#include "engine/verbs/queue_pair.h"

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/verbs/status.h"

namespace rdmalab::verbs {
namespace {

// 4.096 us x 2^17 = 0.5 s for an acknowledgement, and again for each retry: a lost peer is reported
// within some seconds, and an emulated adapter that is slow for a moment is not.
constexpr uint8_t kAckTimeout = 17;
constexpr uint8_t kReceiverNotReadyTimer = 12;  // 0.64 ms
constexpr uint8_t kHopLimit = 64;
constexpr int kMaxReads = 255;

}  // namespace

absl::StatusOr<QueuePair> QueuePair::Create(const ProtectionDomain& domain,
                                            const QueuePairOptions& options) {
  const Device& device = domain.device();
  ASSIGN_OR_RETURN(CompletionQueue sends,
                   CompletionQueue::Create(device, static_cast<int>(options.sends) + 1));
  ASSIGN_OR_RETURN(CompletionQueue receives,
                   CompletionQueue::Create(device, static_cast<int>(options.receives) + 1));
  QueuePair pair(std::move(sends), std::move(receives), device);
  ibv_qp_init_attr attributes = {};
  attributes.send_cq = pair.send_completions();
  attributes.recv_cq = pair.receive_completions();
  attributes.qp_type = IBV_QPT_RC;
  attributes.cap.max_send_wr = options.sends;
  attributes.cap.max_recv_wr = options.receives;
  attributes.cap.max_send_sge = 1;
  attributes.cap.max_recv_sge = 1;
  attributes.cap.max_inline_data = options.inline_bytes;
  errno = 0;
  pair.handle_.reset(ibv_create_qp(domain.handle(), &attributes));
  if (pair.handle_ == nullptr) {
    return ErrnoToStatus(errno == 0 ? EIO : errno, "ibv_create_qp",
                         absl::StrCat(options.sends, " sends, ", options.receives, " receives, ",
                                      options.inline_bytes, " inline bytes on ", device.name(),
                                      ", which has at most ", device.limits().max_qp_wr));
  }
  pair.address_ = {.number = pair.handle()->qp_num,
                   // Any number will do that a former pair of the same number did not use.
                   .first_packet = static_cast<uint32_t>(UtcNowNs() / 1000) & 0xffffff,
                   .lid = device.port_attributes().lid,
                   .gid = device.gid(),
                   .mtu = device.port_attributes().active_mtu,
                   .reads = std::min(kMaxReads, device.max_answered_reads())};
  RETURN_IF_ERROR(pair.ToInit());
  return pair;
}

std::string QueuePair::ToString() const {
  return absl::StrCat("queue pair ", address_.number, " on ", device_->name());
}

absl::Status QueuePair::Connect(const QueuePairAddress& peer) {
  mtu_bytes_ = MtuBytes(std::min(peer.mtu, address_.mtu));
  outstanding_reads_ =
      std::min({kMaxReads, device_->max_initiated_reads(), std::max(0, peer.reads)});
  RETURN_IF_ERROR(ToReadyToReceive(peer));
  return ToReadyToSend();
}

absl::Status QueuePair::Connect(const ManagedStates& states) {
  ibv_qp_attr receive = states.receive;
  receive.min_rnr_timer = kReceiverNotReadyTimer;
  receive.max_dest_rd_atomic = static_cast<uint8_t>(
      std::min<int>(receive.max_dest_rd_atomic, std::min(kMaxReads, address_.reads)));
  mtu_bytes_ = MtuBytes(receive.path_mtu);
  RETURN_IF_ERROR(Modify(receive, states.receive_mask, "RTR"));
  ibv_qp_attr send = states.send;
  send.timeout = kAckTimeout;
  send.retry_cnt = kRetries;
  send.rnr_retry = kRetryForEver;
  outstanding_reads_ = std::min<int>(send.max_rd_atomic, device_->max_initiated_reads());
  send.max_rd_atomic = static_cast<uint8_t>(outstanding_reads_);
  return Modify(send, states.send_mask, "RTS");
}

absl::Status QueuePair::Modify(ibv_qp_attr& attributes, int mask, const char* state) {
  return ErrnoToStatus(ibv_modify_qp(handle(), &attributes, mask), "ibv_modify_qp",
                       absl::StrCat(ToString(), " to ", state));
}

absl::Status QueuePair::ToInit() {
  ibv_qp_attr attributes = {};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = device_->port();
  attributes.qp_access_flags =
      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
  return Modify(attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
                "INIT");
}

absl::Status QueuePair::ToReadyToReceive(const QueuePairAddress& peer) {
  ibv_qp_attr attributes = {};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.path_mtu = static_cast<ibv_mtu>(std::min(peer.mtu, address_.mtu));
  attributes.dest_qp_num = peer.number;
  attributes.rq_psn = peer.first_packet;
  attributes.max_dest_rd_atomic = static_cast<uint8_t>(address_.reads);
  attributes.min_rnr_timer = kReceiverNotReadyTimer;
  attributes.ah_attr.port_num = device_->port();
  attributes.ah_attr.dlid = peer.lid;
  if (device_->gid_index().has_value()) {
    attributes.ah_attr.is_global = 1;
    attributes.ah_attr.grh.dgid = peer.gid;
    attributes.ah_attr.grh.sgid_index = static_cast<uint8_t>(*device_->gid_index());
    attributes.ah_attr.grh.hop_limit = kHopLimit;
  }
  return Modify(attributes,
                IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
                "RTR");
}

absl::Status QueuePair::ToReadyToSend() {
  ibv_qp_attr attributes = {};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.sq_psn = address_.first_packet;
  attributes.timeout = kAckTimeout;
  attributes.retry_cnt = kRetries;
  attributes.rnr_retry = kRetryForEver;
  attributes.max_rd_atomic = static_cast<uint8_t>(outstanding_reads_);
  return Modify(attributes,
                IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
                "RTS");
}

}  // namespace rdmalab::verbs
