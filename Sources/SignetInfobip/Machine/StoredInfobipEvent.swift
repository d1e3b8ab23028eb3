// SPDX-License-Identifier: Apache-2.0

import Signet

/// A custom event as it is sent.
struct StoredInfobipEvent: Sendable, Hashable {
    /// The place among the events of the installation.
    let ordinal: UInt64
    /// The JSON of one element of the body.
    let element: [UInt8]
}
