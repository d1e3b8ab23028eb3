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

/// What another service is to do because the user of an installation has changed: recorded with the new user, before the call
/// that changed them returns.
struct LinkedRecord: Sendable, Hashable {
    /// What is to be done.
    enum Call: Sendable, Hashable {
        /// The user is known by these.
        case identify(email: String?, customerID: String?)
        /// Who was known has gone.
        case leave
    }

    let id: UUID
    /// The user with whom it counts: written before them, it says nothing without them.
    let mpid: MPID
    let call: Call

    private static let version: Int64 = 1

    /// What a change of the user asks for; nil for nothing.
    init?(_ previous: User?, _ current: User) {
        let call = Self.identification(of: current)
        guard call != nil || previous.flatMap({ Self.identification(of: $0) }) != nil else { return nil }
        self.init(id: .random(), mpid: current.mpid, call: call ?? .leave)
    }

    private init(id: UUID, mpid: MPID, call: Call) {
        (self.id, self.mpid, self.call) = (id, mpid, call)
    }

    private static func identification(of user: User) -> Call? {
        let (email, customerID) = (user.identities[.email]?.value, user.identities[.customerID]?.value)
        return email == nil && customerID == nil ? nil : .identify(email: email, customerID: customerID)
    }

    /// The bytes on disk.
    func encoded() -> [UInt8] {
        var object: JSONObject = [
            "v": .number(JSONNumber(Self.version)), "id": .string(self.id.uuidString),
            "mpid": .number(JSONNumber(self.mpid.rawValue)),
        ]
        if case .identify(let email, let customerID) = self.call {
            object["email"] = email.map(JSONValue.string)
            object["customer"] = customerID.map(JSONValue.string)
        }
        return JSONValue.object(object).encoded()
    }

    /// Reads the bytes on disk; nil when they are something else.
    init?(_ bytes: [UInt8]) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(bytes)
        } catch {
            return nil
        }
        guard value["v"]?.number?.int64 == Self.version,
            let id = value["id"]?.string.flatMap(UUID.init(uuidString:)),
            let mpid = value["mpid"]?.number?.int64.flatMap(MPID.init(rawValue:))
        else { return nil }
        let (email, customerID) = (value["email"]?.string, value["customer"]?.string)
        let isNobody = email == nil && customerID == nil
        self.init(id: id, mpid: mpid, call: isNobody ? .leave : .identify(email: email, customerID: customerID))
    }
}
