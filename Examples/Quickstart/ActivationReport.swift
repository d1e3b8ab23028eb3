// SPDX-License-Identifier: Apache-2.0

/// What the apps did, counted where they did it.
import SignetEmulator

/// What Iterable's API knows at the end of a day.
struct ActivationReport: Sendable, Hashable {
    /// Unknown users that were made.
    let activations: Int
    /// Unknown users that became known ones.
    let merges: Int
    /// Unknown users who are that still.
    let unknownUsers: Int
    let knownUsers: Int
    let unknownEvents: Int
    let knownEvents: Int
    /// Requests that came with a good token.
    let vouched: Int
    /// Requests that were not taken.
    let refused: Int
    /// Whether somebody was made twice, or something came for somebody who had gone.
    let hasMixedUp: Bool

    init(_ project: EmulatedIterable) {
        let users = project.users()
        let made = project.activations().map(\.userID)
        self.activations = made.count
        self.merges = project.merges().count
        self.unknownUsers = users.count(where: \.isUnknown)
        self.knownUsers = users.count - self.unknownUsers
        let unknown = users.filter(\.isUnknown).compactMap(\.userID)
        self.unknownEvents = unknown.reduce(0) { $0 + project.events(of: .userID($1)).count }
        self.knownEvents = project.events().count - self.unknownEvents
        self.vouched = project.requests().count { $0.tokenOwner != nil }
        self.refused = project.requests().count { $0.status != 200 }
        self.hasMixedUp = Set(made).count != made.count || users.contains(where: \.isResurrected)
    }

    /// Nobody was made twice, and each unknown user is one still or was merged once.
    var isAsPromised: Bool {
        !self.hasMixedUp && self.refused == 0 && self.activations == self.merges + self.unknownUsers
    }
}
