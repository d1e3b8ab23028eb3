//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

extension InstallationCore: IdentityHome {
    var isRetired: Bool {
        self.phase == .retired
    }

    func commit(_ state: IdentityState, change: (previous: User?, current: User)?, firstUser: MPID?) -> Bool {
        var lastOfNobody = UInt64.max
        let committed = self.state.withLock { own -> (failure: SignetError?, resumptions: [Resumption])? in
            guard own.phase != .retired else { return nil }
            var failure: SignetError?
            do throws(SignetError) {
                if firstUser != nil { lastOfNobody = try self.services.lastSequence() }
            } catch {
                // Some are in memory and have no number yet: all that come before another user does are theirs.
            }
            do throws(SignetError) {
                try self.services.store.put(state.encoded(), for: StateKey.identity(self.id))
            } catch {
                failure = error
            }
            own.identity = state
            self.noteUser(&own)
            guard let change else { return (failure, []) }
            let news = UserChange(installation: self.id, previous: change.previous, current: change.current)
            return (failure, self.services.userChanges.stage(news, of: self.id))
        }
        // Retired: the answer is lost, and nobody may inherit by it what the next object still holds for its first user.
        guard let (failure, resumptions) = committed else { return false }
        if let failure { self.services.reportNotSaved(self.id, failure) }
        if let firstUser { self.services.intake.adopted(state.number, by: firstUser, upTo: lastOfNobody) }
        for resumption in resumptions { resumption.resume() }
        return true
    }

    func save(_ state: IdentityState) throws(SignetError) {
        try self.state.withLock { own throws(SignetError) in
            guard own.phase == .open else { throw .closed }
            try self.services.store.put(state.encoded(), for: StateKey.identity(self.id))
            own.identity = state
        }
    }
}
