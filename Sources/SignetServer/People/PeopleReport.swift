// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetModel
import SignetTransport

/// The people behind the users of the three services: a person has a user in each service that knows the same identities.
struct PeopleReport: Sendable {
    // Beyond all people that fit in memory.
    private static let lastFirst = 1 << 32

    private let emulator: Emulator
    private let others: [KnownUser]
    private let positions: [PersonLink: [Int]]

    init(_ emulator: Emulator, _ choice: PageChoice) {
        self.emulator = emulator
        self.others = choice.iterable.users().map(KnownUser.init) + choice.infobip.people().map(KnownUser.init)
        var positions: [PersonLink: [Int]] = [:]
        for (position, user) in self.others.enumerated() {
            for link in user.links { positions[link, default: []].append(position) }
        }
        self.positions = positions
    }

    /// Returns a user and those of the other two services that share an identity with it.
    func members(of user: KnownUser) -> [KnownUser] {
        let shared = Set(user.links.flatMap { self.positions[$0] ?? [] }).sorted()
        return [user] + shared.map { self.others[$0] }.filter { $0.name != user.name }
    }

    /// Writes a page of the people of whom a user matches a text, last seen first.
    ///
    /// - Parameters:
    ///   - text: The text; empty matches all people.
    ///   - first: The number of people before the page; negative ones count as 0.
    ///   - writer: Receives an object with the number of all matches and at most ``KnowledgeReport/userLimit`` people.
    func write(matching text: String, from first: Int, to writer: inout JSONWriter) {
        let first = min(max(0, first), Self.lastFirst)
        var (found, users) = self.found(text.lowercased(), newest: first + KnowledgeReport.userLimit)
        users.sort { ($1.lastSeen, $0.name) < ($0.lastSeen, $1.name) }
        writer.beginObject()
        writer.member("found", found)
        writer.key("people")
        writer.beginArray()
        for user in users.dropFirst(first).prefix(KnowledgeReport.userLimit) { self.write(user, to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    /// Returns the user that stands for the person of a user.
    ///
    /// - Parameter name: The name of a user of any of the services.
    /// - Returns: The user; nil for an unknown name.
    func person(_ name: String) -> KnownUser? {
        if let mpid = MPID(name) { return self.emulator.user(mpid).map(KnownUser.init) }
        return self.others.first { $0.name == name }.flatMap { self.representative(of: $0) }
    }

    /// Writes a person: the name, and the user of each service.
    func write(_ user: KnownUser, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", user.name)
        writer.key("members")
        writer.beginArray()
        for member in self.members(of: user) { member.writeSummary(to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    // One user stands for each person: that of the identity platform, else the first of the other services.
    private func found(_ needle: String, newest limit: Int) -> (count: Int, users: [KnownUser]) {
        let (count, known) = self.emulator.users(matching: needle, newest: limit)
        var users = known.map(KnownUser.init)
        var total = count
        var named: Set<String> = []
        for other in self.others where other.matches(needle) {
            guard let representative = self.representative(of: other), named.insert(representative.name).inserted else {
                continue
            }
            // A user of the platform that matches is counted already.
            if representative.mpid != nil, representative.matches(needle) { continue }
            users.append(representative)
            total += 1
        }
        return (total, users)
    }

    private func representative(of other: KnownUser) -> KnownUser? {
        let holders = other.links.flatMap { link in
            switch link {
            case .customer(let id): self.emulator.holders(of: id, .customerID)
            case .email(let email): self.emulator.holders(of: email, .email)
            }
        }
        if let mpid = holders.min() { return self.emulator.user(mpid).map(KnownUser.init) }
        return other.links.compactMap { self.positions[$0]?.first }.min().map { self.others[$0] } ?? other
    }
}
#endif
