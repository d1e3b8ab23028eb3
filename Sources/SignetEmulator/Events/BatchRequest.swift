// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct SignetModel.IdentityType
import struct SignetModel.MPID

/// One checked batch of events.
struct BatchRequest: Sendable {
    /// `source_request_id`, by which a repeated batch is recognised.
    let requestID: String?
    /// Nil when `identities` name the user.
    let mpid: MPID?
    let identities: [IdentityType: String]
    let environment: String
    let json: JSONObject
    let events: [JSONObject]
    /// The names of the attributes to delete before those of the batch are set.
    let deletedAttributes: [String]

    init(_ value: JSONValue, in dialect: EventDialect) throws(Refusal) {
        if let violation = dialect.batch.violation(by: value, at: "batch") {
            throw .badRequest(violation + ".")
        }
        guard let json = value.object, let environment = json["environment"]?.string else {
            throw .badRequest("'batch' must be an object.")
        }
        self.requestID = json["source_request_id"]?.scalarText.flatMap { $0.isEmpty ? nil : $0 }
        self.environment = environment
        self.json = json
        self.mpid = try Self.mpid(json["mpid"])
        self.identities = try Self.identities(json["user_identities"]?.object ?? JSONObject())
        self.events = try Self.events(json["events"]?.array ?? [], in: dialect)
        let named = (json["deleted_user_attributes"]?.array ?? []).compactMap(\.string)
        self.deletedAttributes = named + (dialect.deletesByEvent ? self.events.compactMap(Self.deletedAttribute) : [])
        guard self.mpid != nil || !self.identities.isEmpty else {
            throw .badRequest("'batch' must name a user: 'batch.mpid' or 'batch.user_identities'.")
        }
    }

    private static func mpid(_ value: JSONValue?) throws(Refusal) -> MPID? {
        guard let value, !value.isNull else { return nil }
        guard value.scalarText != "0" else { throw .badRequest("'batch.mpid' must not be zero.") }
        guard let mpid = value.mpid else { throw .badRequest("'batch.mpid' must be an integer or its digits.") }
        return mpid
    }

    private static func identities(_ object: JSONObject) throws(Refusal) -> [IdentityType: String] {
        var identities: [IdentityType: String] = [:]
        for (name, value) in object {
            guard let type = IdentityName.identityType(eventsName: name), let text = value.scalarText else { continue }
            guard !text.isEmpty else { throw .badRequest("'batch.user_identities.\(name)' must not be empty.") }
            identities[type] = text
        }
        return identities
    }

    private static func deletedAttribute(by event: JSONObject) -> String? {
        guard event["event_type"]?.string == "user_attribute_change", event["data"]?["deleted"]?.bool == true else {
            return nil
        }
        return event["data"]?["user_attribute_name"]?.string
    }

    private static func events(_ values: [JSONValue], in dialect: EventDialect) throws(Refusal) -> [JSONObject] {
        var events: [JSONObject] = []
        events.reserveCapacity(values.count)
        for (position, value) in values.enumerated() {
            let path = "batch.events[\(position)]"
            if let violation = SchemaValidator.event.violation(by: value, at: path) {
                throw .badRequest(violation + ".")
            }
            guard let event = value.object, let type = event["event_type"]?.string, let data = event["data"],
                let record = dialect.eventData[type]
            else {
                throw .badRequest("'\(path)' must be an object.")
            }
            if let violation = SchemaValidator.record(record).violation(by: data, at: path + ".data") {
                throw .badRequest(violation + ".")
            }
            events.append(event)
        }
        return events
    }
}

extension JSONValue {
    /// The MPID that a whole number or its digits as text have; nil for another value, and for zero.
    var mpid: MPID? {
        self.string.flatMap(MPID.init) ?? self.number?.int64.flatMap(MPID.init(rawValue:))
    }

    /// A text, number or truth value as text; the schema's String allows all three.
    var scalarText: String? {
        switch self {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}
