// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct FoundationEssentials.Date

// The common members of the bodies of Iterable's API.
extension ObjectReader {
    private static let deviceMembers: Set<String> = ["deviceId", "platform", "appPackageName"]
    private static let userMembers = IterableSubject.members.union(["mergeNestedObjects", "dataFields"])

    func required<Value>(_ key: String, _ value: Value?) throws(Refusal) -> Value {
        guard let value else { throw self.missing(key) }
        return value
    }

    func filledText(_ key: String) throws(Refusal) -> String {
        let text = try self.required(key, self.text(key))
        guard !text.isEmpty else { throw self.wrong(key, "a string that is not empty") }
        return text
    }

    func flag(_ key: String) throws(Refusal) -> Bool? {
        guard let value = self.value(key) else { return nil }
        guard let flag = value.bool else { throw self.wrong(key, "true or false") }
        return flag
    }

    func double(_ key: String) throws(Refusal) -> Double? {
        guard let value = self.value(key) else { return nil }
        guard let number = value.number?.double else { throw self.wrong(key, "a number") }
        return number
    }

    func list(_ key: String) throws(Refusal) -> [JSONValue] {
        guard let value = self.value(key) else { return [] }
        guard let list = value.array else { throw self.wrong(key, "an array") }
        return list
    }

    func object(_ key: String) throws(Refusal) -> JSONObject? {
        guard let value = self.value(key) else { return nil }
        guard let object = value.object else { throw self.wrong(key, "an object") }
        return object
    }

    /// Reads seconds since 1970.
    func seconds(_ key: String) throws(Refusal) -> Date? {
        guard let value = try self.integer(key) else { return nil }
        guard value >= 0 else { throw self.wrong(key, "seconds since 1970") }
        return Date(timeIntervalSince1970: Double(value))
    }

    /// Reads `deviceInfo` and returns its id.
    func deviceID() throws(Refusal) -> String {
        let value = try self.required("deviceInfo", self.value("deviceInfo"))
        let device = try ObjectReader(value, path: "deviceInfo", allowed: Self.deviceMembers)
        _ = try device.text("platform")
        _ = try device.text("appPackageName")
        return try device.filledText("deviceId")
    }

    /// Returns `user` of a purchase or a cart.
    func commerceUser() throws(Refusal) -> ObjectReader {
        try ObjectReader(self.required("user", self.value("user")), path: "user", allowed: Self.userMembers)
    }

    /// Checks `campaignId` of a purchase: an integer, or text as in the schema of the vendor's client for browsers.
    func checkCampaignID() throws(Refusal) {
        guard self.value("campaignId")?.string == nil else { return }
        _ = try self.integer("campaignId")
    }

    /// Reads `email` or `userId`; if both are given, the address wins.
    ///
    /// Documented: "email takes precedence". A nil name reads no address.
    func visitorID(
        email emailKey: String? = "email",
        userID userKey: String = "userId"
    ) throws(Refusal) -> EmulatedIterableUserID {
        var email: String?
        if let emailKey { email = try self.text(emailKey) }
        let userID = try self.text(userKey)
        if let email {
            return .email(try Self.address(email))
        }
        guard let userID else {
            throw self.missing([emailKey, userKey].compactMap(\.self).joined(separator: "' or '"))
        }
        guard !userID.isEmpty else { throw self.wrong(userKey, "a string that is not empty") }
        return .userID(userID)
    }

    /// Reads an address; the only check is for text on both sides of one `@`.
    static func address(_ text: String) throws(Refusal) -> String {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), !text.utf8.contains(where: { $0 <= 0x20 }) else {
            throw Refusal(400, "InvalidEmailAddressError", "The e-mail address is not valid.")
        }
        return text
    }
}
