// SPDX-License-Identifier: Apache-2.0

extension OutgoingBatch {
    /// An app's decision about a batch; see ``SignetConfiguration/Events/onCreateBatch``.
    public enum Decision: Sendable, Hashable {
        /// Sends the batch unchanged.
        case send
        /// Sends this JSON instead, under the same id.
        ///
        /// It must be a batch with the same `source_request_id` and at most 128 KB. Otherwise neither is sent, and the
        /// original batch becomes a dead letter.
        case replace([UInt8])
        /// Does not send the batch; its events are counted as dropped by the hook.
        case drop
    }
}
