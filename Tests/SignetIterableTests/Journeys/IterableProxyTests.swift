// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetIterable

/// A 3xx or 4xx that is not the service's own costs no record, no merge and no consent, whatever proxy has given it.
@Suite(.watched) struct IterableProxyTests {
    private static let statuses = [
        301, 302, 303, 307, 308, 400, 402, 404, 405, 406, 407, 408, 409, 410, 411, 413, 414, 415, 417, 418, 421,
        422, 425, 428, 431, 451, 499,
    ]

    private static func page(_ status: Int) -> FaultInjector.Fault {
        var headers = HTTPHeaders()
        headers.append(name: "Content-Type", value: "text/html")
        return .answer(TransportResponse(status: status, headers: headers, body: Array("<html>nginx</html>".utf8)))
    }

    @Test(arguments: Self.statuses) func nothingIsLostByAPageOnAnyRoute(_ status: Int) async throws {
        let world = try IterableWorld()
        for route in IterableFailureTests.routes + [.updateEmail] {
            world.emulator.faults.inject(Self.page(status), on: route)
        }
        try await world.live { signet, installation in
            let visitor = installation.iterable
            try await visitor.setPushToken("0aff")
            try await visitor.browse()
            try await world.settle(installation)
            let criteria = try visitor.manager().adapter.services.criteria
            await until("the criteria") {
                world.clock.advance(by: .seconds(5))
                return await criteria.current() != nil
            }
            try await visitor.track("signup")
            try await world.settle(installation)
            try await visitor.identify(.email("ann@example.com"))
            try await visitor.track("mine")
            try await visitor.updateEmail("new@example.com")
            try await world.settle(installation)
            let events = world.iterable.events(of: .email("new@example.com")).filter { !$0.isRepetition }
            #expect(events.map(\.name) == ["view", nil, nil, "signup", "mine"])
            #expect(world.iterable.unknownUsers().isEmpty)
            #expect(world.iterable.merges().count == 1)
            #expect(world.iterable.user(email: "new@example.com")?.fields["plan"] == "gold")
            #expect(world.iterable.user(email: "new@example.com")?.devices.map(\.isEnabled) == [true])
            #expect(signet.runtime.statistics.iterableRecordsDropped == [:])
        }
        #expect(world.emulator.faults.remaining == 0)
    }

    @Test(arguments: [400, 413]) func whatIsRefusedWithoutAReasonForADayIsGivenUp(_ status: Int) async throws {
        let world = try IterableWorld()
        world.emulator.faults.injectAlways(Self.page(status), on: .trackEvent)
        var hours = 0
        var dropped: [IterableDropCause: Int] = [:]
        while dropped.isEmpty, hours < 60 {
            // A deploy each ten hours: the time of tries counts, not the life of the process.
            try await world.live { signet, installation in
                let visitor = installation.iterable
                if hours == 0 {
                    try await visitor.identify(.email("ann@example.com"))
                    // The second has waited through the same day.
                    try await visitor.track("poison")
                    try await visitor.track("poison, too")
                    try await visitor.purchase([IterableWorld.boots], total: 9.34)
                }
                for _ in 0..<10 where dropped.isEmpty {
                    try await visitor.waitUntilIdle()
                    dropped = signet.runtime.statistics.iterableRecordsDropped
                    hours += 1
                    if dropped.isEmpty { world.clock.advance(by: .seconds(3600)) }
                }
            }
        }
        #expect(dropped == [.rejected: 2])
        #expect((24...30).contains(hours))
        #expect(world.iterable.events(of: .email("ann@example.com")).count == 1)
    }
}
