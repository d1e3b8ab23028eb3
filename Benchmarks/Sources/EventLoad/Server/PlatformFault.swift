// SPDX-License-Identifier: Apache-2.0

/// The way in which a request to the platform goes.
enum PlatformFault: Sendable, Equatable {
    /// It is answered at once.
    case none
    /// It is answered after so long.
    case slow(Duration)
    /// It is refused with this status, and `Retry-After: 1`. Without that field uploads would pause for two hours.
    case refused(status: Int)

    /// The share of requests that do not go well: half of them are slow, a quarter is a 429 and a quarter a 503.
    static let share = 0.1

    /// Draws the way of a request.
    static func draw(_ chance: inout Chance) -> PlatformFault {
        let point = Double.random(in: 0..<1, using: &chance) / Self.share
        if point < 0.25 { return .refused(status: 429) }
        if point < 0.5 { return .refused(status: 503) }
        if point < 1 { return .slow(.milliseconds(Int.random(in: 1000...3000, using: &chance))) }
        return .none
    }
}
