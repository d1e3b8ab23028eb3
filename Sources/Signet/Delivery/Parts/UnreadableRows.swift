// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The installations whose rows in a shared store cannot be read: each is told once, until it can be read.
struct UnreadableRows: Sendable {
    /// The pause before a row is read again.
    static let pause = Duration.seconds(30)

    private let context: RuntimeContext
    private var told: Set<UInt32> = []

    init(_ context: RuntimeContext) {
        self.context = context
    }

    /// Notes that a row can be read.
    mutating func found(_ number: UInt32) {
        self.told.remove(number)
    }

    /// Reports that events wait, and the first time the row too: a look and a batch may find the same one again and again.
    mutating func report(_ number: UInt32, _ id: InstallationID, events: Int, _ error: SignetError) {
        self.context.observer.batchPostponed(events: events, until: Self.pause, error: error)
        guard self.told.insert(number).inserted else { return }
        // The key and not the id, which is a cookie in some apps.
        let key = SharedIDs.key(of: Array(id.rawValue.utf8))
        let text = "The row \(key) of the shared store cannot be read. Its events wait: \(error.message)"
        if error.isDamage { self.context.reportDamage(text) } else { self.context.observer.corruptionDetected(text) }
    }
}
