// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The users of a project, with an index by id; independent of requests.
struct IterableDirectory: Sendable {
    private var users: [Int: IterableUserRecord] = [:]
    private var keys: [EmulatedIterableUserID: Int] = [:]
    private var mergedAway: Set<EmulatedIterableUserID> = []
    private var made = 0

    /// All users in the order of creation.
    var all: [IterableUserRecord] {
        self.users.values.sorted { $0.key < $1.key }
    }

    subscript(id: EmulatedIterableUserID) -> IterableUserRecord? {
        self.keys[id].flatMap { self.users[$0] }
    }

    /// Changes a user; nil when no user has this id.
    mutating func update<Result>(_ id: EmulatedIterableUserID, _ body: (inout IterableUserRecord) -> Result) -> Result?
    {
        // Removed meanwhile, so that it is uniquely referenced and not copied.
        guard let key = self.keys[id], var profile = self.users.removeValue(forKey: key) else { return nil }
        let result = body(&profile)
        self.users[key] = profile
        return result
    }

    /// Creates a user, unless one has this id.
    mutating func make(_ id: EmulatedIterableUserID, isUnknown: Bool = false, at now: Int64) {
        guard self.keys[id] == nil else { return }
        self.made += 1
        var marks: IterableUserRecord.Marks = isUnknown ? .unknown : []
        if self.mergedAway.contains(id) { marks.insert(.resurrected) }
        var profile = IterableUserRecord(key: self.made, firstSeen: now, marks)
        Self.call(&profile, id)
        self.keys[id] = profile.key
        self.users[profile.key] = profile
    }

    /// Merges two users; nil when the source does not exist, or both ids belong to one user.
    mutating func merge(
        _ source: EmulatedIterableUserID,
        into destination: EmulatedIterableUserID
    ) -> EmulatedIterableMerge.Outcome? {
        guard let sourceKey = self.keys[source], let profile = self.users[sourceKey],
            self.keys[destination] != sourceKey
        else {
            return nil
        }
        for id in profile.ids {
            self.keys[id] = nil
            self.mergedAway.insert(id)
        }
        if let key = self.keys[destination] {
            self.users[key]?.absorb(profile)
            self.users[sourceKey] = nil
            return .merged
        }
        var renamed = profile
        renamed.mergedFrom += profile.ids
        renamed.email = nil
        renamed.userID = nil
        renamed.marks.remove(.unknown)
        Self.call(&renamed, destination)
        self.keys[destination] = sourceKey
        self.users[sourceKey] = renamed
        return .renamed
    }

    /// Changes a user's address; the new one must be free or the user's own.
    mutating func changeEmail(of id: EmulatedIterableUserID, to email: String) {
        guard let key = self.keys[id], var profile = self.users[key] else { return }
        if let old = profile.email {
            self.keys[.email(old)] = nil
        }
        profile.email = email
        self.keys[.email(email)] = key
        self.users[key] = profile
    }

    /// Disables a token for all users; false when no user has it.
    mutating func disable(_ token: String) -> Bool {
        let owners = self.users.filter { $0.value.devices.contains { $0.token == token } }.keys
        for key in owners { self.users[key]?.disable(token) }
        return !owners.isEmpty
    }

    /// Deletes the events of requests up to a number.
    mutating func forgetEvents(upTo number: Int) {
        for key in Array(self.users.keys) { self.users[key]?.forgetEvents(upTo: number) }
    }

    private static func call(_ profile: inout IterableUserRecord, _ id: EmulatedIterableUserID) {
        switch id {
        case .email(let email): profile.email = email
        case .userID(let userID): profile.userID = userID
        }
    }
}
