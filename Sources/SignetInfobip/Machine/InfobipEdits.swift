// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

/// A field of a person or of an installation that an app can change.
enum InfobipField: Sendable, Hashable {
    case externalUserID, firstName, middleName, lastName, gender, birthday, phones, emails, tags
    case applicationUserID, isPrimary, isPushRegistrationEnabled
    case custom(String)
}

/// Changes that can be taken apart by fields.
protocol InfobipFieldChanges: Sendable, Hashable {
    init()
    /// The changed fields.
    var fields: Set<InfobipField> { get }
    /// The changes of these fields.
    func only(_ fields: Set<InfobipField>) -> Self
    /// Merges these changes with later ones, which take precedence.
    func then(_ later: Self) -> Self
}

/// Changes of a person.
typealias InfobipUserEdits = InfobipEdits<InfobipUserChanges>
/// Changes of an installation.
typealias InfobipInstallationEdits = InfobipEdits<InfobipInstallationChanges>

/// Changes, each field with the number of its call: of two values, the one with the higher number is newer, and equal
/// values with two numbers were asked for twice.
struct InfobipEdits<Changes: InfobipFieldChanges>: Sendable, Hashable {
    private(set) var changes = Changes()
    private(set) var numbers: [InfobipField: UInt64] = [:]

    init() {}

    init(_ changes: Changes, number: UInt64) {
        self.set(changes, number: number)
    }

    /// Restores persisted edits; a field without a number is as old as can be.
    init(_ changes: Changes, numbers: [InfobipField: UInt64]) {
        self.changes = changes.only(changes.fields)
        for field in changes.fields { self.numbers[field] = numbers[field] ?? 0 }
    }

    var isEmpty: Bool { self.numbers.isEmpty }
    var fields: Set<InfobipField> { Set(self.numbers.keys) }

    /// Replaces the values of fields.
    mutating func set(_ changes: Changes, number: UInt64) {
        self.changes = self.changes.then(changes)
        for field in changes.fields { self.numbers[field] = number }
    }

    mutating func remove(_ fields: Set<InfobipField>) {
        self.changes = self.changes.only(self.fields.subtracting(fields))
        for field in fields { self.numbers[field] = nil }
    }

    /// Removes fields whose values are older than a call.
    mutating func remove(_ fields: Set<InfobipField>, olderThan number: UInt64) {
        self.remove(fields.filter { field in self.numbers[field].map { $0 < number } ?? false })
    }

    /// Removes sent values; a value that has been replaced since stays.
    mutating func remove(sent: InfobipEdits) {
        self.remove(sent.fields.filter { self.numbers[$0] == sent.numbers[$0] })
    }

    /// Removes values that others have made old.
    mutating func remove(olderThan others: InfobipEdits) {
        for (field, number) in others.numbers { self.remove([field], olderThan: number) }
    }

    /// Adds others; of two values of a field, the newer one stays.
    mutating func add(_ others: InfobipEdits) {
        for (field, number) in others.numbers where self.numbers[field].map({ $0 < number }) ?? true {
            self.set(others.changes.only([field]), number: number)
        }
    }
}

extension InfobipUserChanges: InfobipFieldChanges {
    var fields: Set<InfobipField> {
        let standard: [(InfobipField, Bool)] = [
            (.externalUserID, self.externalUserID.isTouched), (.firstName, self.firstName.isTouched),
            (.middleName, self.middleName.isTouched), (.lastName, self.lastName.isTouched),
            (.gender, self.gender.isTouched), (.birthday, self.birthday.isTouched),
            (.phones, self.phones.isTouched), (.emails, self.emails.isTouched), (.tags, self.tags.isTouched),
        ]
        let custom = self.customAttributes.filter(\.value.isTouched).keys.map(InfobipField.custom)
        return Set(standard.filter(\.1).map(\.0) + custom)
    }

