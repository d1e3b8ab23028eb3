// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The app's own time of an event, within its limits.
struct EventOccurrence: Sendable, Hashable {
    /// The most that the clock of the app's source may be ahead, in milliseconds.
    static let tolerance: Int64 = 60_000

    /// The time, in milliseconds since 1970.
    let milliseconds: Int64

    /// Checks the time of an event.
    ///
    /// - Parameters:
    ///   - event: An event that has one.
    ///   - now: Milliseconds since 1970.
    ///   - limit: The time for which events are kept: an older one is too old to be sent.
    /// - Throws: `invalidArgument` for a time that is too early, or in the future.
    init(_ event: Event, now: Int64, keeping limit: Duration) throws(SignetError) {
        guard let milliseconds = event.occurredMilliseconds else { throw .tooEarly(limit) }
        let (age, overflow) = now.subtractingReportingOverflow(milliseconds)
        guard overflow ? milliseconds < now : age >= -Self.tolerance else { throw .inTheFuture }
        guard !overflow, age <= limit.milliseconds else { throw .tooEarly(limit) }
        self.milliseconds = milliseconds
    }
}

extension SignetError {
    fileprivate static let inTheFuture = SignetError(
        .invalidArgument,
        "The event's `occurredAt` is more than 60 s in the future. Use the time at which it happened."
    )

    fileprivate static func tooEarly(_ limit: Duration) -> SignetError {
        SignetError(
            .invalidArgument,
            "The event's `occurredAt` is more than \(limit.milliseconds / 3_600_000) hours ago, or no time. "
                + "Events are kept for that long: `events.storage.maximumAge`."
        )
    }
}
