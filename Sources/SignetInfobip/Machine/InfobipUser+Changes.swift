// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

extension InfobipUser {
    /// True if there is an external id, a phone or an e-mail address.
    var hasIdentity: Bool {
        self.externalUserID != nil || !self.phones.isEmpty || !self.emails.isEmpty
    }

    var identity: InfobipIdentity {
        InfobipIdentity(phones: self.phones, emails: self.emails, externalUserID: self.externalUserID)
    }

    /// The identity that no other device can have changed meanwhile: the external id alone, if there is one.
    var leadingIdentity: InfobipIdentity { self.identity.leading }

    /// Keeps at most one installation of the person primary.
    mutating func setPrimary(_ id: String, _ isPrimary: Bool) {
        guard let own = self.installations.firstIndex(where: { $0.pushRegistrationID == id }) else { return }
        if isPrimary { for index in self.installations.indices { self.installations[index].isPrimary = false } }
        self.installations[own].isPrimary = isPrimary
    }

    /// The known attributes, without the identity.
    var attributes: InfobipAttributes {
        var attributes = InfobipAttributes()
        attributes.firstName = self.firstName
        attributes.middleName = self.middleName
        attributes.lastName = self.lastName
        attributes.gender = self.gender
        attributes.birthday = self.birthday
        attributes.tags = self.tags.isEmpty ? nil : self.tags
        attributes.customAttributes = self.customAttributes.mapValues(Patch.set)
        return attributes
    }

    /// The stated changes that are not so yet; phones and addresses may be among others.
    func lacking(_ said: InfobipUserChanges) -> InfobipUserChanges {
        func left<Value: Hashable>(_ change: Patch<Value>, _ value: Value?) -> Patch<Value> {
            change.apply(to: value) == value ? .untouched : change
        }
        func left(
            _ change: Patch<[String]>,
            among own: [String],
            _ form: (String) -> String
        ) -> Patch<[String]> {
            guard case .set(let texts) = change else { return change }
            return Set(texts.map(form)).isSubset(of: own.map(form)) ? .untouched : change
        }
        var lacking = said
        lacking.externalUserID = left(said.externalUserID, self.externalUserID)
        lacking.firstName = left(said.firstName, self.firstName)
        lacking.middleName = left(said.middleName, self.middleName)
        lacking.lastName = left(said.lastName, self.lastName)
        lacking.gender = left(said.gender, self.gender)
        lacking.birthday = left(said.birthday, self.birthday)
        lacking.phones = left(said.phones, among: self.phones) { $0.phoneDigits }
        lacking.emails = left(said.emails, among: self.emails) { $0.lowercased() }
        lacking.tags = left(said.tags, self.tags)
        // Compares values as they are sent: 10 is 10.0, and a day equals its text.
        lacking.customAttributes = said.customAttributes.filter { key, change in
            var one = InfobipUserChanges()
            one.customAttributes[key] = change
            return !UserPatchBody(one, current: self).isEmpty
        }
        return lacking
    }

    /// All data as changes of an empty person.
    var asChanges: InfobipUserChanges {
        self.attributes.changes.then(self.identity.changes)
    }
}

extension InfobipIdentity {
    /// The external id alone, if there is one.
    var leading: InfobipIdentity {
        guard let externalUserID else { return self }
        return InfobipIdentity(externalUserID: externalUserID)
    }

    /// All names, each with its kind, as a login has them.
    var names: [String] {
        self.emails.map { "email " + $0 } + [self.externalUserID].compactMap { $0.map { "id " + $0 } }
            + self.phones.map { "phone " + $0 }
    }

    /// The identity as changes of a person.
    var changes: InfobipUserChanges {
        var changes = InfobipUserChanges()
        changes.externalUserID = self.externalUserID.map(Patch.set) ?? .untouched
        changes.phones = self.phones.isEmpty ? .untouched : .set(self.phones)
        changes.emails = self.emails.isEmpty ? .untouched : .set(self.emails)
        return changes
    }
}

extension InfobipCall.Personalization {
    /// The identity and the attributes as changes of a person.
    var changes: InfobipUserChanges {
        self.identity.changes.then(self.attributes?.changes ?? InfobipUserChanges())
    }
}

extension String {
    /// A phone number without a leading `+`, as the service returns it.
    var phoneDigits: String {
        self.hasPrefix("+") ? String(self.dropFirst()) : self
    }
}
