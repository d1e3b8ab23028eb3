// SPDX-License-Identifier: Apache-2.0

import SignetWire

/// The remote configuration of clients (`mobile/getRemoteConfiguration`).
struct RemoteConfigurationReply: Sendable, Hashable {
    /// True if requests must go through a queue.
    let offlineMode: Bool
    /// True if the queue waits for a new token after a 401; false when the service does not say.
    let autoRetry: Bool

    /// Reads the body of a successful answer.
    ///
    /// - Throws: `notJSON`, or `invalidReply` when a member is of the wrong type.
    init(_ bytes: [UInt8]) throws(WireError) {
        let reply = try ReplyObject(bytes)
        self.offlineMode = try reply.flag("offlineMode")
        self.autoRetry = try reply.flag("autoRetry")
    }
}
