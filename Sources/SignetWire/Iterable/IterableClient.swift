//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The name of the client for the headers `SDK-Platform` and `SDK-Version`.
package struct IterableClient: Sendable, Hashable {
    /// The kind of client.
    package let platform: String
    /// The version of the client.
    package let version: String

    package init(platform: String, version: String) {
        self.platform = platform
        self.version = version
    }

    /// This library, under a name of its own rather than that of the vendor's clients.
    package static let signet = IterableClient(platform: "Signet", version: ClientInfo.signet.version)
}
