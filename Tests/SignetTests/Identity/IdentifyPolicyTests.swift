// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// When an open identifies by itself.
@Suite(.watched) struct IdentifyPolicyTests {
    /// A situation at an open; who has it is in front of the installation.
    enum Cell: String, CaseIterable, Sendable {
        case nobodyYet, guest, customer, loggedOut, nobodyOptedOut, failedJustNow, failedLongAgo
    }

    /// The cells of `.ifUnknown`: true where an open sends an identify.
    static let cells: [(Cell, Bool)] = [
        (.nobodyYet, true), (.guest, false), (.customer, false), (.loggedOut, false), (.nobodyOptedOut, false),
        (.failedJustNow, false), (.failedLongAgo, true),
    ]

    @Test func eachCellIsInTheTable() {
        #expect(Self.cells.map(\.0) == Cell.allCases)
    }

    @Test(arguments: Self.cells, [true, false]) func ifUnknown(cell: (Cell, Bool), isInMemory: Bool) async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            var visitor: Installation? = try await signet.runtime.open("v", identify: .none)
            try await Self.reach(cell.0, #require(visitor), signet)
            // Ends the launch, so that the next open makes another object.
            if !isInMemory { visitor?.endLaunch() }
            visitor = nil
            let before = signet.transport.exchanges.count { $0.endpoint == "identify" }
            let again = try await signet.runtime.open("v", identify: .ifUnknown)
            do throws(SignetError) {
                _ = try await again.initialIdentifyResult()
            } catch {
                #expect(error.code != .notRunning)
            }
            let sent = signet.transport.exchanges.count { $0.endpoint == "identify" } - before
            #expect(sent == (cell.1 ? 1 : 0), "\(cell.0)")
        }
    }

    private static func reach(_ cell: Cell, _ visitor: Installation, _ signet: EmulatedSignet) async throws {
        switch cell {
        case .nobodyYet: break
        case .guest: try await visitor.identify()
        case .customer: try await visitor.login([.customerID: "c-1"])
        case .loggedOut:
            try await visitor.login([.customerID: "c-1"])
            try await visitor.logout()
        case .nobodyOptedOut: try await visitor.setOptedOut(true)
        case .failedJustNow, .failedLongAgo:
            signet.emulator.faults.inject(.connectionRefused, on: .identify)
            let again = try await signet.runtime.open("v", identify: .ifUnknown)
            let error = await #expect(throws: SignetError.self) { _ = try await again.initialIdentifyResult() }
            #expect(error?.code == .notConnected)
            signet.clock.advance(by: cell == .failedJustNow ? .milliseconds(4999) : .seconds(5))
        }
    }

    @Test func anOutageOfAnHourCostsAVisitorAFewIdentifies() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            signet.emulator.faults.injectAlways(.connectionRefused, on: .identify)
            // A page each second, and nothing keeps the handle.
            for _ in 0..<3600 {
                let visitor = try await signet.runtime.open("v", identify: .ifUnknown)
                let error = await #expect(throws: SignetError.self) { _ = try await visitor.initialIdentifyResult() }
                #expect(error?.code == .notConnected)
                signet.clock.advance(by: .seconds(1))
            }
            let tries = signet.transport.exchanges.count { $0.endpoint == "identify" }
            // At 0, 5, 20, 80, 200 and 500 s, then each 300 s.
            #expect(tries == 16)
        }
    }

    @Test func aPauseIsToldOnceByTheFailureThatBeginsIt() async throws {
        let folder = try TemporaryFolder()
        let observer = RecordingObserver()
        try await withEmulatedSignet(in: folder.path, observer: observer) { signet in
            signet.emulator.faults.injectAlways(.connectionRefused, on: .identify)
            var told: [Int] = []
            for _ in 0..<21 {
                let visitor = try await signet.runtime.open("v", identify: .ifUnknown)
                await #expect(throws: SignetError.self) { _ = try await visitor.initialIdentifyResult() }
                told.append(observer.notes.count { if case .ownRequestFailed = $0 { true } else { false } })
                signet.clock.advance(by: .seconds(1))
            }
            // Pauses begin at 0, 5 and 20 s; the opens between tell nothing.
            #expect(told == Array(repeating: 1, count: 5) + Array(repeating: 2, count: 15) + [3])
        }
    }

    @Test func aCallOfTheAppDoesNotWait() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            signet.emulator.faults.inject(.connectionRefused, on: .identify)
            let visitor = try await signet.runtime.open("v", identify: .ifUnknown)
            await #expect(throws: SignetError.self) { _ = try await visitor.initialIdentifyResult() }
            let user = try await visitor.identify().user
            #expect(visitor.currentUser?.mpid == user.mpid)
        }
    }

    @Test(arguments: [true, false], [(true, true), (true, false), (false, true), (false, false)])
    func thePoliciesDecide(isLaunch: Bool, situation: (hasUser: Bool, isPaused: Bool)) {
        func call(_ policy: IdentifyPolicy) -> IdentityCall? {
            policy.call(isLaunch: isLaunch, hasUser: situation.hasUser, isPaused: situation.isPaused)
        }
        let request: IdentityRequest = [.customerID: "c-1"]
        #expect(call(.none) == nil)
        #expect(call(.oncePerProcess) == (isLaunch ? .start(nil) : nil))
        #expect(call(.request(request)) == (isLaunch ? .start(request) : nil))
        #expect(call(.ifUnknown) == (situation.hasUser || situation.isPaused ? nil : .startIfUnknown(nil)))
    }
}
