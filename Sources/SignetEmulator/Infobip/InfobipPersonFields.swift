// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The changes that a request makes to a person; unnamed fields stay.
struct InfobipPersonFields: Sendable {
    /// The standard fields by their names on the wire; null removes a field.
    var standard = JSONObject()
    /// The external id; null removes it.
    var externalUserID: JSONValue?
    /// The whole list; empty to remove it.
    var phones: [String]?
    /// The whole list; empty to remove it.
    var emails: [String]?
    var custom = CustomAttributes.Change()

    private static let attributes: Set<String> = [
        "firstName", "middleName", "lastName", "gender", "birthday", "tags", "customAttributes",
    ]
    private static let identity: Set<String> = ["externalUserId", "phones", "emails"]
    // The names with their maximum lengths (People API).
    private static let names = [("firstName", 255), ("middleName", 50), ("lastName", 255)]

    /// Reads the body of a change; `type` and `instances` are read-only and refused.
    init(change body: JSONValue, lists: [String: [String: EmulatedInfobipApplication.Kind]]?) throws(Refusal) {
        try self.init(body, place: "The body", allowed: Self.attributes.union(Self.identity), lists: lists)
        guard body.object?.isEmpty == false else { throw .formatInvalid("The body changes nothing") }
    }

    /// Reads `userAttributes`, which cannot remove a standard attribute: null is refused.
    init(attributes value: JSONValue, lists: [String: [String: EmulatedInfobipApplication.Kind]]?) throws(Refusal) {
        try self.init(value, place: "userAttributes", allowed: Self.attributes, lists: lists)
        for (key, value) in value.object ?? JSONObject() where value.isNull {
            throw .formatInvalid(key, shouldBe: "given or left out")
        }
    }

    private init(
        _ value: JSONValue,
        place: String,
        allowed: Set<String>,
        lists: [String: [String: EmulatedInfobipApplication.Kind]]?
    ) throws(Refusal) {
        guard let object = value.object else { throw .formatInvalid(place, shouldBe: "an object") }
        guard object.keys.allSatisfy(allowed.contains) else {
            throw .formatInvalid("\(place) may hold \(allowed.sorted()) only")
        }
        try self.readStandard(object)
        if let id = object["externalUserId"] {
            self.externalUserID = try InfobipPersonRules.externalUserID(id).map(JSONValue.string) ?? .null
        }
        self.phones = try object["phones"].map { value throws(Refusal) in try InfobipPersonRules.phones(value) }
        self.emails = try object["emails"].map { value throws(Refusal) in try InfobipPersonRules.emails(value) }
        if let value = object["customAttributes"] {
            self.custom = try CustomAttributes.Change(value, lists: lists)
        }
    }

    private mutating func readStandard(_ object: JSONObject) throws(Refusal) {
        for (name, limit) in Self.names {
            guard let value = object[name] else { continue }
            self.standard[name] = try InfobipPersonRules.name(value, name, limit: limit)
        }
        if let value = object["gender"] {
            guard value.isNull || value == "Male" || value == "Female" else {
                throw .formatInvalid("gender", shouldBe: "Male or Female")
            }
            self.standard["gender"] = value
        }
        if let value = object["birthday"] {
            guard value.isNull || value.string.map(InfobipPersonRules.isDay) ?? false else {
                throw .formatInvalid("birthday", shouldBe: "a date, yyyy-MM-dd")
            }
            self.standard["birthday"] = value
        }
        if let value = object["tags"] {
            guard value.isNull || value.array?.allSatisfy({ $0.string != nil }) ?? false else {
                throw .formatInvalid("tags", shouldBe: "an array of strings")
            }
            self.standard["tags"] = value.array?.isEmpty == true ? .null : value
        }
    }

    /// True when the change has data that the portal's switch forbids.
    ///
    /// No source lists such data. Here it is names, gender, birthday, phones and emails that are set, not removed.
    var isSensitive: Bool {
        let named = self.standard.contains { key, value in key != "tags" && !value.isNull }
        return named || self.phones?.isEmpty == false || self.emails?.isEmpty == false
    }
}
