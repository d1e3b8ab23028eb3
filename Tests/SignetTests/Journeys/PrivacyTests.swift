// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

@Suite struct PrivacyTests {
    /// Whatever goes wrong: no observer call, no error and no description of a value shows what is marked here.
    @Test func keysIdentitiesAndAttributeValuesAreNeverTold() async throws {
        let folder = try TemporaryFolder()
        let observer = RecordingObserver()
        var said: [String] = []
        func note(_ body: () async throws -> Void) async {
            do {
                try await body()
            } catch {
                said += ["\(error)", String(reflecting: error)]
            }
        }
        let signet = try EmulatedSignet(
            in: folder.path,
            emulator: EmulatorConfiguration(apiKey: "us1-MARKkey", secret: "MARKsecret"),
            observer: observer,
            configure: { $0.sessions.timeout = .seconds(100_000) }
        )
        let faults = signet.emulator.faults
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let request: IdentityRequest = [.customerID: "MARKid", .email: "MARK@example.com"]
            for fault in [
                FaultInjector.Fault.status(400), .status(401), .status(500), .connectionRefused, .garbage([1, 2]),
            ] {
                faults.inject(fault, on: .login)
                await note { _ = try await visitor.login(request) }
            }
            await note { _ = try await visitor.login(request) }
            await note { _ = try await visitor.login([.customerID: "MARK\u{0}"]) }
            await note { _ = try await visitor.login([.customerID: "MARK" + String(repeating: "x", count: 5000)]) }
            await note { try await visitor.setDeviceIdentity("MARKtoken", for: .pushToken) }
            await note { try await visitor.setAttribute("MARKvalue", for: "tier") }
            await note {
                try await visitor.setAttribute(.string("MARK" + String(repeating: "x", count: 5000)), for: "tier")
            }
            await note {
                try visitor.log(.custom("x", attributes: ["a": .string("MARK" + String(repeating: "x", count: 5000))]))
            }
            visitor.logIfPossible(.custom("", attributes: ["a": "MARKvalue"]))
            let changes = visitor.allUsers
            said += ["\(changes)", "\(visitor)", "\(signet.runtime)", "\(signet.runtime.statistics)"]
            faults.injectAlways(.status(400), on: .events)
            try await signet.logPrompt(visitor)
            _ = await observer.next { if case .deadLetters = $0 { true } else { nil } }
            faults.clear()
            faults.inject(.status(500), on: .events)
            try await signet.logPrompt(visitor)
            _ = await observer.nextPause()
        }
        said += observer.notes.map { "\($0)" }
        #expect(said.count > 20)
        let leaks = said.filter { $0.contains("MARK") }
        #expect(leaks == [])
    }
}
