//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// Lets one erasure go on at a time, first come first served.
actor ErasureLock {
    private var isBusy = false
    private var waiting = Deque<CheckedContinuation<Void, Never>>()
    /// Who is to be erased, and could not be yet, oldest first.
    private(set) var unfinished: [MPID] = []
    /// Why not, as was said last.
    private var lastFailure: SignetError.Code?

    /// Waits for its turn; each who had it calls ``leave()``.
    ///
    /// A cancelled task waits all the same: those before it have limits.
    func enter() async {
        guard self.isBusy else {
            self.isBusy = true
            return
        }
        await withCheckedContinuation { self.waiting.append($0) }
    }

    /// An erasure could not be finished.
    ///
    /// - Returns: Whether that is updates: a disk that goes on refusing is told of once.
    func failed(_ mpid: MPID, _ error: SignetError) -> Bool {
        let isNew = !self.unfinished.contains(mpid) || error.code != self.lastFailure
        self.lastFailure = error.code
        if !self.unfinished.contains(mpid) { self.unfinished.append(mpid) }
        return isNew
    }

    /// A user is erased.
    func finished(_ mpid: MPID) {
        self.unfinished.removeAll { $0 == mpid }
    }

    /// Gives the turn to whoever has waited longest.
    func leave() {
        if let next = self.waiting.popFirst() {
            next.resume()
        } else {
            self.isBusy = false
        }
    }
}
