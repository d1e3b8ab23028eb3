// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Lets one erasure run at a time, first come first served.
actor ErasureLock {
    /// The callers that wait for their turn; nil while no erasure runs.
    private var waiting: Deque<CheckedContinuation<Void, Never>>?
    /// The users whose erasure failed so far, oldest first.
    private(set) var unfinished: [MPID] = []
    /// The code of the latest failure.
    private var lastFailure: SignetError.Code?

    /// Waits for its turn; each turn ends with a call of ``release()``.
    ///
    /// A cancelled task still waits: earlier erasures have time limits.
    func acquire() async {
        guard self.waiting != nil else {
            self.waiting = Deque()
            return
        }
        await withCheckedContinuation { self.waiting?.append($0) }
    }

    /// Takes a free turn; ``release()`` ends it.
    ///
    /// - Returns: False if an erasure is under way.
    func acquireIfFree() -> Bool {
        guard self.waiting == nil else { return false }
        self.waiting = Deque()
        return true
    }

    /// Records a failed erasure.
    ///
    /// - Returns: True if the failure is new: a disk that keeps refusing is reported once.
    func failed(_ mpid: MPID, _ error: SignetError) -> Bool {
        let isNew = !self.unfinished.contains(mpid) || error.code != self.lastFailure
        self.lastFailure = error.code
        if !self.unfinished.contains(mpid) { self.unfinished.append(mpid) }
        return isNew
    }

    /// Records that a user is erased.
    func finished(_ mpid: MPID) {
        self.unfinished.removeAll { $0 == mpid }
    }

    /// Gives the turn to the longest waiter.
    func release() {
        if let next = self.waiting?.popFirst() {
            next.resume()
        } else {
            self.waiting = nil
        }
    }
}
