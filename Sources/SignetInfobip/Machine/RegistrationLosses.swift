// SPDX-License-Identifier: Apache-2.0

/// Registrations that are lost within a minute of each other: one may work for other requests, and be lost for this one
/// again and again.
struct RegistrationLosses: Sendable {
    private var count = 0
    private var last: Duration?

    /// True if the next registration is no cure.
    func isRepeating(_ now: Duration) -> Bool {
        self.count > 1 && self.last.map { now - $0 <= .seconds(60) } ?? false
    }

    mutating func add(_ now: Duration) {
        if let last, now - last > .seconds(60) { self.count = 0 }
        self.last = now
        self.count += 1
    }
}
