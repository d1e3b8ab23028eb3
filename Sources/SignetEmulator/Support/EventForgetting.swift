// SPDX-License-Identifier: Apache-2.0

/// The schedule for deleting the events of old requests: in bulk, so that the average cost per request is constant.
struct EventForgetting: Sendable {
    private let limit: Int?
    private var last = 0

    /// Starts at the first request.
    ///
    /// - Parameter limit: The minimum number of requests whose events are kept; nil keeps all.
    init(limit: Int?) {
        self.limit = limit.map { min(max($0, 1), .max / 2) }
    }

    /// Returns the number of the last request whose events to delete now; nil if none.
    mutating func due(after requests: Int) -> Int? {
        guard let limit, requests - self.last >= 2 * limit else { return nil }
        self.last = requests - limit
        return self.last
    }
}
