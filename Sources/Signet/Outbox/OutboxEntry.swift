//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

/// What other services are to do because the user of an installation has changed: recorded with the new user, before the call
/// that changed them returns.
struct OutboxEntry: Sendable, Hashable {
    /// What is to be done.
    enum Call: Sendable, Hashable {
        /// The user is known by these.
        case identify(email: String?, customerID: String?)
        /// Who was known has gone.
        case leave
    }

    /// Its name: a service writes it down with what it does about it, and does it once.
    let id: UUID
    /// The user with whom it counts: written before them, it says nothing without them; nil once they are erased.
    private(set) var mpid: MPID?
    private(set) var call: Call
    /// Which services have not said how it ended.
    var services: Set<IdentitySyncOutcome.Service>

    /// What a change of the user asks for; nil for nothing.
    init?(_ previous: User?, _ current: User, for services: Set<IdentitySyncOutcome.Service>) {
        let call = Self.identification(of: current)
        let wasKnown = previous.flatMap { Self.identification(of: $0) } != nil
        guard !services.isEmpty, call != nil || wasKnown else { return nil }
        self.init(id: .random(), mpid: current.mpid, call: call ?? .leave, services: services)
    }

    init(id: UUID, mpid: MPID?, call: Call, services: Set<IdentitySyncOutcome.Service>) {
        (self.id, self.mpid, self.call, self.services) = (id, mpid, call, services)
    }

    private static func identification(of user: User) -> Call? {
        let (email, customerID) = (user.identities[.email]?.value, user.identities[.customerID]?.value)
        return email == nil && customerID == nil ? nil : .identify(email: email, customerID: customerID)
    }

    /// The user is erased: that somebody came keeps its place, so that none before it is taken for one after it.
    mutating func forgetUser() {
        (self.mpid, self.call) = (nil, .leave)
    }

    /// As it is on disk.
    var json: JSONValue {
        var object: JSONObject = [
            "id": .string(self.id.uuidString),
            "for": .array(self.services.map(\.description).sorted().map(JSONValue.string)),
        ]
        object["mpid"] = self.mpid.map { .number(JSONNumber($0.rawValue)) }
        if case .identify(let email, let customerID) = self.call {
            object["email"] = email.map(JSONValue.string)
            object["customer"] = customerID.map(JSONValue.string)
        }
        return .object(object)
    }

    /// Reads it; nil for something else.
    init?(_ value: JSONValue) {
        guard let id = value["id"]?.string.flatMap(UUID.init(uuidString:)),
            let services = value["for"]?.array?.compactMap(\.string)
        else { return nil }
        let (email, customerID) = (value["email"]?.string, value["customer"]?.string)
        let isNobody = email == nil && customerID == nil
        self.init(
            id: id,
            mpid: value["mpid"]?.number?.int64.flatMap(MPID.init(rawValue:)),
            call: isNobody ? .leave : .identify(email: email, customerID: customerID),
            services: Set(services.map { IdentitySyncOutcome.Service(name: $0) })
        )
    }
}
