// SPDX-License-Identifier: Apache-2.0

/// The kind of an event, in its name on the wire (Events API v2, `event_type`).
package struct EventKind: Sendable, Hashable {
    /// The name on the wire.
    package let wireName: StaticString

    init(_ wireName: StaticString) {
        self.wireName = wireName
    }

    package static func == (first: EventKind, second: EventKind) -> Bool {
        first.wireName.description == second.wireName.description
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.wireName.description)
    }
}
