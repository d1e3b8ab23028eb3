// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTesting

@testable import Signet

// The events that the platform has, beside those that were logged.
extension FleetSimulation {
    var arrived: [EmulatedEvent] {
        self.emulator.users().flatMap { self.emulator.events(of: $0.mpid) }
    }

    func checkEvents() {
        var arrivals: [Int: [EmulatedEvent]] = [:]
        for event in self.arrived where event.type == "custom_event" {
            guard let number = event.customAttributes["number"].flatMap({ Int($0) }) else { continue }
            arrivals[number, default: []].append(event)
        }
        let (events, dropped, hasLostWrites) = self.book.with { ($0.events, $0.dropped, $0.hasLostWrites) }
        let optedIn = (0..<Self.installationCount).map { self.witness.state($0)?.part.eventsFrom ?? .min }
        var missing = 0
        for (number, event) in events.enumerated() {
            let found = arrivals[number, default: []]
            if found.count > 1 { self.book.fail("event \(number) arrived \(found.count) times") }
            guard let first = found.first else {
                guard event.isAccepted, !event.isUnknown else { continue }
                missing += 1
                if !hasLostWrites { self.checkLoss(number, event, optedIn: optedIn[event.installation]) }
                continue
            }
            if !event.isAccepted, !event.isUnknown { self.book.fail("event \(number) was refused, and arrived") }
            if event.isOptedOut, !hasLostWrites { self.book.fail("event \(number) arrived after an opt-out") }
            self.checkUser(number, event, first)
        }
        if missing > dropped { self.book.fail("\(missing) events are missing, \(dropped) were dropped") }
        if !self.isWell { self.tellCounts() }
        self.book.reach("events", events.count)
        self.checkOptOuts()
        let waiting = self.replicas.reduce(0) { $0 + ($1.process?.runtime.statistics.eventsWaiting ?? 0) }
        // The event of an opting out waits for the first user.
        let isOut = self.book.with { !$0.optedOut.isEmpty }
        if waiting > 0, !isOut { self.book.fail("\(waiting) events still wait") }
    }

    // MARK: - Whose it is

    /// An event is the user's whom its handle showed; else the user's of its moment, whom the row remembers.
    private func checkUser(_ number: Int, _ event: FleetBook.Logged, _ arrived: EmulatedEvent) {
        if let user = event.user {
            self.book.reach("events of a user")
            guard arrived.mpid != user else { return }
            return self.book.fail("event \(number) of \(user) arrived as that of \(arrived.mpid)")
        }
        let (erasedOn, hasLostWrites) = self.book.with { ($0.erasedOn, $0.hasLostWrites) }
        // Of an erased user's time the row says only that it is theirs; and a failover takes changes back.
        guard !erasedOn.contains(event.installation), !hasLostWrites else { return }
        self.book.reach("events of a moment")
        let changes = self.book.with { $0.changes[event.installation, default: []] }
        let owners = Self.owners(in: changes, from: event.changes, at: arrived.timestamp)
        guard !owners.contains(arrived.mpid) else { return }
        let names = owners.map(\.description).sorted().joined(separator: " or ")
        self.book.fail("event \(number) of \(arrived.timestamp) arrived as that of \(arrived.mpid), not of \(names)")
    }

    /// The users to whom an event may belong, by the changes that were known when it was logged, or later.
    ///
    /// The store may carry a change out later than at its moment. So each list since the event counts.
    private static func owners(
        in changes: [FleetBook.UserChange],
        from first: Int,
        at milliseconds: Int64
    ) -> Set<MPID> {
        var owners: Set<MPID> = []
        for count in first...max(first, changes.count) {
            let known = changes.prefix(count)
            guard let last = known.last(where: { $0.milliseconds <= milliseconds }) ?? known.first else { continue }
            // Of changes within a millisecond, nobody knows which was before the event.
            owners.formUnion(known.filter { $0.milliseconds == last.milliseconds }.map(\.mpid))
        }
        return owners
    }

    // MARK: - What is missing

    /// Only what the simulation expects to be dropped is missing, whatever the runtime has counted.
    private func checkLoss(_ number: Int, _ event: FleetBook.Logged, optedIn: Int64) {
        let reason = self.book.with { state -> String? in
            // Before an opt-out, or while out on a handle that did not know it; opting in drops what was before it.
            if number < state.optedOutUpTo[event.installation, default: 0] { return "opted out" }
            if event.milliseconds < optedIn { return "opted out" }
            if let user = event.user { return state.erasing.contains(user) ? "erased" : nil }
            if state.erasedOn.contains(event.installation) { return "erased" }
            // The row does not remember the user of a moment before its last changes.
            let changes = state.changes[event.installation, default: []].count
            return changes >= SharedPart.limit ? "forgotten" : nil
        }
        guard let reason else {
            let user = event.user?.description ?? "nobody"
            return self.book.fail("event \(number) of visitor \(event.installation), of \(user), is lost")
        }
        self.book.reach("missing: \(reason)")
    }

    /// Each choice that a call has returned for has its event, whichever replica has died meanwhile.
    private func checkOptOuts() {
        let (reached, isOut, hasLostWrites) = self.book.with { ($0.reached, !$0.optedOut.isEmpty, $0.hasLostWrites) }
        // An erased user's go with them; those of an installation without a user wait.
        guard !hasLostWrites, !isOut, reached["step erase"] == nil else { return }
        // That of a choice without a user is the user's of its moment, whom a row may have forgotten.
        let isForgotten = self.book.with { $0.changes.values.contains { $0.count >= SharedPart.limit } }
        guard !isForgotten else { return }
        let made = reached["optOut", default: 0] + reached["optIn", default: 0]
        let told = Set(self.arrived.filter { $0.type == "opt_out" }.map(\.messageID)).count
        if told < made { self.book.fail("\(made) choices were made, and \(told) were told") }
        self.book.reach("choices", made)
    }

    private func tellCounts() {
        for replica in self.replicas {
            guard let counts = replica.process?.runtime.statistics else { continue }
            let (accepted, delivered) = (counts.eventsAccepted, counts.eventsDelivered)
            self.tell("replica \(replica.index): restored \(counts.eventsRestored), accepted \(accepted)")
            self.tell("delivered \(delivered), waiting \(counts.eventsWaiting), dropped \(counts.eventsDropped)")
        }
    }
}
