//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetModel
import SignetTransport

/// Who an installation is to be of, and what is told of it (`POST …/personalize` and `…/repersonalize`).
package struct PersonalizeBody: Sendable, Hashable {
    /// Who.
    package var identity: InfobipIdentity
    /// What is told; nil for nothing.
    package var attributes: InfobipAttributes?

    package init(identity: InfobipIdentity, attributes: InfobipAttributes? = nil) {
        self.identity = identity
        self.attributes = attributes
    }

    /// The JSON text.
    ///
    /// What is not given is left out, so that nothing is taken away but custom attributes that are cleared.
    package func encoded() -> [UInt8] {
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
    /// What is there, without content.
    package var description: String {
        "PersonalizeBody(\(self.attributes == nil ? "identity" : "identity and attributes"))"
    }
}
