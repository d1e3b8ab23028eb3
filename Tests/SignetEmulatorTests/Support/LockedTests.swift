//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Testing

@testable import SignetEmulator

struct LockedTests {
    @Test func noChangeIsLost() async {
        let count = Locked(0)
        await withDiscardingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 {
                        count.withLock { $0 += 1 }
                    }
                }
            }
        }
        #expect(count.withLock { $0 } == 80_000)
    }

    @Test func anErrorLeavesTheLockFree() {
        let value = Locked(1)
        #expect(throws: Refusal.self) {
            try value.withLock { (value) throws(Refusal) in
                value = 2
                throw .badRequest("no")
            }
        }
        #expect(value.withLock { $0 } == 2)
    }
}