    func only(_ fields: Set<InfobipField>) -> InfobipUserChanges {
        func kept<Value>(_ field: InfobipField, _ change: Patch<Value>) -> Patch<Value> {
            fields.contains(field) ? change : .untouched
        }
        var changes = InfobipUserChanges()
        changes.externalUserID = kept(.externalUserID, self.externalUserID)
        changes.firstName = kept(.firstName, self.firstName)
        changes.middleName = kept(.middleName, self.middleName)
        changes.lastName = kept(.lastName, self.lastName)
        changes.gender = kept(.gender, self.gender)
        changes.birthday = kept(.birthday, self.birthday)
        changes.phones = kept(.phones, self.phones)
        changes.emails = kept(.emails, self.emails)
        changes.tags = kept(.tags, self.tags)
        changes.customAttributes = self.customAttributes.filter {
            $0.value.isTouched && fields.contains(.custom($0.key))
        }
        return changes
    }

    /// The changes that a refusal is about, as far as it says so; else all.
    func refused(_ error: SignetError, rollsBackIdentity: Bool) -> InfobipUserChanges {
        let named: Set<InfobipField> =
            switch error.errors.first.flatMap({ InfobipRefusal.Reason(rawValue: $0.code) }) {
            case .phoneInvalid: [.phones]
            case .emailInvalid: [.emails]
            default: rollsBackIdentity ? [.externalUserID, .phones, .emails] : []
            }
        let refused = self.only(named)
        return refused.isEmpty ? self : refused
    }
}

extension InfobipInstallationChanges: InfobipFieldChanges {
    var fields: Set<InfobipField> {
        let standard: [(InfobipField, Bool)] = [
            (.applicationUserID, self.applicationUserID.isTouched), (.isPrimary, self.isPrimary != nil),
            (.isPushRegistrationEnabled, self.isPushRegistrationEnabled != nil),
        ]
        let custom = self.customAttributes.filter(\.value.isTouched).keys.map(InfobipField.custom)
        return Set(standard.filter(\.1).map(\.0) + custom)
    }

    func only(_ fields: Set<InfobipField>) -> InfobipInstallationChanges {
        var changes = InfobipInstallationChanges()
        if fields.contains(.applicationUserID) { changes.applicationUserID = self.applicationUserID }
        if fields.contains(.isPrimary) { changes.isPrimary = self.isPrimary }
        if fields.contains(.isPushRegistrationEnabled) {
            changes.isPushRegistrationEnabled = self.isPushRegistrationEnabled
        }
        changes.customAttributes = self.customAttributes.filter {
            $0.value.isTouched && fields.contains(.custom($0.key))
        }
        return changes
    }
}

extension InfobipField {
    /// True for a field of an installation that a depersonalize takes back.
    var leavesWithPerson: Bool {
        switch self {
        case .isPrimary, .custom: true
        default: false
        }
    }
}

extension InfobipInstallationEdits {
    /// The fields that a depersonalize takes back.
    var fieldsOfPerson: Set<InfobipField> { self.fields.filter(\.leavesWithPerson) }

    /// The edits that are the device's, whoever has it.
    var ofDevice: InfobipInstallationEdits {
        var edits = self
        edits.remove(self.fieldsOfPerson)
        return edits
    }
}

/// The kept events of a person, by their ordinals.
struct InfobipEventQueue: Sendable, Hashable {
    /// Not empty, not adjacent, and in the order in which they are sent.
    private(set) var ranges: [Range<UInt64>] = []

    init(_ ranges: [Range<UInt64>] = []) {
        for range in ranges where !range.isEmpty { self.append(range) }
    }

    var isEmpty: Bool { self.ranges.isEmpty }
    var all: [UInt64] { self.ranges.flatMap(Array.init) }

    mutating func append(_ range: Range<UInt64>) {
        if let last = self.ranges.last, last.upperBound == range.lowerBound {
            self.ranges[self.ranges.count - 1] = last.lowerBound..<range.upperBound
        } else {
            self.ranges.append(range)
        }
    }

    /// The first events.
    func first(_ count: Int) -> [UInt64] {
        Array(self.ranges.lazy.joined().prefix(count))
    }

    mutating func remove(_ ordinals: [UInt64]) {
        let gone = Set(ordinals)
        self = InfobipEventQueue(
            self.ranges.flatMap { range -> [Range<UInt64>] in
                guard range.contains(where: gone.contains) else { return [range] }
                return range.filter { !gone.contains($0) }.map { $0..<($0 + 1) }
            }
        )
    }
}
