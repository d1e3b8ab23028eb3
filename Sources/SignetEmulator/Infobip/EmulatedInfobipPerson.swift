// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date
public import enum SignetModel.AttributeValue
package import struct SignetTransport.JSONObject

/// A snapshot of the data of Infobip's API about one person.
public struct EmulatedInfobipPerson: Sendable, Hashable {
    private let record: InfobipPersonRecord

    init(_ record: InfobipPersonRecord) {
        self.record = record
    }

    /// The person's unique number, from 1, in the order of creation.
    public var number: Int { self.record.key }
    /// True for a customer, false for a lead.
    public var isCustomer: Bool { self.record.kind == .customer }
    /// `externalUserId`.
    public var externalUserID: String? { self.record.externalUserID }
    /// The phone numbers, without `+`.
    public var phones: [String] { self.record.phones }
    /// The addresses.
    public var emails: [String] { self.record.emails }
    /// `firstName`.
    public var firstName: String? { self.record.standard["firstName"]?.string }
    /// `middleName`.
    public var middleName: String? { self.record.standard["middleName"]?.string }
    /// `lastName`.
    public var lastName: String? { self.record.standard["lastName"]?.string }
    /// `gender`.
    public var gender: String? { self.record.standard["gender"]?.string }
    /// `birthday`, as `yyyy-MM-dd`.
    public var birthday: String? { self.record.standard["birthday"]?.string }
    /// `tags`, in the order of arrival.
    public var tags: [String] { self.record.standard["tags"]?.array?.compactMap(\.string) ?? [] }
    /// The custom attributes with single values.
    public var attributes: [String: AttributeValue] { IterableFields.singleValues(of: self.record.custom) }
    /// The registrations, in the order in which this person got them.
    public var installations: [String] { self.record.installations }
    /// The numbers of the leads that were merged into this person.
    public var absorbed: [Int] { self.record.absorbed }
    /// The time of creation.
    public var firstSeen: Date { WallClock.date(milliseconds: self.record.firstSeen) }
    /// The custom attributes as JSON, lists of objects included.
    public var attributesJSON: String { IterableFields.text(of: self.json) }
    /// All custom attributes.
    package var json: JSONObject { self.record.custom }
}

extension EmulatedInfobipPerson: CustomStringConvertible {
    /// The kind, without names and attributes.
    public var description: String {
        "EmulatedPerson(\(self.number), \(self.isCustomer ? "customer" : "lead"), \(self.installations.count) installations)"
    }
}
