// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date
public import enum SignetModel.AttributeValue
package import struct SignetTransport.JSONObject

/// A snapshot of the data of Infobip's API about one person.
public struct EmulatedInfobipPerson: Sendable, Hashable {
    /// The person's unique number, from 1, in the order of creation.
    public let number: Int
    /// True for a customer, false for a lead.
    public let isCustomer: Bool
    /// `externalUserId`.
    public let externalUserID: String?
    /// The phone numbers, without `+`.
    public let phones: [String]
    /// The addresses.
    public let emails: [String]
    /// `firstName`.
    public let firstName: String?
    /// `middleName`.
    public let middleName: String?
    /// `lastName`.
    public let lastName: String?
    /// `gender`.
    public let gender: String?
    /// `birthday`, as `yyyy-MM-dd`.
    public let birthday: String?
    /// `tags`, in the order of arrival.
    public let tags: [String]
    /// The custom attributes with single values.
    public let attributes: [String: AttributeValue]
    /// The registrations, in the order in which this person got them.
    public let installations: [String]
    /// The numbers of the leads that were merged into this person.
    public let absorbed: [Int]
    /// The time of creation.
    public let firstSeen: Date
    /// All custom attributes.
    package let json: JSONObject
}

extension EmulatedInfobipPerson {
    init(_ profile: InfobipPersonRecord) {
        self.init(
            number: profile.key,
            isCustomer: profile.isCustomer,
            externalUserID: profile.externalUserID,
            phones: profile.phones,
            emails: profile.emails,
            firstName: profile.standard["firstName"]?.string,
            middleName: profile.standard["middleName"]?.string,
            lastName: profile.standard["lastName"]?.string,
            gender: profile.standard["gender"]?.string,
            birthday: profile.standard["birthday"]?.string,
            tags: profile.standard["tags"]?.array?.compactMap(\.string) ?? [],
            attributes: IterableFields.singleValues(of: profile.custom),
            installations: profile.installations,
            absorbed: profile.absorbed,
            firstSeen: WallClock.date(milliseconds: profile.firstSeen),
            json: profile.custom
        )
    }

    /// The custom attributes as JSON, lists of objects included.
    public var attributesJSON: String {
        IterableFields.text(of: self.json)
    }
}

extension EmulatedInfobipPerson: CustomStringConvertible {
    /// The kind, without names and attributes.
    public var description: String {
        "EmulatedPerson(\(self.number), \(self.isCustomer ? "customer" : "lead"), \(self.installations.count) installations)"
    }
}
