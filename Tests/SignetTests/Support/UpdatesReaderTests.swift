// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetTestSupport
import Testing

@testable import Signet

@Suite(.watched) struct UpdatesReaderTests {
    private let broadcast = Broadcast<Int>()
    private let unfinished = UnfinishedReaders()
    private let handled = Locked<[Int]>([])

    private func reader() -> UpdatesReader<Int> {
        UpdatesReader(Updates(self.broadcast, of: nil, unfinished: self.unfinished)) { [handled] element in
            handled.withLock { $0.append(element) }
        }
    }

    private func send(_ elements: Int...) {
        for element in elements { self.broadcast.send(element, of: "a") }
    }

    /// A run of a runtime, which ends all updates when the body has returned.
    private func run(_ body: () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            let (began, mayEnd) = (Promise<Void>(), Promise<Void>())
            group.addTask {
                await self.unfinished.readOn {
                    began.resolve(())
                    _ = await mayEnd.value()
                    self.broadcast.finish()
                }
            }
            _ = await began.value()
            await body()
            mayEnd.resolve(())
            await group.waitForAll()
        }
    }

    @Test func itReadsToTheEnd() async {
        let reader = self.reader()
        self.send(1, 2)
        self.broadcast.finish()
        #expect(await reader.read() == .finished)
        #expect(self.handled.withLock { $0 } == [1, 2])
    }

    @Test func anInterruptionEndsTheReadingThatWaits() async {
        let reader = self.reader()
        self.send(1)
        async let end = reader.read()
        await until("the first is handled") { self.handled.withLock { $0 } == [1] }
        reader.interrupt()
        self.send(2)
        #expect(await end == .interrupted)
        #expect(self.handled.withLock { $0 } == [1])
    }

    @Test func anInterruptionBeforeTheReadingEndsIt() async {
        let reader = self.reader()
        self.send(1)
        reader.interrupt()
        #expect(await reader.read() == .interrupted)
        #expect(self.handled.withLock { $0 } == [])
    }

    @Test func anInterruptionAfterTheLastUpdateIsTheEnd() async {
        let reader = self.reader()
        self.broadcast.finish()
        reader.interrupt()
        #expect(await reader.read() == .finished)
    }

    @Test func cancellationEndsIt() async {
        let reader = self.reader()
        let reading = Task { await reader.read() }
        reading.cancel()
        #expect(await reading.value == .cancelled)
    }

    @Test func theRunOfTheRuntimeReadsTheRest() async {
        await self.run {
            let reader = self.reader()
            self.send(1)
            reader.interrupt()
            #expect(await reader.read() == .interrupted)
            await reader.leaveRest()
            await until("the run reads") { self.handled.withLock { $0 } == [1] }
            self.send(2, 3)
        }
        #expect(self.handled.withLock { $0 } == [1, 2, 3])
    }

    @Test func theRunReadsSeveralAtATime() async {
        await self.run {
            for reader in [self.reader(), self.reader()] {
                reader.interrupt()
                await reader.leaveRest()
            }
            self.send(1)
            await until("both have read it") { self.handled.withLock { $0 } == [1, 1] }
        }
    }

    @Test func withoutARunTheReaderHandlesWhatHasComeAndNoMore() async {
        let reader = self.reader()
        self.send(1)
        reader.interrupt()
        await reader.leaveRest()
        self.send(2)
        #expect(self.handled.withLock { $0 } == [1])
    }

    @Test func afterTheRunTheReaderHandlesTheRestItself() async {
        let reader = self.reader()
        await self.run { self.send(1, 2) }
        reader.interrupt()
        await reader.leaveRest()
        #expect(self.handled.withLock { $0 } == [1, 2])
    }
}
