// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria

extension IterableRecord {
    /// The most bytes of JSON of a record.
    static let maximumSize = 64 * 1024
    /// The most bytes of the name of a custom event.
    static let maximumNameLength = 255

    /// The record, if it is within the limits: one that the app makes, and the copy of a logged event.
    ///
    /// - Throws: `invalidArgument`.
    func withinLimits() throws(SignetError) -> IterableRecord {
        if let name = self.eventName {
            guard (1...Self.maximumNameLength).contains(name.utf8.count) else {
                throw SignetError(
                    .invalidArgument,
                    "The name of an Iterable event must have 1 to \(Self.maximumNameLength) bytes."
                )
            }
        }
        guard self.line.count <= Self.maximumSize else {
            throw SignetError(
                .invalidArgument,
                "The Iterable record has more than \(Self.maximumSize) bytes of JSON. Shorten its fields."
            )
        }
        return self
    }
}
