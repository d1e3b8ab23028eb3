// SPDX-License-Identifier: Apache-2.0

/// Suspended tasks in order of arrival.
///
/// A task that is cancelled before it enters does not wait.
struct WaitingRoom: Sendable {
    typealias Guest = CheckedContinuation<Bool, Never>

    private var guests: [(ticket: Int, guest: Guest)] = []
    private var calledAway: Set<Int> = []
    private var tickets = 0

    var count: Int {
        self.guests.count
    }

    mutating func ticket() -> Int {
        self.tickets += 1
        return self.tickets
    }

    /// Returns false when the ticket was called away before; the caller then resumes the guest.
    mutating func enter(_ guest: Guest, with ticket: Int) -> Bool {
        guard self.calledAway.remove(ticket) == nil else { return false }
        self.guests.append((ticket, guest))
        return true
    }

    /// Calls a guest away and returns it; nil when it has not entered yet or has left already.
    mutating func leave(_ ticket: Int) -> Guest? {
        guard let index = self.guests.firstIndex(where: { $0.ticket == ticket }) else {
            self.calledAway.insert(ticket)
            return nil
        }
        return self.guests.remove(at: index).guest
    }

    mutating func leaveFirst() -> Guest? {
        self.guests.isEmpty ? nil : self.guests.removeFirst().guest
    }

    mutating func leaveAll() -> [Guest] {
        defer { self.guests.removeAll() }
        return self.guests.map(\.guest)
    }
}
