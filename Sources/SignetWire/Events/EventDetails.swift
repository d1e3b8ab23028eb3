// SPDX-License-Identifier: Apache-2.0

/// An event without its user, time and session: written before these are known, outside of any lock.
package struct EventDetails: Sendable, Hashable {
    /// The kind of event.
    package let kind: EventKind
    /// The members after the head, each after its comma, and the end of the event.
    package let json: [UInt8]

    package init(kind: EventKind, json: [UInt8]) {
        self.kind = kind
        self.json = json
    }
}
