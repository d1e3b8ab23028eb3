// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

/// The person to assign an installation to, with attributes (`POST …/personalize`).
struct PersonalizeBody: Sendable, Hashable {
    /// The identity of the person.
    var identity: InfobipIdentity
    /// The attributes to send; nil for none.
    var attributes: InfobipAttributes?

    init(identity: InfobipIdentity, attributes: InfobipAttributes? = nil) {
        self.identity = identity
        self.attributes = attributes
    }

    /// Encodes the JSON text.
    ///
    /// Absent values are left out, so nothing is removed but cleared custom attributes.
    func encoded() -> [UInt8] {
        var identity = JSONObject()
        if !self.identity.emails.isEmpty {
            identity["emails"] = InfobipJSON.emails(self.identity.emails)
        }
        if let id = self.identity.externalUserID {
            identity["externalUserId"] = .string(id)
        }
        if !self.identity.phones.isEmpty {
            identity["phones"] = InfobipJSON.phones(self.identity.phones)
        }
        let attributes = self.attributes.map { UserPatchBody($0.changes).members } ?? JSONObject()
        var body = JSONObject()
        if !attributes.isEmpty {
            body["userAttributes"] = .object(attributes)
        }
        body["userIdentity"] = .object(identity)
        return JSONValue.object(body).encoded()
    }
}

extension PersonalizeBody: CustomStringConvertible {
    /// The names of the parts, without their content.
    var description: String {
        "PersonalizeBody(\(self.attributes == nil ? "identity" : "identity and attributes"))"
    }
}
