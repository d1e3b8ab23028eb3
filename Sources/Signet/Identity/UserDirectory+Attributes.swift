//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

extension UserDirectory {
    /// Whom a call means: who was addressed, else the first user for what was addressed to nobody before there was one.
    func addressee(_ mpid: MPID?) -> MPID? {
        mpid ?? self.firstUser
    }

    /// The attributes of a user, or of nobody known yet, to be changed.
    ///
    /// - Parameter mpid: Whose.
    /// - Returns: Nil when there is no such user.
    func editor(of mpid: MPID?) -> AttributeEditor? {
        guard let mpid else {
            return AttributeEditor(
                self.orphanedAttributes,
                removals: [:],
                lastRemoval: self.lastRemoval,
                isKnown: false
            )
        }
        return self.entries[mpid].map {
            AttributeEditor($0.attributes, removals: $0.removals, lastRemoval: self.lastRemoval, isKnown: true)
        }
    }

    /// Takes changed attributes.
    mutating func take(_ editor: AttributeEditor, of mpid: MPID?) {
        self.lastRemoval = editor.lastRemoval
        guard let mpid else {
            self.orphanedAttributes = editor.attributes
            return
        }
        self.entries[mpid]?.attributes = editor.attributes
        self.entries[mpid]?.removals = editor.removals
    }

    /// Gives a user what was set before anybody was known: only what they do not have, and what there is room for.
    ///
    /// Where nobody was erased the user is new and has neither.
    func inherit(_ attributes: [String: AttributeValue], by entry: inout Entry) {
        for (key, value) in attributes.sorted(by: { $0.key < $1.key }) {
            guard AttributeEditor.spelling(of: key, in: entry.attributes) == nil else { continue }
            let name = AttributeEditor.spelling(of: key, in: entry.removals) ?? key
            var merged = entry.attributes
            merged[name] = value
            guard UserLimits.violation(of: merged) == nil else { continue }
            entry.attributes = merged
            // Set again before the platform has heard of its removal.
            entry.removals[name] = nil
        }
    }

    /// A batch that is written down tells of removals: no other will.
    ///
    /// - Parameters:
    ///   - mpid: Whose.
    ///   - number: Up to which removal.
    /// - Returns: Whether there were any.
    @discardableResult
    mutating func forgetRemovals(of mpid: MPID, upTo number: Int64) -> Bool {
        guard let removals = self.entries[mpid]?.removals, !removals.isEmpty else { return false }
        let left = removals.filter { $0.value > number }
        guard left.count < removals.count else { return false }
        self.entries[mpid]?.removals = left
        return true
    }
}
