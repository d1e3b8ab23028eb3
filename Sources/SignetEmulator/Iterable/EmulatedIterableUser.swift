//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import struct FoundationEssentials.Date
public import enum SignetModel.AttributeValue
package import struct SignetTransport.JSONObject

/// What Iterable's API knows of one user: a value, taken at one moment.
public struct EmulatedIterableUser: Sendable, Hashable {
    /// What tells it from others of the project, in the order in which they were made; nobody gets it again.
    public let number: Int
    /// The address.
    public let email: String?
    /// The user id; a UUID of an unknown user.
    public let userID: String?
    /// Whether a client made it for a visitor that it does not know.
    public let isUnknown: Bool
    /// Whether a user of the same name was merged away before: something came for it too late.
    public let isResurrected: Bool
    /// Those fields that are single values.
    public let fields: [String: AttributeValue]
    /// Fields that are a client's own notes and leaked: `eventType` and `eventTimeStamp`.
    public let bookkeeping: [String]
    /// The devices, in the order of their first registration.
    public let devices: [EmulatedIterableDevice]
    /// What the last update put into the cart.
    public let cart: [EmulatedIterableItem]
    /// The names of all users that were merged into this one, or that it had before it was renamed.
    public let mergedFrom: [EmulatedIterableUserID]
    /// When it was made.
    public let firstSeen: Date
    /// All fields.
    package let json: JSONObject
}

extension EmulatedIterableUser {
    init(_ profile: IterableUserRecord) {
        self.init(
            number: profile.key,
            email: profile.email,
            userID: profile.userID,
            isUnknown: profile.isUnknown,
            isResurrected: profile.isResurrected,
            fields: IterableFields.singleValues(of: profile.fields),
            bookkeeping: IterableFields.bookkeeping(in: profile.fields),
            devices: profile.devices,
            cart: profile.cart,
            mergedFrom: profile.mergedFrom,
            firstSeen: WallClock.date(milliseconds: profile.firstSeen),
            json: profile.fields
        )
    }

    /// The fields as JSON, lists and objects among them.
    public var fieldsJSON: String {
        IterableFields.text(of: self.json)
    }
}

extension EmulatedIterableUser: CustomStringConvertible {
    /// The kind, without names and fields.
    public var description: String {
        "EmulatedVisitor(\(self.isUnknown ? "unknown" : "known"), \(self.fields.count) fields)"
    }
}
