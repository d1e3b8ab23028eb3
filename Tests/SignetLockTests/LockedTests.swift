// SPDX-License-Identifier: Apache-2.0

import SignetLock
import Testing

struct LockedTests {
    private struct Refused: Error, Equatable {
        var number: Int
    }

    @Test func changesOfManyTasksAreAllCounted() async {
        let counter = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 {
                        counter.withLock { $0 += 1 }
                    }
                }
            }
        }
        #expect(counter.withLock { $0 } == 80_000)
    }

    @Test func theBodysErrorKeepsItsTypeAndTheLockIsFreeAfterIt() {
        let list = Locked([Int]())
        do throws(Refused) {
            try list.withLock { (numbers) throws(Refused) in
                numbers.append(7)
                throw Refused(number: 7)
            }
            Issue.record("the error was swallowed")
        } catch {
            #expect(error.number == 7)
        }
        #expect(list.withLock { $0 } == [7])
    }

    @Test func theBodysResultIsHandedBack() {
        let text = Locked("a")
        let seen = text.withLock { value -> String in
            let before = value
            value = "b"
            return before
        }
        #expect(seen == "a")
        #expect(text.withLock { $0 } == "b")
    }

    #if DEBUG
    @Test func takingItTwiceOnOneThreadTrapsInsteadOfHanging() async {
        await #expect(processExitsWith: .failure) {
            let lock = Locked(0)
            lock.withLock { _ in
                lock.withLock { $0 += 1 }
            }
        }
    }
    #endif
}
