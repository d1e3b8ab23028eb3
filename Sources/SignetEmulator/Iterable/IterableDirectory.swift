//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// The users of a project, and what they are called by; knows nothing of requests.
struct IterableDirectory: Sendable {
    private var infobip: [Int: IterableUserRecord] = [:]
    private var keys: [EmulatedIterableUserID: Int] = [:]
    private var mergedAway: Set<EmulatedIterableUserID> = []
    private var made = 0

    /// In the order in which they were made.
    var all: [IterableUserRecord] {
        self.infobip.values.sorted { $0.key < $1.key }
    }

    subscript(id: EmulatedIterableUserID) -> IterableUserRecord? {
        self.keys[id].flatMap { self.infobip[$0] }
    }

    /// Changes a user; nil when nobody is called so.
    mutating func update<Result>(_ id: EmulatedIterableUserID, _ body: (inout IterableUserRecord) -> Result) -> Result?
    {
        // Taken out meanwhile, so that there is one of it and nothing is copied.
        guard let key = self.keys[id], var profile = self.infobip.removeValue(forKey: key) else { return nil }
        let result = body(&profile)
        self.infobip[key] = profile
        return result
    }

    /// Makes a user where nobody is called so yet.
    mutating func make(_ id: EmulatedIterableUserID, isUnknown: Bool = false, at now: Int64) {
        guard self.keys[id] == nil else { return }
        self.made += 1
        var profile = IterableUserRecord(key: self.made, firstSeen: now, isResurrected: self.mergedAway.contains(id))
        profile.isUnknown = isUnknown
        Self.call(&profile, id)
        self.keys[id] = profile.key
        self.infobip[profile.key] = profile
    }

    /// Makes one user of two; nil when nobody is called as the source is, or both are called by names of one user.
    mutating func merge(
        _ source: EmulatedIterableUserID,
        into destination: EmulatedIterableUserID
    ) -> EmulatedIterableMerge.Outcome? {
        guard let sourceKey = self.keys[source], let profile = self.infobip[sourceKey],
            self.keys[destination] != sourceKey
        else {
            return nil
        }
        for id in profile.ids {
            self.keys[id] = nil
            self.mergedAway.insert(id)
        }
        if let key = self.keys[destination] {
            self.infobip[key]?.absorb(profile)
            self.infobip[sourceKey] = nil
            return .merged
        }
        var renamed = profile
        renamed.mergedFrom += profile.ids
        renamed.email = nil
        renamed.userID = nil
        renamed.isUnknown = false
        Self.call(&renamed, destination)
        self.keys[destination] = sourceKey
        self.infobip[sourceKey] = renamed
        return .renamed
    }

    /// Gives a user another address, which must be free or the user's own.
    mutating func changeEmail(of id: EmulatedIterableUserID, to email: String) {
        guard let key = self.keys[id], var profile = self.infobip[key] else { return }
        if let old = profile.email {
            self.keys[.email(old)] = nil
        }
        profile.email = email
        self.keys[.email(email)] = key
        self.infobip[key] = profile
    }

    /// Disables a token of all users; false when nobody has it.
    mutating func disable(_ token: String) -> Bool {
        var isFound = false
        for key in self.infobip.keys.sorted() where self.infobip[key]?.disable(token) == true {
            isFound = true
        }
        return isFound
    }

    /// Forgets the events of requests up to a number.
    mutating func forgetEvents(upTo number: Int) {
        for key in Array(self.infobip.keys) { self.infobip[key]?.forgetEvents(upTo: number) }
    }

    private static func call(_ profile: inout IterableUserRecord, _ id: EmulatedIterableUserID) {
        switch id {
        case .email(let email): profile.email = email
        case .userID(let userID): profile.userID = userID
        }
    }
}
