//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

/// Counts from one, from any thread.
final class Counter: Sendable {
    private let count = Locked(0)

    func next() -> Int {
        self.count.withLock { count in
            count += 1
            return count
        }
    }
}
