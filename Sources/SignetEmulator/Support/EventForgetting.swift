//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// When the events of old requests are to be forgotten: now and then, so that a request costs the same however many there are.
struct EventForgetting: Sendable {
    private let limit: Int?
    private var last = 0

    /// Counts from the first request on.
    ///
    /// - Parameter limit: The events of how many requests are kept at least; nil for all.
    init(limit: Int?) {
        self.limit = limit.map { min(max($0, 1), .max / 2) }
    }

    /// The number of the last request whose events are to go now; nil when none are.
    mutating func due(after requests: Int) -> Int? {
        guard let limit, requests - self.last >= 2 * limit else { return nil }
        self.last = requests - limit
        return self.last
    }
}
