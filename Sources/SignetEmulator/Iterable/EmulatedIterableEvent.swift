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

/// A custom event, a purchase or the contents of a cart, as it arrived at Iterable's API.
public struct EmulatedIterableEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// `events/track`.
        case custom
        /// `commerce/trackPurchase`.
        case purchase
        /// `commerce/updateCart`.
        case cart
    }

    /// What happened.
    public let kind: Kind
    /// Who the request named; after a merge still the user of then.
    public let user: EmulatedIterableUserID
    /// `eventName` of a custom event.
    public let name: String?
    /// `id`: a later request with the same one replaces what it says and keeps its place.
    ///
    /// Our own choice: the vendor's clients send none, so none of them says what the service does with it.
    public let eventID: String?
    /// `createdAt`, in seconds; nil when the request had none.
    public let createdAt: Date?
    /// `total` of a purchase.
    public let total: Double?
    /// `items` of a purchase or a cart.
    public let items: [EmulatedIterableItem]
    /// Those members of `dataFields` that are single values.
    public let fields: [String: AttributeValue]
    /// Members that are a client's own notes and leaked: `eventType` and `eventTimeStamp`, wherever they stand.
    public let bookkeeping: [String]
    /// The number of the request that brought it first: an order over all routes of the project.
    public internal(set) var number = 0
    /// When it came first.
    public internal(set) var receivedAt = Date(timeIntervalSince1970: 0)
    /// How often a request with its `id` came; 1 for an event without one.
    public internal(set) var deliveries = 1
    /// Whether a request that said exactly the same of the same user came before: most likely one sent twice.
    ///
    /// Only for events without an `id`; the platform keeps both.
    public internal(set) var isRepetition = false
    /// Who had the event before a merge gave it to its user; nil when it never moved.
    public internal(set) var mergedFrom: EmulatedIterableUserID?
    /// The whole request.
    package let json: JSONObject
}

extension EmulatedIterableEvent {
    /// Reads an event whose request was checked.
    init(
        _ kind: Kind,
        of user: EmulatedIterableUserID,
        items: [EmulatedIterableItem] = [],
        createdAt: Int64?,
        json: JSONObject
    ) {
        let fields = json["dataFields"]?.object ?? JSONObject()
        self.init(
            kind: kind,
            user: user,
            name: json["eventName"]?.string,
            eventID: json["id"]?.string,
            createdAt: createdAt.map { Date(timeIntervalSince1970: Double($0)) },
            total: json["total"]?.number?.double,
            items: items,
            fields: IterableFields.singleValues(of: fields),
            bookkeeping: IterableFields.bookkeeping(in: json) + IterableFields.bookkeeping(in: fields),
            json: json
        )
    }

    /// The same event as a later request with its id says it.
    func replaced(by later: EmulatedIterableEvent) -> EmulatedIterableEvent {
        var event = later
        event.number = self.number
        event.receivedAt = self.receivedAt
        event.deliveries = self.deliveries + 1
        event.mergedFrom = self.mergedFrom
        return event
    }
}

extension EmulatedIterableEvent: CustomStringConvertible {
    /// The kind and the order, without names and fields.
    public var description: String {
        "EmulatedVisitorEvent(\(self.kind), request \(self.number))"
    }
}
