// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Finds out which waits for events are over, and hastens the events of the others.
struct EventWaits: Sendable {
    /// A wait until the events of these users on one installation, up to a number, are settled.
    typealias Wait = (installation: InstallationID, mpids: [MPID], sequence: UInt64)

    /// The most numbers in the cache.
    private static let limit = 10_000

    private let context: RuntimeContext
    private let users: any EventUsers
    /// A cache of the numbers of installations by name.
    private var numbers: [InstallationID: UInt32] = [:]

    init(_ context: RuntimeContext, _ users: any EventUsers) {
        self.context = context
        self.users = users
    }

    /// Returns the index of the first wait that is over, and makes the events of the waits before it due; nil if none is over.
    ///
    /// - Throws: The error of the disk: the number of an installation cannot be read.
    mutating func firstOver(_ waits: [Wait], in machine: inout UploadStateMachine) throws(SignetError) -> Int? {
        for (index, wait) in waits.enumerated() {
            guard let number = try self.number(of: wait.installation) else { return index }
            if !machine.isOnItsWay(number, wait.mpids, upTo: wait.sequence) { return index }
            if machine.expedite(number, upTo: wait.sequence) { self.context.ingress.wakeup.signal() }
        }
        return nil
    }

    /// Forgets an installation that is reset.
    mutating func forget(_ installation: InstallationID) {
        self.numbers[installation] = nil
    }

    private mutating func number(of installation: InstallationID) throws(SignetError) -> UInt32? {
        if let known = self.numbers[installation] { return known }
        guard let number = try self.users.number(installation) else { return nil }
        // A replica forgets numbers, and has them in memory anyway.
        guard !self.users.readsRows else { return number }
        if self.numbers.count >= Self.limit { self.numbers = [:] }
        self.numbers[installation] = number
        return number
    }
}
