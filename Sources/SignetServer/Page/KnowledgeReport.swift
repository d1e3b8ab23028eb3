// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
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
        let totals = self.emulator.totals()
        let configuration = self.emulator.configuration
        writer.beginObject()
        writer.member("key", configuration.apiKey)
        writer.member("strategy", configuration.strategy.rawValue)
        self.choice.writeMembers(to: &writer, of: configuration)
        writer.member("users", totals.users)
        writer.member("batches", totals.events.batches)
        writer.member("events", totals.events.events)
        writer.member("repetitions", totals.events.repetitions)
        writer.member("refusedBatches", totals.events.refused)
        writer.member("aliases", totals.aliases)
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

/// The sessions in a user's events.
struct SessionReport: Sendable {
    private struct Session {
        let id: String
        var first: Int64
        var last: Int64
        var events = 0
    }

    private var sessions: [Session] = []
    /// The ids of the sessions that have an end among the events.
    private let ended: Set<String>

    init(_ events: [KnownEvent]) {
        self.ended = Set(events.filter { $0.type == "session_end" }.compactMap(\.session))
        var positions: [String: Int] = [:]
        for event in events {
            guard let id = event.session else { continue }
            let position = positions[id] ?? self.sessions.count
            if position == self.sessions.count {
                positions[id] = position
                self.sessions.append(Session(id: id, first: event.time, last: event.time))
            }
            self.sessions[position].first = min(self.sessions[position].first, event.time)
            self.sessions[position].last = max(self.sessions[position].last, event.time)
            self.sessions[position].events += 1
        }
    }

    /// Writes the sessions, latest first.
    func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for session in self.sessions.sorted(by: { $0.first > $1.first }).prefix(KnowledgeReport.eventLimit) {
            writer.beginObject()
            writer.member("id", session.id)
            writer.member("first", session.first)
            writer.member("last", session.last)
            writer.member("events", session.events)
            writer.member("isEnded", self.ended.contains(session.id))
            writer.endObject()
        }
        writer.endArray()
    }
}

/// The devices in the batches of a user.
struct DeviceReport: Sendable {
    /// The maximum number of devices per user.
    static let limit = 50

    private struct Device: Hashable {
        let device: [String: String]
        let application: [String: String]
        let address: String?
    }

    private struct Use {
        var last: Int64
        var events = 0
    }

    private var uses: [Device: Use] = [:]

    init(_ batches: [EmulatedBatch]) {
        for batch in batches {
            let device = Device(device: batch.deviceInfo, application: batch.applicationInfo, address: batch.ip)
            let time = batch.receivedAt.milliseconds
            self.uses[device, default: Use(last: time)].last = time
            self.uses[device, default: Use(last: time)].events += batch.eventCount
        }
    }

    /// Writes the devices, last used first.
    func write(to writer: inout JSONWriter) {
        let newest = self.uses.map { ($0, $1, Self.text($0.device)) }
            .sorted { ($1.1.last, $0.2) < ($0.1.last, $1.2) }
        writer.beginArray()
        for (device, use, text) in newest.prefix(Self.limit) {
            writer.beginObject()
            writer.member("device", text)
            writer.member("application", Self.text(device.application))
            if let address = device.address { writer.member("ip", address) }
            writer.member("last", use.last)
            writer.member("events", use.events)
            writer.endObject()
        }
        writer.endArray()
    }

    private static func text(_ members: [String: String]) -> String {
        members.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
#endif
