// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

extension UserDirectory {
    /// The user that a call addresses; a call made before the first user addresses the first user.
    func addressee(_ mpid: MPID?) -> MPID? {
        mpid ?? self.firstUser
    }

    /// Makes an editor for the attributes of a user.
    ///
    /// - Parameter mpid: The user's MPID; nil for the attributes set before the first user.
    /// - Returns: The editor; nil if there is no such user.
    func editor(of mpid: MPID?) -> AttributeEditor? {
        guard let mpid else {
            return AttributeEditor(self.anonymousAttributes, removals: nil, lastRemoval: self.lastRemoval)
        }
        return self.entries[mpid].map {
            AttributeEditor($0.attributes, removals: $0.removals, lastRemoval: self.lastRemoval)
        }
    }

    /// Stores changed attributes.
    mutating func take(_ editor: AttributeEditor, of mpid: MPID?) {
        self.lastRemoval = editor.lastRemoval
        guard let mpid else {
            self.anonymousAttributes = editor.attributes
            return
        }
        self.entries[mpid]?.attributes = editor.attributes
        if let removals = editor.removals { self.entries[mpid]?.removals = removals }
    }

    /// Gives a user the attributes set before the first user: those that they do not have, as far as there is room.
    ///
    /// Unless a user was erased, the user is new and has no attributes.
    func inherit(_ attributes: [String: AttributeValue], by entry: inout Entry) {
        for (key, value) in attributes.sorted(by: { $0.key < $1.key }) {
            guard AttributeEditor.spelling(of: key, in: entry.attributes) == nil else { continue }
            let name = AttributeEditor.spelling(of: key, in: entry.removals) ?? key
            var merged = entry.attributes
            merged[name] = value
            guard UserLimits.violation(of: merged) == nil else { continue }
            entry.attributes = merged
            // Set again before the platform has received its removal.
            entry.removals[name] = nil
        }
    }

    /// Deletes the removals that a persisted batch reports, because no other batch will.
    ///
    /// - Parameters:
    ///   - mpid: The user's MPID.
    ///   - number: The last removal in the batch.
    /// - Returns: True if there were any.
    @discardableResult
    mutating func forgetRemovals(of mpid: MPID, upTo number: Int64) -> Bool {
        guard let removals = self.entries[mpid]?.removals, !removals.isEmpty else { return false }
        let left = removals.filter { $0.value > number }
        guard left.count < removals.count else { return false }
        self.entries[mpid]?.removals = left
        return true
    }

    /// Notes removals again that no batch has reported, unless the attributes are there again.
    ///
    /// - Returns: True if there were any.
    mutating func noteRemovals(_ keys: [String], of mpid: MPID) -> Bool {
        guard var entry = self.entries[mpid] else { return false }
        let lost = keys.filter { key in
            AttributeEditor.spelling(of: key, in: entry.attributes) == nil
                && AttributeEditor.spelling(of: key, in: entry.removals) == nil
        }
        for key in lost.prefix(max(0, AttributeEditor.removalLimit - entry.removals.count)) {
            self.lastRemoval += 1
            entry.removals[key] = self.lastRemoval
        }
        self.entries[mpid] = entry
        return !lost.isEmpty
    }
}
