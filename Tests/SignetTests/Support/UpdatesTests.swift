// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

@Suite struct UpdatesTests {
    private let broadcast = Broadcast<Int>()

    private func send(_ elements: some Sequence<Int>, of installation: InstallationID = "a") {
        for element in elements { self.broadcast.send(element, of: installation) }
    }

    private func rest(of iterator: inout Updates<Int>.AsyncIterator) async -> [Int] {
        var elements: [Int] = []
        while let element = await iterator.next(isolation: nil) { elements.append(element) }
        return elements
    }

    @Test func readingThePropertySubscribesAtOnceAndBuffers() async {
        let updates = Updates(self.broadcast, of: nil)
        self.send(1...3)
        self.broadcast.finish()
        var iterator = updates.makeAsyncIterator()
        #expect(await self.rest(of: &iterator) == [1, 2, 3])
    }

    @Test func theFirstIteratorTakesTheBufferOverAndEachFurtherOneIsItsOwn() async {
        let updates = Updates(self.broadcast, of: nil)
        self.send(1...2)
        var first = updates.makeAsyncIterator()
        var second = updates.makeAsyncIterator()
        self.send(3...4)
        var third = updates.makeAsyncIterator()
        self.send(5...5)
        self.broadcast.finish()
        #expect(await self.rest(of: &first) == [1, 2, 3, 4, 5])
        #expect(await self.rest(of: &second) == [3, 4, 5])
        #expect(await self.rest(of: &third) == [5])
    }

    @Test func whoJoinsLateSeesWhatComesLater() async {
        self.send(1...2)
        let updates = Updates(self.broadcast, of: nil)
        self.send(3...3)
        self.broadcast.finish()
        var iterator = updates.makeAsyncIterator()
        #expect(await self.rest(of: &iterator) == [3])
    }

    @Test func whoJoinsAfterTheEndSeesTheEnd() async {
        self.send(1...1)
        self.broadcast.finish()
        var iterator = Updates(self.broadcast, of: nil).makeAsyncIterator()
        #expect(await iterator.next(isolation: nil) == nil)
    }

    @Test func aSlowOneKeepsTheNewestAndSeesHowManyItLost() async {
        let slow = Updates(self.broadcast, of: nil)
        self.send(0..<1500)
        #expect(slow.droppedCount == 1500 - 1024)
        self.broadcast.finish()
        var iterator = slow.makeAsyncIterator()
        #expect(iterator.droppedCount == 1500 - 1024)
        #expect(await self.rest(of: &iterator) == Array(476..<1500))
    }

    @Test func aFurtherIteratorThatIsSlowSeesItsOwnLoss() {
        let updates = Updates(self.broadcast, of: nil)
        let first = updates.makeAsyncIterator()
        self.send(0..<100)
        let second = updates.makeAsyncIterator()
        self.send(0..<1025)
        #expect(first.droppedCount == 101)
        #expect(second.droppedCount == 1)
    }

    @Test func aSlowOneDelaysAndDropsNothingForTheOthers() async {
        let slow = Updates(self.broadcast, of: nil)
        var quick = Updates(self.broadcast, of: nil).makeAsyncIterator()
        for element in 0..<3000 {
            self.send(CollectionOfOne(element))
            #expect(await quick.next(isolation: nil) == element)
        }
        #expect(quick.droppedCount == 0)
        #expect(slow.droppedCount == 3000 - 1024)
    }

    @Test func newsOfOneInstallationAreThatOnesOnly() async {
        let own = Updates(self.broadcast, of: "a")
        let all = Updates(self.broadcast, of: nil)
        self.send(1...1, of: "a")
        self.send(2...2, of: "b")
        self.broadcast.finish()
        var ownIterator = own.makeAsyncIterator()
        var allIterator = all.makeAsyncIterator()
        #expect(await self.rest(of: &ownIterator) == [1])
        #expect(await self.rest(of: &allIterator) == [1, 2])
    }

    @Test func aSubscriptionEndsWhenItsValueAndItsIteratorsAreGone() {
        weak var subscription: Subscription<Int>?
        do {
            var iterator: Updates<Int>.AsyncIterator?
            do {
                let updates = Updates(self.broadcast, of: "a")
                iterator = updates.makeAsyncIterator()
                subscription = iterator?.subscription
            }
            #expect(self.broadcast.listenerCount == 1)
            #expect(subscription != nil)
            iterator = nil
        }
        #expect(subscription == nil)
        #expect(self.broadcast.listenerCount == 0)
        self.send(1...1)
    }

    @Test func cancellationOfAWaitingReaderEndsItsSequence() async {
        let updates = Updates(self.broadcast, of: nil)
        let reader = Task {
            var count = 0
            for await _ in updates { count += 1 }
            return count
        }
        self.send(1...1)
        reader.cancel()
        #expect([0, 1].contains(await reader.value))
    }

    @Test func aReaderThatIsCancelledLosesNothingForTheNextReader() async {
        let subscription = self.broadcast.subscribe(to: nil)
        let reader = Task { await subscription.next() }
        reader.cancel()
        let seen = await reader.value
        self.send(1...2)
        #expect(seen == nil)
        #expect(await subscription.next() == 1)
        #expect(await subscription.next() == 2)
    }

    @Test func itDescribesItselfInOneWord() {
        struct Holder {
            let updates: Updates<Int>
        }
        let updates = Updates(self.broadcast, of: "a")
        #expect("\(updates)" == "Updates<Int>")
        #expect("\(Holder(updates: updates))" == "Holder(updates: Updates<Int>)")
    }

    @Test func theEndComesAfterTheLastElement() async {
        let updates = Updates(self.broadcast, of: nil)
        let reader = Task {
            var elements: [Int] = []
            for await element in updates { elements.append(element) }
            return elements
        }
        self.send(0..<500)
        self.broadcast.finish()
        self.send(500..<510)
        #expect(await reader.value == Array(0..<500))
        #expect(self.broadcast.sentCount == 500)
    }
}
