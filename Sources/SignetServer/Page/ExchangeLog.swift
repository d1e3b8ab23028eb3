//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
/// The last exchanges: so many, and so many bytes of them, at most.
struct ExchangeLog: Sendable {
    private let countLimit: Int
    private let byteLimit: Int
    // Nil for what was let go: its place goes now and then, not at each request.
    private var exchanges: [Exchange?] = []
    // Where the oldest is.
    private var first = 0
    private var bytes = 0
    private(set) var total = 0

    init(count: Int, bytes: Int) {
        self.countLimit = max(1, count)
        self.byteLimit = bytes
    }

    /// The oldest first.
    var all: [Exchange] {
        self.exchanges[self.first...].compactMap(\.self)
    }

    /// About how much memory the exchanges take that are held, shown or not.
    var heldBytes: Int {
        self.exchanges.reduce(0) { $0 + ($1?.size ?? 0) }
    }

    /// The exchange of a number, which anybody may ask for.
    subscript(number: Int) -> Exchange? {
        let forgotten = self.total - self.count
        guard number > forgotten, number <= self.total else { return nil }
        return self.exchanges[self.first + number - forgotten - 1]
    }

    private var count: Int {
        self.exchanges.count - self.first
    }

    /// Takes an exchange and lets go of the oldest; one that is too big alone stays until the next one comes.
    ///
    /// - Returns: It, with its number.
    mutating func append(_ exchange: Exchange) -> Exchange {
        var exchange = exchange
        self.total += 1
        exchange.number = self.total
        self.exchanges.append(exchange)
        self.bytes += exchange.size
        while self.count > self.countLimit || (self.bytes > self.byteLimit && self.count > 1) {
            self.bytes -= self.exchanges[self.first]?.size ?? 0
            self.exchanges[self.first] = nil
            self.first += 1
        }
        if self.first >= self.countLimit {
            self.exchanges.removeFirst(self.first)
            self.first = 0
        }
        return exchange
    }
}
#endif
