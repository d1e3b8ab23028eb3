// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The rules for the values of a person.
enum InfobipPersonRules {
    /// The maximum number of phones, and of emails.
    static let contacts = 100
    private static let externalUserIDLimit = 256
    private static let emailLimit = 255
    private static let phoneDigits = 5...15
    // Documented for the People API, which stores the same people.
    private static let forbiddenInNames = "&<>\"/\\\n:(){}=;#"

    /// Checks a name, which may be null.
    static func name(_ value: JSONValue, _ field: String, limit: Int) throws(Refusal) -> JSONValue {
        if value.isNull {
            return value
        }
        guard let text = value.string else { throw .formatInvalid(field, shouldBe: "a string") }
        guard text.count <= limit else { throw .formatInvalid(field, shouldBe: "at most \(limit) characters long") }
        guard !text.contains(where: Self.forbiddenInNames.contains) else {
            throw .formatInvalid(field, shouldBe: "without & < > \" / \\ : ( ) { } = ; # and line breaks")
        }
        return value
    }

    /// Checks an external id; returns nil for null, an empty text, and "null" in any case, as the service does.
    static func externalUserID(_ value: JSONValue) throws(Refusal) -> String? {
        if value.isNull {
            return nil
        }
        guard let text = value.string else { throw .formatInvalid("externalUserId", shouldBe: "a string") }
        guard text.count <= Self.externalUserIDLimit else {
            throw .formatInvalid("externalUserId", shouldBe: "at most \(Self.externalUserIDLimit) characters long")
        }
        return text.isEmpty || text.lowercased() == "null" ? nil : text
    }

    /// Reads phone numbers in objects with `number`, kept without `+` as in the documentation; null is an empty list.
    static func phones(_ value: JSONValue) throws(Refusal) -> [String] {
        try Self.contacts(value, "phones", member: "number") { text throws(Refusal) in
            let digits = text.hasPrefix("+") ? text.dropFirst() : text[...]
            guard digits.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { throw .phoneInvalid("digits only") }
            guard Self.phoneDigits.contains(digits.utf8.count) else { throw .phoneInvalid("length") }
            return String(digits)
        }
    }

    /// Reads addresses in objects with `address`; null is an empty list.
    static func emails(_ value: JSONValue) throws(Refusal) -> [String] {
        try Self.contacts(value, "emails", member: "address") { text throws(Refusal) in
            let parts = text.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { throw .emailInvalid("one @ is needed") }
            guard text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else {
                throw .emailInvalid("white space or control characters")
            }
            guard text.count <= Self.emailLimit else { throw .emailInvalid("length") }
            return text
        }
    }

    /// Returns the key by which addresses are compared: without regard to case (People API).
    static func emailKey(_ email: String) -> String {
        email.lowercased()
    }

    /// Returns true for an existing day in the format `yyyy-MM-dd`.
    static func isDay(_ text: String) -> Bool {
        // HTTPDate reads the same format without the dashes.
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return false }
        return HTTPDate.parse(text.filter { $0 != "-" } + "T000000Z") != nil
    }

    /// Reads a time in the format `yyyy-MM-ddTHH:mm:ssZ`; the result is in milliseconds since 1970.
    static func moment(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":")
        else { return nil }
        return HTTPDate.parse(text.filter { $0 != "-" && $0 != ":" })
    }

    private static func contacts(
        _ value: JSONValue,
        _ field: String,
        member: String,
        _ check: (String) throws(Refusal) -> String
    ) throws(Refusal) -> [String] {
        if value.isNull {
            return []
        }
        guard let list = value.array else { throw .formatInvalid(field, shouldBe: "an array") }
        guard list.count <= Self.contacts else {
            throw .formatInvalid(field, shouldBe: "at most \(Self.contacts) in number")
        }
        var contacts: [String] = []
        for element in list {
            // `preferred` is read-only.
            guard let object = element.object, object.keys == [member], let text = object[member]?.string else {
                throw .formatInvalid(field, shouldBe: "an array of objects with '\(member)' alone")
            }
            let contact = try check(text)
            if !contacts.contains(contact) {
                contacts.append(contact)
            }
        }
        return contacts
    }
}
