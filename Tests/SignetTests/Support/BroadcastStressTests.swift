// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

@Suite struct BroadcastStressTests {
    @Test func everybodySeesAnUnbrokenRunInOrderWhileOthersComeAndGo() async {
        let broadcast = Broadcast<Int>()
        let total = 20_000
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    // Comes, reads a few, goes: again and again.
                    for round in 0..<300 {
                        var iterator = Updates(broadcast, of: round.isMultiple(of: 2) ? nil : "a").makeAsyncIterator()
                        var last: Int?
                        for _ in 0..<round % 7 {
                            guard let element = await iterator.next(isolation: nil) else { return }
                            if let last, iterator.droppedCount == 0 { #expect(element == last + 1) }
                            last = element
                        }
                    }
                }
            }
            let patient = Updates(broadcast, of: "a")
            group.addTask {
                var last = -1
                for await element in patient {
                    #expect(element > last)
                    last = element
                }
                #expect(last == total - 1)
            }
            group.addTask {
                for element in 0..<total {
                    broadcast.send(element, of: "a")
                    if element.isMultiple(of: 64) { await Task.yield() }
                }
                broadcast.finish()
            }
        }
        #expect(broadcast.sentCount == total)
        #expect(broadcast.listenerCount == 0)
    }
}
