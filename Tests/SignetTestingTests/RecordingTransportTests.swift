// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@Suite(.watched) struct RecordingTransportTests {
    private let emulator = Emulator()

    private func request(_ path: String) -> TransportRequest {
        TransportRequest(method: .post, url: "https://example.com" + path, body: Array("{}".utf8))
    }

    @Test func itRemembersWhatWasSentAndWhatCameOfIt() async throws {
        let transport = RecordingTransport(self.emulator)
        _ = try await transport.send(self.request("/v1/login"))
        self.emulator.faults.inject(.connectionRefused)
        await #expect(throws: TransportError.self) { _ = try await transport.send(self.request("/v1/1/modify")) }
        #expect(transport.exchanges.map(\.endpoint) == ["login", "modify"])
        #expect(transport.exchanges.map(\.request.body) == [Array("{}".utf8), Array("{}".utf8)])
        guard case .success(let response) = transport.exchanges[0].result else { return #expect(Bool(false)) }
        #expect(response.status == 401)
        guard case .failure(let error) = transport.exchanges[1].result else { return #expect(Bool(false)) }
        #expect(error.code == .notConnected)
        #expect(transport.maximumInFlight == 1)
    }

    @Test func itCountsWhatIsUnderWayAndWaitsForNothingMore() async throws {
        let transport = RecordingTransport(self.emulator)
        await transport.idle()
        let gate = EmulatorGate()
        self.emulator.faults.injectAlways(.held(gate))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { _ = try? await transport.send(self.request("/v1/login")) } }
            for _ in 0..<3 { await gate.arrived() }
            #expect(transport.inFlight == 3)
            #expect(transport.exchanges.count == 3)
            #expect(transport.exchanges.filter { $0.result != nil }.isEmpty)
            group.addTask { await transport.idle() }
            gate.open()
        }
        await transport.idle()
        #expect(transport.inFlight == 0)
        #expect(transport.maximumInFlight == 3)
    }

    @Test func itWaitsUntilRequestsAreOnTheWire() async throws {
        let transport = RecordingTransport(self.emulator)
        await transport.inFlight(0)
        let gate = EmulatorGate()
        self.emulator.faults.inject(.held(gate), times: 3)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await transport.inFlight(3) }
            for _ in 0..<3 { group.addTask { _ = try? await transport.send(self.request("/v1/login")) } }
            // The first that ends is the one that waits: the others are held.
            _ = await group.next()
            #expect(transport.inFlight == 3)
            #expect(self.emulator.faults.remaining == 0)
            gate.open()
        }
        #expect(transport.inFlight == 0)
    }

    @Test func anyTransportIsWaitedFor() async throws {
        let transport = RecordingTransport(RecordingTransport(self.emulator))
        let gate = EmulatorGate()
        self.emulator.faults.inject(.held(gate))
        async let answer = transport.send(self.request("/v1/login"))
        await transport.inFlight(1)
        #expect(transport.inFlight == 1)
        gate.open()
        _ = try await answer
    }

    @Test func aRequestThatNeverComesIsWaitedForUntilTheTaskIsCancelled() async {
        let transport = RecordingTransport(self.emulator)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { await transport.inFlight(1) } }
            group.cancelAll()
        }
        #expect(transport.exchanges.isEmpty)
    }
}
