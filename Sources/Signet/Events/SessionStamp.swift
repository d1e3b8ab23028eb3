//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

/// What events say of their session: made once a session, copied for each event.
struct SessionStamp: Sendable {
    /// The members of their JSON.
    let members: SessionMembers
    /// What stands for the session in their tags.
    let mark: UInt8

    /// The stamp of a session.
    init(_ session: Session) {
        self.members = SessionMembers(session)
        self.mark = EventTag.mark(of: session)
    }
}
