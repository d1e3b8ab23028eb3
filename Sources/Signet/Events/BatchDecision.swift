//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What an app wants to become of a batch; see ``SignetConfiguration/Events/onCreateBatch``.
public enum BatchDecision: Sendable, Hashable {
    /// It is sent as it is.
    case send
    /// This JSON is sent in its place, under the same id.
    ///
    /// It must be a batch with the same `source_request_id` and at most 128 KB; otherwise neither is sent, and the batch as
    /// it was is set aside.
    case replace([UInt8])
    /// It is not sent; its events are counted as dropped by the hook.
    case drop
}
