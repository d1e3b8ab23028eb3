//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetCriteria

import struct FoundationEssentials.UUID

/// What was logged and is the visitor's too, on its way there.
struct MirroredRecord: Sendable {
    /// What happened.
    let record: IterableRecord
    /// The last change of the user before it that may not be taken over yet.
    let after: UUID?
}
