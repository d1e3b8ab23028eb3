// SPDX-License-Identifier: Apache-2.0

import SignetWire

/// The name of the client for the headers `SDK-Platform` and `SDK-Version`.
struct IterableClient: Sendable, Hashable {
    /// The kind of client.
    let platform: String
    /// The version of the client.
    let version: String

    init(platform: String, version: String) {
        self.platform = platform
        self.version = version
    }

    /// This library, under a name of its own rather than that of the vendor's clients.
    static let signet = IterableClient(platform: "Signet", version: ClientInfo.signet.version)
}
