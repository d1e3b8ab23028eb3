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

/// What the visitors' interface knows of one user: a value, taken at one moment.
public struct EmulatedVisitor: Sendable, Hashable {
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
    public let devices: [EmulatedDevice]
    /// What the last update put into the cart.
    public let cart: [EmulatedItem]
    /// The names of all users that were merged into this one, or that it had before it was renamed.
    public let mergedFrom: [EmulatedVisitorID]
    /// When it was made.
    public let firstSeen: Date
    /// All fields.
    package let json: JSONObject
}

extension EmulatedVisitor {
    init(_ profile: VisitorProfile) {
        self.init(
            number: profile.key,
            email: profile.email,
            userID: profile.userID,
            isUnknown: profile.isUnknown,
            isResurrected: profile.isResurrected,
            fields: VisitorFields.singleValues(of: profile.fields),
            bookkeeping: VisitorFields.bookkeeping(in: profile.fields),
            devices: profile.devices,
            cart: profile.cart,
            mergedFrom: profile.mergedFrom,
            firstSeen: WallClock.date(milliseconds: profile.firstSeen),
            json: profile.fields
        )
    }

    /// The fields as JSON, lists and objects among them.
    public var fieldsJSON: String {
        VisitorFields.text(of: self.json)
    }
}

extension EmulatedVisitor: CustomStringConvertible {
    /// The kind, without names and fields.
    public var description: String {
        "EmulatedVisitor(\(self.isUnknown ? "unknown" : "known"), \(self.fields.count) fields)"
    }
}
