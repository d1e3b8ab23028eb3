// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// The attributes of one user during a change, with the resulting events.
///
/// Keys match case-insensitively, and the first spelling stays (as in the vendors' SDKs). This also holds for a removed key
/// whose removal the platform has not received yet.
struct AttributeEditor: Sendable, Hashable {
    /// The maximum number of one user's removals that the platform has not accepted.
    static let removalLimit = 1000

    /// The current attributes.
    private(set) var attributes: [String: AttributeValue]
    /// The keys that were set and that the platform has not accepted, with the numbers of their changes.
    ///
    /// Empty before the first user, who gets the attributes as changes.
    private(set) var changed: [String: Int64]
    /// The removed keys that the platform has not accepted, with the numbers of their removals.
    ///
    /// Nil before the first user: the platform has none of the attributes, so it need not receive their removal.
    private(set) var removals: [String: Int64]?
    /// The number of the last change on the installation.
    private(set) var lastChange: Int64
    /// The changes, in order.
    private(set) var events: [UserEvent] = []

    init(
        _ attributes: [String: AttributeValue],
        changed: [String: Int64] = [:],
        removals: [String: Int64]?,
        lastChange: Int64
    ) {
        self.attributes = attributes
        self.changed = changed
        self.removals = removals
        self.lastChange = lastChange
    }

    /// True if an attribute was set, not only removed.
    var hasSet: Bool {
        self.events.contains { if case .attributeChange(_, _, .some) = $0 { true } else { false } }
    }

    /// Sets an attribute, or removes it; the same value makes no change.
    mutating func set(_ value: AttributeValue?, for key: String) throws(SignetError) {
        let present = Self.spelling(of: key, in: self.attributes)
        let name = present ?? self.removals.flatMap { Self.spelling(of: key, in: $0) } ?? key
        let old = self.attributes[name]
        guard let value else {
            guard let old else { return }
            if let count = self.removals?.count {
                guard count < Self.removalLimit else { throw .tooManyRemovals }
                self.lastChange += 1
                self.removals?[name] = self.lastChange
                self.changed[name] = nil
            }
            self.attributes[name] = nil
            return self.events.append(.attributeChange(name: name, old: old, new: nil))
        }
        guard old?.stored != value.stored else { return }
        self.attributes[name] = value
        if self.removals != nil {
            self.lastChange += 1
            self.changed[name] = self.lastChange
            self.removals?[name] = nil
        }
        self.events.append(.attributeChange(name: name, old: old, new: value))
    }

    /// Replaces all attributes.
    mutating func replaceAll(by attributes: [String: AttributeValue]) throws(SignetError) {
        var kept: Set<String> = []
        for key in attributes.keys { kept.insert(key.lowercased()) }
        guard kept.count == attributes.count else { throw .ambiguousKeys }
        for key in self.attributes.keys.sorted() where !kept.contains(key.lowercased()) { try self.set(nil, for: key) }
        for (key, value) in attributes.sorted(by: { $0.key < $1.key }) { try self.set(value, for: key) }
    }

    /// Adds to a number; a missing attribute counts as zero.
    ///
    /// - Returns: The sum.
    mutating func increment(_ key: String, by amount: AttributeValue) throws(SignetError) -> AttributeValue {
        let old = Self.spelling(of: key, in: self.attributes).flatMap { self.attributes[$0] } ?? .integer(0)
        guard amount.isNumber else { throw .incrementNotANumber }
        guard old.isNumber else { throw .notANumber }
        guard let sum = old.adding(amount) else { throw .sumOutOfRange }
        try self.set(sum, for: key)
        return sum
    }

    /// Checks a key and a value against the documented limits.
    static func check(_ value: AttributeValue, for key: String) throws(SignetError) {
        guard let violation = UserLimits.violation(ofAttribute: key, value: value) else { return }
        throw SignetError(.invalidArgument, violation.message, cause: violation)
    }

    /// The existing spelling of a key.
    static func spelling(of key: String, in attributes: [String: some Any]) -> String? {
        // Not `key`, which may be the same letters in another form of Unicode.
        if let index = attributes.index(forKey: key) { return attributes.keys[index] }
        let folded = key.lowercased()
        // Only records of earlier builds can have several spellings; the choice is always the same.
        return attributes.keys.filter { $0.lowercased() == folded }.min()
    }
}

extension AttributeValue {
    /// The value as it is read back from disk, where a date is text.
    fileprivate var stored: AttributeValue {
        switch self {
        case .date: .string(self.text)
        case .list(let values): .list(values.map(\.stored))
        case .string, .integer, .double, .bool, .null: self
        }
    }
}

extension SignetError {
    fileprivate static let tooManyRemovals = SignetError(
        .limitReached,
        "\(AttributeEditor.removalLimit) removed attributes of the user wait for the platform, which is the limit. "
            + "Remove more after some are delivered."
    )

    fileprivate static let ambiguousKeys = SignetError(
        .invalidArgument,
        "Two attribute keys differ only in case, so they name the same attribute. Give one of them."
    )

    fileprivate static let sumOutOfRange = SignetError(
        .invalidArgument,
        "The sum exceeds the range of a number. The attribute was not changed."
    )

    fileprivate static let notANumber = SignetError(
        .invalidArgument,
        "The attribute is not a number and was not changed. Set it to a number first, or remove it."
    )

    fileprivate static let incrementNotANumber = SignetError(
        .invalidArgument,
        "An attribute can only be incremented by .integer or .double."
    )
}
