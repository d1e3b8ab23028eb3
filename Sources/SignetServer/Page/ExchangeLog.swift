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
    private var exchanges: [Exchange] = []
    // Where the oldest is: what lies before is let go now and then, not at each request.
    private var first = 0
    private var bytes = 0
    private(set) var total = 0

    init(count: Int, bytes: Int) {
        self.countLimit = max(1, count)
        self.byteLimit = bytes
    }

    /// The oldest first.
    var all: ArraySlice<Exchange> {
        self.exchanges[self.first...]
    }

    subscript(number: Int) -> Exchange? {
        self.all.first { $0.number == number }
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
        while self.all.count > self.countLimit || (self.bytes > self.byteLimit && self.all.count > 1) {
            self.bytes -= self.exchanges[self.first].size
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
