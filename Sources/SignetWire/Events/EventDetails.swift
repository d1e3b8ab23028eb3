//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What an event says beside who, when and in which session: written before that is known, outside of any lock.
package struct EventDetails: Sendable, Hashable {
    /// What kind of event.
    package let kind: EventKind
    /// The members after the head, each behind its comma, and what closes the event.
    package let json: [UInt8]

    package init(kind: EventKind, json: [UInt8]) {
        self.kind = kind
        self.json = json
    }
}
