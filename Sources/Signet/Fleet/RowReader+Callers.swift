// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

extension RowReader {
    /// The use of a row.
    enum Purpose {
        /// A call that is under way needs it. Such a reading goes before all others.
        case call
        /// An open; one that gets an answer has a place until ``leaveOpen()``.
        case open
        /// A reading by itself.
        case refresh

        var entry: OpenAdmission.Entry? {
            switch self {
            case .call: nil
            case .open: .open
            case .refresh: .reading
            }
        }
    }

    /// A caller that waits.
    struct Caller {
        let key: UUID
        let purpose: Purpose
        let began: Duration
        let turn = Promise<Turn>()

        /// The uptime at which it is refused.
        var deadline: Duration { self.began + RowReader.limit }
    }

    enum Turn: Sendable {
        /// The reading was made by another caller.
        case answered(Result<Answer, SignetError>)
        /// This caller makes the next reading.
        case leads
    }

    /// The callers that wait.
    struct Waiting {
        /// Readings within calls that are under way.
        var calls: [Caller] = []
        /// All others.
        var opens: [Caller] = []

        var isEmpty: Bool { self.calls.isEmpty && self.opens.isEmpty }
        var all: [Caller] { self.calls + self.opens }

        mutating func append(_ caller: Caller) {
            if case .call = caller.purpose { self.calls.append(caller) } else { self.opens.append(caller) }
        }

        mutating func putBack(_ callers: [Caller]) {
            let (calls, opens) = (self.calls, self.opens)
            self = Waiting()
            for caller in callers { self.append(caller) }
            self.calls += calls
            self.opens += opens
        }

        mutating func removeAll(where isGone: (Caller) -> Bool) {
            self.calls.removeAll(where: isGone)
            self.opens.removeAll(where: isGone)
        }

        /// Takes those who go with a reading of one key, as far as they fit.
        ///
        /// Opens go in the order in which they came. If the first has waited for long, the store has become slow, and those who came
        /// last go first: the others would have no time left for what follows the reading.
        mutating func board(with key: UUID, at now: Duration) -> [Caller] {
            var keys: Set<UUID> = [key]
            var others: [Caller] = []
            func boards(_ caller: Caller) -> Bool {
                guard keys.contains(caller.key) || keys.count < RowReader.rows else { return false }
                keys.insert(caller.key)
                others.append(caller)
                return true
            }
            self.calls.removeAll(where: boards)
            guard let first = self.opens.first else { return others }
            guard now - first.began > OpenAdmission.patience else {
                self.opens.removeAll(where: boards)
                return others
            }
            var left: [Caller] = []
            for caller in self.opens.reversed() where !boards(caller) { left.append(caller) }
            self.opens = left.reversed()
            return others
        }

        /// Takes the newest caller, one within a call before all others.
        mutating func popNewest() -> Caller? {
            self.calls.popLast() ?? self.opens.popLast()
        }

        /// Takes those opens who have waited longest.
        mutating func shed(_ count: Int) -> [Caller] {
            guard count > 0 else { return [] }
            defer { self.opens.removeFirst(min(count, self.opens.count)) }
            return Array(self.opens.prefix(count))
        }
    }
}
