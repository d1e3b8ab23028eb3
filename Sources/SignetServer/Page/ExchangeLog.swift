// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
/// The last exchanges, limited in number and size.
struct ExchangeLog: Sendable {
    private let countLimit: Int
    private let byteLimit: Int
    // Nil for a removed exchange; empty places are removed in bulk, not at each request.
    private var exchanges: [Exchange?] = []
    // The index of the oldest exchange.
    private var first = 0
    private var bytes = 0
    private(set) var total = 0

    init(count: Int, bytes: Int) {
        self.countLimit = max(1, count)
        self.byteLimit = bytes
    }

    /// The exchanges, oldest first.
    var all: [Exchange] {
        self.exchanges[self.first...].compactMap(\.self)
    }

    /// The approximate memory size of all held exchanges, shown or not, in bytes.
    var heldBytes: Int {
        self.exchanges.reduce(0) { $0 + ($1?.size ?? 0) }
    }

    /// The exchange with a number; nil for any number that is not in the log.
    subscript(number: Int) -> Exchange? {
        let forgotten = self.total - self.count
        guard number > forgotten, number <= self.total else { return nil }
        return self.exchanges[self.first + number - forgotten - 1]
    }

    /// Returns true if the log has a refusal of this page.
    func holdsRefusal(ofPage origin: String) -> Bool {
        self.exchanges[self.first...].contains { $0?.refusedPage == origin }
    }

    private var count: Int {
        self.exchanges.count - self.first
    }

    /// Appends an exchange and removes the oldest beyond the limits; one that is too large alone stays until the next.
    ///
    /// - Returns: The exchange with its number.
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
