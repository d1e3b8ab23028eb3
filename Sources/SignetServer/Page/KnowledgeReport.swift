// SPDX-License-Identifier: Apache-2.0

#if Tool
import SignetEmulator
import SignetModel
import SignetTransport

/// The platform's state for the live page, limited to a screen or two.
struct KnowledgeReport: Sendable {
    /// The maximum number of users in a list.
    static let userLimit = 100
    /// The maximum number of events of a user.
    static let eventLimit = 200

    private let emulator: Emulator
    private let choice: PageChoice

    init(_ emulator: Emulator, _ choice: PageChoice) {
        self.emulator = emulator
        self.choice = choice
    }

    /// Writes the counts.
    func writeState(to writer: inout JSONWriter, log: ExchangeLog) {
        let counts = self.emulator.requestCounts()
        let ledger = self.emulator.ledger()
        let configuration = self.emulator.configuration
        writer.beginObject()
        writer.member("key", configuration.apiKey)
        writer.member("strategy", configuration.strategy.rawValue)
        self.choice.writeMembers(to: &writer, of: configuration)
        writer.member("users", ledger.users)
        writer.member("batches", ledger.totals.batches)
        writer.member("events", ledger.totals.events)
        writer.member("repetitions", ledger.totals.repetitions)
        writer.member("refusedBatches", ledger.totals.refused)
        writer.member("aliases", ledger.aliases)
        writer.member("visitors", self.choice.iterable.users().count)
        writer.member("unknownUsers", self.choice.iterable.unknownUsers().count)
        writer.member("people", self.choice.infobip.people().count)
        writer.member("installations", self.choice.infobip.installations().count)
        writer.member("exchanges", log.total)
        writer.key("requests")
        writer.beginObject()
        for (route, count) in counts.sorted(by: { $0.key < $1.key }) {
            writer.member(route, count)
        }
        writer.endObject()
        writer.endObject()
    }

    /// Writes the users of the three services whose names or identities contain a text, last seen first.
    func writeUsers(matching text: String, to writer: inout JSONWriter) {
        let needle = text.lowercased()
        // There may be many of these users, and a page asks twice a second.
        let (count, users) = self.emulator.users(matching: needle, newest: Self.userLimit)
        let others = self.others().filter { $0.matches(needle) }
        let newest = (users.map(KnownUser.init) + others)
            .sorted { ($1.lastSeen, $0.name) < ($0.lastSeen, $1.name) }
        writer.beginObject()
        writer.member("found", count + others.count)
        writer.key("users")
        writer.beginArray()
        for user in newest.prefix(Self.userLimit) { user.writeSummary(to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    /// Returns the user with a name: an MPID, or `visitor-` or `person-` and a number.
    func user(_ name: String) -> KnownUser? {
        if let mpid = MPID(name) {
            return self.emulator.user(mpid).map(KnownUser.init)
        }
        return self.others().first { $0.name == name }
    }

    /// Writes a user with sessions, devices and events.
    func write(_ user: KnownUser, to writer: inout JSONWriter) {
        let events = user.events(in: self.emulator, self.choice)
        writer.beginObject()
        user.writeMembers(to: &writer)
        writer.key("sessions")
        SessionReport(events).write(to: &writer)
        writer.key("devices")
        DeviceReport(user.batches(in: self.emulator)).write(to: &writer)
        writer.member("eventCount", events.count)
        writer.key("events")
        writer.beginArray()
        for event in events.suffix(Self.eventLimit).reversed() { event.write(to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    /// The users of the other two services.
    private func others() -> [KnownUser] {
        let iterable = self.choice.iterable.users().map(KnownUser.init)
        return iterable + self.choice.infobip.people().map(KnownUser.init)
    }
}
#endif
