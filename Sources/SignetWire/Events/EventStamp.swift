//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import struct FoundationEssentials.UUID
package import struct SignetModel.Session

/// When an event happened, in which session, and under which id.
package struct EventStamp: Sendable, Hashable {
    /// The wall clock at the call, milliseconds since 1970.
    package let milliseconds: Int64
    /// The session; nil outside of one.
    package let session: Session?
    /// The event's own id: the platform recognises a repeated event by it.
    package let messageID: UUID

    package init(milliseconds: Int64, session: Session?, messageID: UUID) {
        self.milliseconds = milliseconds
        self.session = session
        self.messageID = messageID
    }
}
