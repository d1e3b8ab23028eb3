// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The identity of a person in a request.
struct InfobipPersonIdentity: Sendable {
    let externalUserID: String?
    let phones: [String]
    let emails: [String]

    private static let members: Set<String> = ["phones", "emails", "externalUserId"]

    /// Reads `userIdentity`.
    init(_ value: JSONValue?) throws(Refusal) {
        guard let object = value?.object else { throw .formatInvalid("userIdentity", shouldBe: "an object") }
        guard object.keys.allSatisfy(Self.members.contains) else {
            throw .formatInvalid("userIdentity may hold \(Self.members.sorted()) only")
        }
        self.externalUserID = try InfobipPersonRules.externalUserID(object["externalUserId"] ?? .null)
        self.phones = try InfobipPersonRules.phones(object["phones"] ?? .null)
        self.emails = try InfobipPersonRules.emails(object["emails"] ?? .null)
        guard self.externalUserID != nil || !self.phones.isEmpty || !self.emails.isEmpty else {
            throw .identityInvalid
        }
    }
}
