//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What personalizing tells of a person beside who it is.
///
/// A given value takes the place of the one that the service has; nil leaves it alone. Only custom attributes can be
/// cleared on this way.
public struct InfobipAttributes: Sendable, Hashable {
    /// At most 255 characters.
    public var firstName: String?
    /// At most 50 characters.
    public var middleName: String?
    /// At most 255 characters.
    public var lastName: String?
    /// The gender.
    public var gender: InfobipGender?
    /// The birthday.
    public var birthday: CalendarDay?
    /// The tags, all of them.
    public var tags: Set<String>?
    /// The attributes that the app made up, by their names.
    public var customAttributes: [String: Patch<InfobipValue>] = [:]

    /// Makes attributes of which nothing is given.
    public init() {}

    /// What these are as changes of what an app sees of a person.
    package var changes: InfobipUserChanges {
        func change<Value>(_ value: Value?) -> Patch<Value> {
            value.map(Patch.set) ?? .untouched
        }
        var changes = InfobipUserChanges()
        changes.firstName = change(self.firstName)
        changes.middleName = change(self.middleName)
        changes.lastName = change(self.lastName)
        changes.gender = change(self.gender)
        changes.birthday = change(self.birthday)
        changes.tags = change(self.tags)
        changes.customAttributes = self.customAttributes
        return changes
    }
}

extension InfobipAttributes: CustomStringConvertible, CustomReflectable {
    /// The number of custom attributes, without names and values.
    public var description: String {
        "ProfileAttributes(\(self.customAttributes.count) custom)"
    }

    /// A mirror without values.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
