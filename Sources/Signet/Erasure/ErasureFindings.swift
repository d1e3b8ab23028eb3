//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What an erasure has found so far.
struct ErasureFindings {
    /// Installations that knew the user.
    var installations = 0
    /// Batches that were set aside.
    var deadLetterBatches = 0
    /// Their events.
    var deadLetteredEvents = 0
    /// Alias requests on their way.
    var aliasRequests = 0
    /// Custom events of the person that Infobip was not told of.
    var infobipEvents = 0
    /// Files with copies of damaged bytes, and records that could not be read: of them nobody knows whose they are.
    var damagedCopies = 0
    /// Where events of nobody were inherited by who was erased: the users of such installations, by their numbers.
    var inheritances: [UInt32: UserDirectory] = [:]

    /// Keeps in mind whose the events of nobody were on an installation.
    mutating func note(_ state: IdentityState) {
        guard state.directory.inheritances.contains(where: { $0.heir == nil }) else { return }
        self.inheritances[state.number] = state.directory
    }
}
