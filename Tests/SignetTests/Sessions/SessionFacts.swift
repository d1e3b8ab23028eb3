// SPDX-License-Identifier: Apache-2.0

@testable import Signet

extension Updates<SessionChange>.AsyncIterator {
    /// The next begin or end, without what is told ahead of ends.
    mutating func nextFact() async -> SessionChange? {
        while let change = await self.next(isolation: nil) {
            if case .willEnd = change.kind { continue }
            return change
        }
        return nil
    }
}

extension SessionChange {
    /// How long a session was that has ended; nil at its begin.
    var endLength: Duration? {
        self.isEnd ? self.length : nil
    }
}
