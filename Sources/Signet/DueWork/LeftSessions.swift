// SPDX-License-Identifier: Apache-2.0

/// The installations whose open session no object in memory watches, by the second in which it is over.
///
/// It takes 4 bytes for each.
struct LeftSessions: Sendable {
    private var seconds: [Int64: [UInt32]] = [:]
    /// The seconds with installations, the earliest last.
    private var keys: [Int64] = []
    private(set) var count = 0
    /// The uptime since which the disk refuses their ends; nil after it has accepted one.
    private var refusedSince: Duration?
    /// Those whose end is further away than a timeout, as the wall clock was set back: they end after one.
    private var waiting: Set<UInt32> = []

    /// The uptime at which the first session is over; up to a second late.
    var first: Duration? {
        self.keys.last.map { .seconds($0) }
    }

    /// The number of installations whose session is over, and the uptime since which one of them waits.
    func overdue(at now: Duration) -> (count: Int, since: Duration?) {
        let due = self.keys.reversed().prefix { .seconds($0) <= now }
        let count = due.reduce(0) { $0 + (self.seconds[$1]?.count ?? 0) }
        return (count, self.refusedSince ?? due.first.map { .seconds($0) })
    }

    /// The disk has accepted ends, or has refused some.
    mutating func written(refused: [UInt32], now: Duration, pause: Duration) {
        self.refusedSince = refused.isEmpty ? nil : self.refusedSince ?? now
        for number in refused { self.insert(number, at: now + pause) }
    }

    /// Adds an installation by the end of its session.
    ///
    /// A clock that was set back delays the end by one timeout at most.
    ///
    /// - Parameters:
    ///   - number: The installation.
    ///   - end: The last event and the timeout, in milliseconds since 1970.
    ///   - now: The current time.
    ///   - timeout: The time that a session lives without an event.
    mutating func insert(_ number: UInt32, endingAt end: Int64, now: SessionTimestamp, timeout: Duration) {
        let deadline = now.uptime(at: end)
        if deadline > now.uptime + timeout { self.waiting.insert(number) }
        self.insert(number, at: min(deadline, now.uptime + timeout))
    }

    /// Returns true, once, if an installation was left alone for a timeout, whatever the wall clock says.
    mutating func takeWaited(_ number: UInt32) -> Bool {
        !self.waiting.isEmpty && self.waiting.remove(number) != nil
    }

    /// Adds an installation.
    ///
    /// - Parameters:
    ///   - number: The installation.
    ///   - deadline: The uptime at which its session is over.
    mutating func insert(_ number: UInt32, at deadline: Duration) {
        let (whole, rest) = deadline.components
        let key = rest > 0 && whole < .max ? whole + 1 : whole
        if self.seconds[key] == nil {
            var (low, high) = (0, self.keys.count)
            while low < high {
                let middle = (low + high) / 2
                if self.keys[middle] > key { low = middle + 1 } else { high = middle }
            }
            self.keys.insert(key, at: low)
        }
        self.seconds[key, default: []].append(number)
        self.count += 1
    }

    /// Takes installations whose session is over.
    ///
    /// - Parameters:
    ///   - limit: The most installations.
    ///   - now: Uptime.
    /// - Returns: The installations, the earliest first.
    mutating func popDue(_ limit: Int, at now: Duration) -> [UInt32] {
        var due: [UInt32] = []
        while due.count < limit, let key = self.keys.last, .seconds(key) <= now {
            guard var numbers = self.seconds.removeValue(forKey: key) else { break }
            let taken = numbers.prefix(limit - due.count)
            due += taken
            numbers.removeFirst(taken.count)
            if numbers.isEmpty { self.keys.removeLast() } else { self.seconds[key] = numbers }
        }
        self.count -= due.count
        return due
    }

    /// Takes all installations.
    mutating func removeAll() -> [UInt32] {
        let all = self.keys.reversed().flatMap { self.seconds[$0] ?? [] }
        self = LeftSessions()
        return all
    }
}
