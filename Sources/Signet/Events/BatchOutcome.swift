//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// How a batch ended: what is still to be written down, and counted when that is done.
struct BatchOutcome: Sendable {
    /// The ways to end.
    enum Kind: Sendable {
        /// The platform has taken it.
        case delivered(bytes: Int)
        /// It is set aside; already written down.
        case deadLetters(SignetError)
        /// It was settled before a crash: nothing of it is left to count.
        case settledBefore
    }

    /// The batch.
    let record: BatchRecord
    /// How many of its events were still there.
    let events: Int
    /// How it ended.
    let kind: Kind
}
