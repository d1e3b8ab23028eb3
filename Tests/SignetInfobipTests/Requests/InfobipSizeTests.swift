// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetInfobip

/// What is too large (413) for Infobip, or for something in between.
@Suite(.watched) struct InfobipSizeTests {
    enum Answerer: CaseIterable, Sendable {
        case service, proxy

        var fault: FaultInjector.Fault {
            switch self {
            case .service: .refused(status: 413, code: "TOO_LARGE", message: "no")
            case .proxy: .answer(TransportResponse(status: 413, body: Array("<html>nginx</html>".utf8)))
            }
        }
    }

    @Test(arguments: Answerer.allCases)
    func severalEventsAreHalvedWhoeverFindsThemTooLarge(_ answerer: Answerer) async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            try await it.infobip.register()
            // Eight, then four, then two.
            world.emulator.faults.inject(answerer.fault, on: .customEvents, times: 2)
            for number in 0..<8 { _ = try await it.infobip.submit(InfobipEvent("e\(number)"), .queued) }
            world.clock.advance(by: .seconds(2))
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.events().map(\.definitionID) == (0..<8).map { "e\($0)" })
            // Those that arrived.
            let sizes = world.infobip.requests(on: .customEvents).map { $0.body?["events"]?.array?.count ?? 0 }
            #expect(sizes == [2, 4, 2])
            #expect(signet.runtime.statistics.infobipChangesRefused == 0)
        }
        #expect(world.emulator.faults.remaining == 0)
    }

    @Test func aRequestHasNoMoreBytesThanAGatewayTakes() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            try await it.infobip.register()
            let text = String(repeating: "x", count: 4000)
            for number in 0..<30 {
                var event = InfobipEvent("e\(number)")
                for field in 0..<10 { event.properties["f\(field)"] = InfobipValue.string(text) }
                _ = try await it.infobip.submit(event, .queued)
            }
            world.clock.advance(by: .seconds(2))
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.events().map(\.definitionID) == (0..<30).map { "e\($0)" })
            let bodies = world.infobip.requests(on: .customEvents).compactMap(\.bodyJSON)
            #expect(bodies.count == 5)
            #expect(bodies.allSatisfy { $0.utf8.count <= 256 << 10 })
        }
    }

    @Test func oneEventThatTheServiceFindsTooLargeIsRefused() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            try await it.infobip.register()
            world.emulator.faults.inject(Answerer.service.fault, on: .customEvents)
            _ = try await it.infobip.submit(InfobipEvent("large"), .queued)
            world.clock.advance(by: .seconds(2))
            try await it.infobip.waitUntilIdle()
            #expect(signet.runtime.statistics.infobipEventsRefused == 1)
            #expect(world.infobip.events().isEmpty)
        }
    }

    @Test func whatIsTooLargeAloneIsGivenUpAfterADayOfTries() async throws {
        let world = try InfobipWorld()
        world.emulator.faults.injectAlways(Answerer.proxy.fault, on: .customEvents)
        var hours = 0
        var refused = 0
        while refused == 0, hours < 60 {
            // A deploy each ten hours: the time of tries counts, not the life of the process.
            try await world.live { signet, it in
                if hours == 0 {
                    try await it.infobip.register()
                    _ = try await it.infobip.submit(InfobipEvent("large"), .queued)
                    world.clock.advance(by: .seconds(2))
                }
                for _ in 0..<10 where refused == 0 {
                    try await it.infobip.waitUntilIdle()
                    refused = signet.runtime.statistics.infobipEventsRefused
                    hours += 1
                    if refused == 0 { world.clock.advance(by: .seconds(3600)) }
                }
            }
        }
        #expect(refused == 1)
        #expect((24...30).contains(hours))
    }
}
