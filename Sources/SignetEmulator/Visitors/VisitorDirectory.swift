//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// The users of a project, and what they are called by; knows nothing of requests.
struct VisitorDirectory: Sendable {
    private var profiles: [Int: VisitorProfile] = [:]
    private var keys: [EmulatedVisitorID: Int] = [:]
    private var mergedAway: Set<EmulatedVisitorID> = []
    private var made = 0

    /// In the order in which they were made.
    var all: [VisitorProfile] {
        self.profiles.values.sorted { $0.key < $1.key }
    }

    subscript(id: EmulatedVisitorID) -> VisitorProfile? {
        self.keys[id].flatMap { self.profiles[$0] }
    }

    /// Changes a user; nil when nobody is called so.
    mutating func update<Result>(_ id: EmulatedVisitorID, _ body: (inout VisitorProfile) -> Result) -> Result? {
        // Taken out meanwhile, so that there is one of it and nothing is copied.
        guard let key = self.keys[id], var profile = self.profiles.removeValue(forKey: key) else { return nil }
        let result = body(&profile)
        self.profiles[key] = profile
        return result
    }

    /// Makes a user where nobody is called so yet.
    mutating func make(_ id: EmulatedVisitorID, isUnknown: Bool = false, at now: Int64) {
        guard self.keys[id] == nil else { return }
        self.made += 1
        var profile = VisitorProfile(key: self.made, firstSeen: now, isResurrected: self.mergedAway.contains(id))
        profile.isUnknown = isUnknown
        Self.call(&profile, id)
        self.keys[id] = profile.key
        self.profiles[profile.key] = profile
    }

    /// Makes one user of two; nil when nobody is called as the source is, or both are called by names of one user.
    mutating func merge(_ source: EmulatedVisitorID, into destination: EmulatedVisitorID) -> EmulatedMerge.Outcome? {
        guard let sourceKey = self.keys[source], let profile = self.profiles[sourceKey],
            self.keys[destination] != sourceKey
        else {
            return nil
        }
        for id in profile.ids {
            self.keys[id] = nil
            self.mergedAway.insert(id)
        }
        if let key = self.keys[destination] {
            self.profiles[key]?.absorb(profile)
            self.profiles[sourceKey] = nil
            return .merged
        }
        var renamed = profile
        renamed.mergedFrom += profile.ids
        renamed.email = nil
        renamed.userID = nil
        renamed.isUnknown = false
        Self.call(&renamed, destination)
        self.keys[destination] = sourceKey
        self.profiles[sourceKey] = renamed
        return .renamed
    }

    /// Gives a user another address, which must be free or the user's own.
    mutating func changeEmail(of id: EmulatedVisitorID, to email: String) {
        guard let key = self.keys[id], var profile = self.profiles[key] else { return }
        if let old = profile.email {
            self.keys[.email(old)] = nil
        }
        profile.email = email
        self.keys[.email(email)] = key
        self.profiles[key] = profile
    }

    /// Disables a token of all users; false when nobody has it.
    mutating func disable(_ token: String) -> Bool {
        var isFound = false
        for key in self.profiles.keys.sorted() where self.profiles[key]?.disable(token) == true {
            isFound = true
        }
        return isFound
    }

    /// Forgets the events of requests up to a number.
    mutating func forgetEvents(upTo number: Int) {
        for key in Array(self.profiles.keys) { self.profiles[key]?.forgetEvents(upTo: number) }
    }

    private static func call(_ profile: inout VisitorProfile, _ id: EmulatedVisitorID) {
        switch id {
        case .email(let email): profile.email = email
        case .userID(let userID): profile.userID = userID
        }
    }
}
