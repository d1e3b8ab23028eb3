//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation
import Signet
import SignetEmulator

/// Times identity calls against the emulator in this process, one after another and many installations at once.
///
/// The floor is the emulator's own time for the same requests, without the runtime.
struct IdentityBenchmark {
    let calls: Int

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "signet-identity-\(UUID().uuidString)"
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        let emulator = Emulator()
        let configuration = SignetConfiguration(
            apiKey: emulator.configuration.apiKey,
            secret: emulator.configuration.secret,
            directory: folder.path
        )
        let recorder = Recorder(emulator.transport)
        let clock = ContinuousClock()
        let (serial, concurrent) = try await withSignet(configuration, transport: recorder) { signet in
            let one = try signet.open("one", identify: .none)
            let serial = try await clock.measure {
                for number in 0..<self.calls { _ = try await one.login([.customerID: "c-\(number % 100)"]) }
            }
            let many = try (0..<64).map { try signet.open(InstallationID("many-\($0)"), identify: .none) }
            let concurrent = try await clock.measure {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for installation in many {
                        group.addTask {
                            for number in 0..<(self.calls / 64) {
                                _ = try await installation.login([.customerID: "c-\(number % 100)"])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            return (serial, concurrent)
        }
        let requests = recorder.requests
        let floor = await clock.measure {
            for request in requests.prefix(self.calls) { _ = await emulator.handle(request) }
        }
        print("calls                             \(self.calls)")
        print("floor: the emulator alone, each   \(floor / min(self.calls, requests.count))")
        print("one installation, each            \(serial / self.calls)")
        print("64 installations at once, each    \(concurrent / (self.calls / 64 * 64))")
    }
}
