// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator

/// What the platform knows, asked of the platform itself.
struct PlatformReport: Sendable, Hashable {
    /// One user.
    struct User: Sendable, Hashable {
        let mpid: MPID
        let isKnown: Bool
        /// By the names of IDSync requests; several of one type only under the best match strategy.
        let identities: [String: [String]]
        /// By `event_type` of the Events API.
        let events: [String: Int]
        /// Distinct sessions among the events.
        let sessions: Int
        let revenue: Double

        init(_ user: EmulatedUser, events: [EmulatedEvent]) {
            self.mpid = user.mpid
            self.isKnown = user.isKnown
            self.identities = Dictionary(
                uniqueKeysWithValues: user.identities.map { ($0.key.wireName, $0.value.sorted()) }
            )
            // What the runtime tells of users by itself is not in the trace; its own account covers it (`eventsLost`).
            let events = events.filter { !$0.type.hasPrefix("user_") }
            self.events = events.reduce(into: [:]) { $0[$1.type, default: 0] += 1 }
            self.sessions = Set(events.compactMap(\.sessionUUID)).count
            // Cents are exact in a sum of fewer than 10^13 of them; what is left over is rounding.
            self.revenue = (events.reduce(0) { $0 + ($1.totalAmount ?? 0) } * 100).rounded() / 100
        }

        /// The name to show: the customer id if there is one.
        var name: String {
            self.identities["customerid"]?.first ?? self.mpid.description
        }
    }

    /// In order of MPID.
    let users: [User]
    /// Requests that arrived, by the name of the route.
    let requests: [String: Int]
    /// Batches that the platform took.
    let batches: Int
    /// Batches that the platform refused.
    let deadLetterBatches: Int

    init(_ platform: Emulator) {
        self.users = platform.users().map { User($0, events: platform.events(of: $0.mpid)) }
        self.requests = platform.requestCounts()
        self.batches = platform.batches().count
        self.deadLetterBatches = platform.refusedBatches().count
    }

    /// Events of all users, by `event_type`.
    var received: [String: Int] {
        self.users.reduce(into: [:]) { $0.merge($1.events, uniquingKeysWith: +) }
    }

    /// Requests about identity.
    var idsyncRequests: Int {
        self.requests.reduce(0) { EmulatorRoute(rawValue: $1.key)?.isIdentity == true ? $0 + $1.value : $0 }
    }
}

extension EmulatorRoute {
    fileprivate var isIdentity: Bool {
        switch self {
        case .identify, .login, .logout, .search, .modify, .alias: true
        default: false
        }
    }
}
