// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria

import struct FoundationEssentials.UUID

/// A copy of a logged event that the visitor is to take over.
struct MirroredRecord: Sendable {
    let record: IterableRecord
    /// The last change of the user before it, which may not be taken over yet.
    let after: UUID?
}
