//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetTransport

import struct SignetModel.MPID

// What events have told of users, and how much came: with it, the requests whose events are forgotten need not be kept.
extension Emulator {
    /// How far the platform has come.
    package func ledger() -> ProgressCounters {
        self.withState { (state, _) in state.ledger }
    }

    /// What the platform knows because of events, without the events: in pieces of some users each.
    package func checkpoint() -> [JSONValue] {
        self.withState { (state, _) in state.checkpoint }
    }

    /// Sets what a checkpoint says, whatever it was before.
    ///
    /// - Parameter piece: One of a checkpoint's pieces; users that are not there are passed over.
    package func restore(_ piece: JSONValue) {
        self.withState { (state, _) in state.restore(piece) }
    }
}

extension PlatformState {
    private static let usersOfPiece = 256
    // Far below what a record of a journal may have; a user who is beyond that alone is a piece alone.
    private static let bytesOfPiece = 4 << 20

    fileprivate var checkpoint: [JSONValue] {
        let infobip = self.infobip.infobip.values.sorted { $0.mpid < $1.mpid }
        var pieces = [self.counts]
        var users: [JSONValue] = []
        var bytes = 0
        for profile in infobip {
            let user = Self.told(profile)
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

    private static func told(_ profile: InfobipProfile) -> JSONValue {
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
