// SPDX-License-Identifier: Apache-2.0

/// The hours for which one request has been tried and refused without a reason of the service.
///
/// A 400 without the service's own body may come from a proxy that is mended soon, or be about the content for ever.
/// The request is tried for a day; then it is given up, so that it holds up no other. Each hour counts once, and only
/// if a try was made in it: neither a jump of the clock nor a process that stands still gives up content.
package struct UnexplainedRefusals: Sendable, Hashable {
    /// The hours of tries after which a request is given up.
    package static let limit = 24
    private static let hour: Int64 = 3_600_000

    /// The hours that have been counted.
    package let hours: Int
    /// The begin of the current hour, in milliseconds since 1970.
    package let since: Int64

    /// The consequence of one more refusal.
    package enum Next: Sendable, Hashable {
        /// The request is tried again. The new count must survive a restart.
        case tryAgain(UnexplainedRefusals)
        /// The refusal is final.
        case giveUp
    }

    package init(hours: Int = 0, since: Int64) {
        self.hours = hours
        self.since = since
    }

    /// The count of what has one hour left, from a time on.
    package static func lastHour(at now: Int64) -> Self {
        Self(hours: Self.limit - 1, since: now)
    }

    /// Counts one more refusal.
    ///
    /// - Parameters:
    ///   - earlier: The count so far; nil for the first refusal.
    ///   - now: The wall clock, in milliseconds since 1970.
    /// - Returns: The consequence; the count is equal to the earlier one as long as the hour lasts.
    package static func next(after earlier: Self?, at now: Int64) -> Next {
        guard let earlier else { return .tryAgain(Self(since: now)) }
        let (passed, overflow) = now.subtractingReportingOverflow(earlier.since)
        // The clock was set back.
        guard !overflow, passed >= 0 else { return .tryAgain(Self(hours: earlier.hours, since: now)) }
        guard passed >= Self.hour else { return .tryAgain(earlier) }
        let hours = earlier.hours + 1
        guard hours < Self.limit else { return .giveUp }
        return .tryAgain(Self(hours: hours, since: passed < 2 * Self.hour ? earlier.since + Self.hour : now))
    }
}

extension UnexplainedRefusals: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("hours", self.hours)
        encoder.write("since", self.since)
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(hours: decoder.read("hours"), since: decoder.read("since"))
    }
}
