//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// What delivery must know of the users of installations.
struct EventUsers: Sendable {
    /// What a batch says of a user.
    let user: @Sendable (InstallationID, MPID) throws(SignetError) -> BatchUser
    /// Who owns what was logged for nobody on an installation: in the order of the events, the first user last.
    let heirs: @Sendable (InstallationID) throws(SignetError) -> [AnonymousAttribution]
    /// A batch with removals of attributes of a user, up to a number, is written down.
    let removalsCarried: @Sendable (InstallationID, MPID, Int64) throws(SignetError) -> Void
    /// A batch is written down that tells what somebody agreed to who has gone; says of whom all events are in batches.
    let departedCarried:
        @Sendable (InstallationID, UInt32, (DepartedConsents.Entry) -> Bool) throws(SignetError) -> Void
    /// After which event of the journal an installation has opted out; nil when it never did.
    let optedOutAfter: @Sendable (InstallationID) throws(SignetError) -> UInt64?
    /// The number of an installation in the tags of its events; nil when it has none.
    let number: @Sendable (InstallationID) throws(SignetError) -> UInt32?
}
