//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Lets one erasure go on at a time, first come first served.
actor ErasureDesk {
    private var isBusy = false
    private var waiting = FIFO<CheckedContinuation<Void, Never>>()

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

    /// Gives the turn to whoever has waited longest.
    func leave() {
        if let next = self.waiting.popFirst() {
            next.resume()
        } else {
            self.isBusy = false
        }
    }
}
