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
            return AttributeEditor(self.anonymousAttributes, removals: nil, lastChange: self.lastChange)
        }
        return self.entries[mpid].map {
            AttributeEditor(
                $0.attributes,
                changed: $0.changed,
                removals: $0.removals,
                lastChange: self.lastChange
            )
        }
    }

    /// Stores changed attributes.
    mutating func take(_ editor: AttributeEditor, of mpid: MPID?) {
        self.lastChange = editor.lastChange
        guard let mpid else {
            self.anonymousAttributes = editor.attributes
            return
        }
        self.entries[mpid]?.attributes = editor.attributes
        self.entries[mpid]?.changed = editor.changed
        if let removals = editor.removals { self.entries[mpid]?.removals = removals }
    }

    /// Gives a user the attributes set before the first user: those that they do not have, as far as there is room.
    ///
    /// Unless a user was erased, the user is new and has no attributes.
    mutating func inherit(_ attributes: [String: AttributeValue], by entry: inout Entry) {
        for (key, value) in attributes.sorted(by: { $0.key < $1.key }) {
            guard AttributeEditor.spelling(of: key, in: entry.attributes) == nil else { continue }
            let name = AttributeEditor.spelling(of: key, in: entry.removals) ?? key
            var merged = entry.attributes
            merged[name] = value
            guard UserLimits.violation(of: merged) == nil else { continue }
            entry.attributes = merged
            self.lastChange += 1
            entry.changed[name] = self.lastChange
            // Set again before the platform has received its removal.
            entry.removals[name] = nil
        }
    }
}
