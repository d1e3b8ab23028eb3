// SPDX-License-Identifier: Apache-2.0

import SignetInfobip
import SignetModel
import SignetTestSupport

/// What apps save beside texts and lists of texts.
extension InfobipSimulation {
    typealias Fields = [(field: String, value: String?)]

    /// Lets a save of a person now and then change more.
    func add(to changes: inout InfobipUserChanges, _ fields: inout Fields, _ first: Int, _ known: InfobipUser) {
        guard !self.isPlain else { return }
        var names = ["gender", "birthday"] + InfobipSample.keys.map { "custom." + $0 }
        for _ in 0..<self.more.pick(0, 0, 0, 1, 1, 2) {
            let field = names.remove(at: Int.random(in: 0..<names.count, using: &self.more))
            let edit = first + fields.count
            switch field {
            case "gender":
                let takesAway = self.takesAway(known.gender)
                let gender: InfobipGender = edit.isMultiple(of: 2) ? .female : .male
                changes.gender = takesAway ? .clear : .set(gender)
                fields.append((field, takesAway ? nil : gender.rawValue))
            case "birthday":
                let takesAway = self.takesAway(known.birthday)
                let text = InfobipSample.day(edit, isOwn: false)
                changes.birthday = takesAway ? .clear : CalendarDay(text).map(Patch.set) ?? .untouched
                fields.append((field, takesAway ? nil : text))
            default:
                let key = String(field.dropFirst("custom.".count))
                let takesAway = self.takesAway(known.customAttributes[key])
                let sample = InfobipSample(key, of: edit, isOwn: false)
                changes.customAttributes[key] = takesAway ? .clear : .set(sample.value)
                fields.append((field, takesAway ? nil : sample.text))
            }
        }
    }

    /// What is there is taken away more often than what is not.
    func takesAway(_ known: (some Any)?) -> Bool {
        self.more.chance(known == nil ? 0.05 : 0.5)
    }

    /// The same of what a device has of its own.
    func add(
        to changes: inout InfobipInstallationChanges,
        _ fields: inout Fields,
        _ first: Int,
        _ known: InfobipInstallation
    ) {
        guard !self.isPlain else { return }
        if !changes.applicationUserID.isTouched, self.more.chance(0.3) {
            let takesAway = self.takesAway(known.applicationUserID)
            let id = "dev-\(first + fields.count)"
            changes.applicationUserID = takesAway ? .clear : .set(id)
            fields.append(("applicationUserId", takesAway ? nil : id))
        }
        guard self.more.chance(0.4) else { return }
        let key = InfobipSample.keys[Int.random(in: 0..<InfobipSample.keys.count, using: &self.more)]
        let sample = InfobipSample(key, of: first + fields.count, isOwn: true)
        let takesAway = self.takesAway(known.customAttributes[key])
        changes.customAttributes[key] = takesAway ? .clear : .set(sample.value)
        fields.append(("own." + key, takesAway ? nil : sample.text))
    }

    /// The same of what a personalize says; only what an app made up can be taken away there.
    func add(to attributes: inout InfobipAttributes?, _ fields: inout Fields, _ first: Int) {
        guard !self.isPlain, self.more.chance(attributes == nil ? 0.15 : 0.5) else { return }
        var given = attributes ?? InfobipAttributes()
        if self.more.chance(0.3) {
            given.gender = self.more.pick(.male, .female)
            fields.append(("gender", given.gender?.rawValue))
        }
        if self.more.chance(0.3) {
            let text = InfobipSample.day(first + fields.count, isOwn: false)
            given.birthday = CalendarDay(text)
            fields.append(("birthday", text))
        }
        if self.more.chance(0.3) {
            let tag = "usr-\(first + fields.count)"
            given.tags = [tag]
            fields.append(("tags", tag))
        }
        for key in InfobipSample.keys where self.more.chance(0.25) {
            let sample = InfobipSample(key, of: first + fields.count, isOwn: false)
            let takesAway = self.more.chance(0.2)
            given.customAttributes[key] = takesAway ? .clear : .set(sample.value)
            fields.append(("custom." + key, takesAway ? nil : sample.text))
        }
        attributes = given
    }
}

extension InfobipUserChanges {
    /// Sets a field by its name on the wire, or takes it away.
    mutating func change(_ field: String, _ value: String?) {
        let text: Patch<String> = value.map(Patch.set) ?? .clear
        switch field {
        case "firstName": self.firstName = text
        case "middleName": self.middleName = text
        case "lastName": self.lastName = text
        case "externalUserId": self.externalUserID = text
        case "tags": self.tags = value.map { .set([$0]) } ?? .clear
        case "phones": self.phones = value.map { .set([$0]) } ?? .clear
        case "emails": self.emails = value.map { .set([$0]) } ?? .clear
        default:
            self.customAttributes[String(field.dropFirst("custom.".count))] = value.map { .set(.string($0)) } ?? .clear
        }
    }
}
