//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// What changed of a user, to be told to the platform as an event of that user, whoever is current.
struct UserUpdate: Sendable, Hashable {
    /// Whose; nil while nobody is known: then it waits for the first user.
    let mpid: MPID?
    /// What happened.
    let content: Event.Content

    /// An attribute or an identity has changed.
    init(_ event: UserEvent, of mpid: MPID?) {
        self.mpid = mpid
        self.content = .user(event)
    }

    /// The installation has opted out or in.
    init(optedOut isOptedOut: Bool, of mpid: MPID?) {
        self.mpid = mpid
        self.content = .optOut(isOptedOut)
    }
}
