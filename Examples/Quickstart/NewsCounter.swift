//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Signet

/// Counts what the two streams of a runtime tell, until they end.
struct NewsCounter {
    private let users: UserChanges
    private let sessions: SessionChanges

    /// Subscribes now, before anything happens.
    init(_ runtime: SignetRuntime) {
        self.users = runtime.userChanges
        self.sessions = runtime.sessionChanges
    }

    /// What the streams told.
    struct Count {
        var userChanges = 0
        var switches = 0
        var begun = 0
        var lengths: [Double] = []
        var dropped = 0
    }

    /// Counts until the runtime has ended.
    func count() async -> Count {
        async let ofUsers = self.countUsers()
        var count = await self.countSessions()
        (count.userChanges, count.switches) = await ofUsers
        count.dropped = self.users.droppedCount + self.sessions.droppedCount
        return count
    }

    private func countUsers() async -> (changes: Int, switches: Int) {
        var count = (changes: 0, switches: 0)
        for await change in self.users {
            count.changes += 1
            if let previous = change.previous, previous.mpid != change.current.mpid { count.switches += 1 }
        }
        return count
    }

    private func countSessions() async -> Count {
        var count = Count()
        for await change in self.sessions {
            switch change.kind {
            case .began: count.begun += 1
            case .ended(let length): count.lengths.append(length / .seconds(1))
            }
        }
        count.lengths.sort()
        return count
    }
}
