// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

import struct SignetModel.MPID

// A checkpoint holds the counts and what events set on users, so requests whose events are forgotten can be removed.
extension Emulator {
    /// Returns the platform's progress counters.
    package func ledger() -> ProgressCounters {
        self.withState { (state, _) in state.ledger }
    }

    /// Returns the counts and the user state that came from events, without the events, in pieces of up to 256 users.
    package func checkpoint() -> [JSONValue] {
        self.withState { (state, _) in state.checkpoint }
    }

    /// Replaces the current values with those of a checkpoint.
    ///
    /// - Parameter piece: One of a checkpoint's pieces; unknown users are skipped.
    package func restore(_ piece: JSONValue) {
        self.withState { (state, _) in state.restore(piece) }
    }
}

extension PlatformState {
    private static let usersOfPiece = 256
    // Far below the size limit of a journal record; a larger user gets a piece of its own.
    private static let bytesOfPiece = 4 << 20

    fileprivate var checkpoint: [JSONValue] {
        let records = self.users.users.values.sorted { $0.mpid < $1.mpid }
        var pieces = [self.counts]
        var users: [JSONValue] = []
        var bytes = 0
        for record in records {
            let user = Self.told(record)
            let size = user.encoded().count
            if users.count == Self.usersOfPiece || (bytes + size > Self.bytesOfPiece && !users.isEmpty) {
                pieces.append(["users": .array(users)])
                (users, bytes) = ([], 0)
            }
            users.append(user)
            bytes += size
        }
        if !users.isEmpty { pieces.append(["users": .array(users)]) }
        return pieces
    }

    fileprivate mutating func restore(_ piece: JSONValue) {
        for user in piece["users"]?.array ?? [] { self.restore(user: user) }
        guard let requests = piece["requests"]?.object, let totals = piece["totals"] else { return }
        self.restore(
            received: Dictionary(
                requests.compactMap { name, count in
                    EmulatorRoute(rawValue: name).map { ($0, Self.count(count)) }
                },
                uniquingKeysWith: max
            ),
            contexts: Self.count(piece["contexts"])
        )
        var counted = EventTotals()
        counted.batches = Self.count(totals["batches"])
        counted.events = Self.count(totals["events"])
        counted.repetitions = Self.count(totals["repetitions"])
        counted.refused = Self.count(totals["refused"])
        self.restore(counted)
    }

    private var counts: JSONValue {
        var requests = JSONObject()
        for (route, count) in self.received.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            requests[route.rawValue] = Self.number(count)
        }
        let totals = self.eventHandler.totals
        return [
            "requests": .object(requests), "contexts": Self.number(self.contexts),
            "totals": [
                "batches": Self.number(totals.batches), "events": Self.number(totals.events),
                "repetitions": Self.number(totals.repetitions), "refused": Self.number(totals.refused),
            ],
        ]
    }

    private static func told(_ profile: UserRecord) -> JSONValue {
        var user: JSONObject = [
            "mpid": .number(JSONNumber(profile.mpid.rawValue)), "lastSeen": .number(JSONNumber(profile.lastSeen)),
            "attributes": .object(profile.attributes),
        ]
        if let consent = profile.consent { user["consent"] = .object(consent) }
        if let isOptedOut = profile.isOptedOut { user["isOptedOut"] = .bool(isOptedOut) }
        return .object(user)
    }

    private mutating func restore(user: JSONValue) {
        guard let mpid = user["mpid"]?.number?.int64.flatMap(MPID.init(rawValue:)) else { return }
        self.restore(mpid) { profile in
            profile.attributes = user["attributes"]?.object ?? profile.attributes
            profile.consent = user["consent"]?.object
            profile.isOptedOut = user["isOptedOut"]?.bool
            profile.lastSeen = user["lastSeen"]?.number?.int64 ?? profile.lastSeen
        }
    }

    private static func number(_ count: Int) -> JSONValue {
        .number(JSONNumber(Int64(count)))
    }

    private static func count(_ value: JSONValue?) -> Int {
        Int(value?.number?.int64 ?? 0)
    }
}
