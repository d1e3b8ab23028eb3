//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetWire

import struct FoundationEssentials.UUID

/// What an installation remembers of its visitor, beside the records: consent, and whose turn it is.
struct IterableMemory: Sendable, Hashable {
    /// A criterion held: an unknown user is to be made.
    struct Activation: Sendable, Hashable {
        /// The UUID, the same for every try.
        let userID: String
        /// The id of the criterion.
        let criterion: String
    }

    /// When consent was given, in milliseconds since 1970; nil without.
    var consentedAt: Int64?
    /// The sessions of the visitor; nil before the first.
    var sessions: UnknownSessionBody.Sessions?
    /// The unknown user that is being made.
    var activation: Activation?
    /// The UUID of the next unknown user, where the service may have heard of it.
    var reservedID: String?
    /// The users whom something is still to be done for, oldest first; the last one may be in front of the installation.
    var turns: [IterableTurn] = []
    /// The first record of the visitor, while nobody else is in front of the installation.
    var first: UInt64 = 0
    /// A number that no record has had yet, nor any after it.
    var next: UInt64 = 0
    /// No record on disk has a number before this one.
    ///
    /// With ``reserved`` it says where records are: a start looks only there, however many others the directory holds.
    var low: UInt64 = 0
    /// Records get numbers before this one until the memory is written again.
    var reserved: UInt64 = 0
    /// The last change of the user of the installation that was taken over: none is twice, none after a later one.
    var followed: UUID?
    /// The unknown user whose merge is next, or on the wire.
    var nextMerge: String?
    /// The push token of the device, whoever is in front of it.
    var pushToken: IterablePushToken?
    /// Whether the app may show notifications on the device; nil until it has said so.
    var allowsNotifications: Bool?

    /// The turn of the user who is in front of the installation; nil for a visitor.
    var current: IterableTurn? {
        self.turns.last.flatMap { $0.end == nil ? $0 : nil }
    }

    /// What is to be told of the device to whoever is a user on it; nil without a push token.
    var registration: IterableTask? {
        self.pushToken.map { .register($0, allowsNotifications: self.allowsNotifications) }
    }

    /// Has the device told to the user of now, if there is one, instead of what was to be told of it before.
    mutating func renewRegistration() {
        guard self.current != nil, let registration else { return }
        let index = self.turns.count - 1
        self.turns[index].tasks.removeAll { if case .register = $0 { true } else { false } }
        self.turns[index].tasks.append(registration)
    }

    /// Whether a record counts.
    func owns(_ ordinal: UInt64) -> Bool {
        (self.current == nil && ordinal >= self.first) || self.turns.contains { $0.owns(ordinal) }
    }
}
