// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.Date

@testable import SignetIterable

/// Copies of logged events that go to Iterable.
@Suite struct IterableForwardingTests {
    /// What is local is local for every service.
    @Test func anEventThatIsNotUploadedIsNotCopied() async throws {
        let world = try IterableWorld()
        try await world.live(configure: { $0.iterable?.forwardsEvents = true }) { _, installation in
            try await installation.iterable.identify(.email("ann@example.com"))
            var local = Event.custom("local only")
            local.isUploaded = false
            try installation.log(local)
            try installation.log(.custom("uploaded"))
            try await world.settle(installation)
            #expect(world.iterable.events().compactMap(\.name) == ["uploaded"])
        }
    }

    @Test func aCopyBeyondALimitIsCountedAndTheEventIsLogged() async throws {
        let world = try IterableWorld()
        try await world.live(configure: { $0.iterable?.forwardsEvents = true }) { signet, installation in
            try await installation.iterable.identify(.email("ann@example.com"))
            try installation.log(.custom(String(repeating: "n", count: 256)))
            try installation.log(.custom("short"))
            try await world.settle(installation)
            #expect(world.iterable.events().compactMap(\.name) == ["short"])
            #expect(signet.runtime.statistics.iterableRecordsDropped == [.invalid: 1])
            #expect(signet.runtime.statistics.eventsWaiting > 1)
        }
    }

    @Test func theCopyOfAnEarlierEventHasItsTime() async throws {
        let world = try IterableWorld()
        try await world.live(configure: { $0.iterable?.forwardsEvents = true }) { signet, installation in
            try await installation.iterable.identify(.email("ann@example.com"))
            let yesterday = Date(timeIntervalSince1970: signet.clock.date.timeIntervalSince1970.rounded(.down) - 86_400)
            var order = Event.custom("order")
            order.occurredAt = yesterday
            try installation.log(order)
            try await world.settle(installation)
            #expect(world.iterable.events().map(\.createdAt) == [yesterday])
        }
    }

    @Test func moneyArrivesAsItWasWritten() async throws {
        let world = try IterableWorld()
        try await world.live(configure: { $0.iterable?.forwardsEvents = true }) { _, installation in
            try await installation.iterable.identify(.email("ann@example.com"))
            let tea = Product(id: "t", price: 0.1, quantity: 3)
            try installation.log(.commerce(.action(ProductAction(.purchase, products: [tea], transactionID: "o-1"))))
            try await world.settle(installation)
            let purchase = try #require(world.iterable.events().first { $0.kind == .purchase })
            #expect(purchase.total == 0.3)
        }
    }
}
