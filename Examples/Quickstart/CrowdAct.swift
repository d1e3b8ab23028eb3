//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Signet
import SignetEmulator
import SignetTesting

/// The second act: 200 tasks log in at once on one installation.
struct CrowdAct {
    /// How they were served.
    struct Outcome: Equatable {
        var through = 0
        var refused = 0
        var waited = 0
        var failed = 0
        /// The most identity requests that were on the wire at once.
        var onTheWire = 0

        var isAsPromised: Bool {
            self == Outcome(through: 1, refused: CrowdAct.tasks - 2, waited: 1, failed: 0, onTheWire: 1)
        }

        func print() {
            var table = TextTable("\(CrowdAct.tasks) tasks log in at once on one installation")
            table.add("went through", "\(self.through)")
            table.add("refused: a request is in progress", "\(self.refused)")
            table.add("waited for their turn, then went through", "\(self.waited)")
            if self.failed > 0 { table.add("failed otherwise", "\(self.failed)") }
            table.add("identity requests on the wire at once, at most", "\(self.onTheWire)")
            Swift.print(table.text)
        }
    }

    static let tasks = 200

    private let signet: EmulatedSignet

    init(in folder: String) throws {
        self.signet = try EmulatedSignet(in: folder)
    }

    /// Runs the act: the platform holds the first login until all others have been told.
    func run() async throws -> Outcome {
        let gate = EmulatorGate()
        self.signet.emulator.weather.next(on: .login, .held(gate))
        var outcome = try await self.signet.run { signet in
            let installation = try signet.runtime.open("front-desk", identify: .none)
            return await self.crowd(installation, gate)
        }
        outcome.onTheWire = self.signet.transport.maximumInFlight
        return outcome
    }

    private enum Served {
        case through
        case refused
        case failed
    }

    private func crowd(_ installation: Installation, _ gate: EmulatorGate) async -> Outcome {
        var outcome = Outcome()
        async let waited = self.login(installation, "patient", after: gate)
        await withTaskGroup(of: Served.self) { group in
            for number in 1..<Self.tasks {
                group.addTask { await self.login(installation, "c-\(number)", whenBusy: .refuse) }
            }
            for await served in group {
                switch served {
                case .through: outcome.through += 1
                case .refused: outcome.refused += 1
                case .failed: outcome.failed += 1
                }
                if outcome.refused == Self.tasks - 2 { gate.open() }
            }
        }
        switch await waited {
        case .through: outcome.waited += 1
        case .refused, .failed: outcome.failed += 1
        }
        return outcome
    }

    /// The patient one comes when the first login is at the platform.
    private func login(_ installation: Installation, _ customer: String, after gate: EmulatorGate) async -> Served {
        await gate.arrived()
        return await self.login(installation, customer, whenBusy: .wait(upTo: .seconds(60)))
    }

    private func login(_ installation: Installation, _ customer: String, whenBusy: WhenBusy) async -> Served {
        do throws(SignetError) {
            _ = try await installation.login([.customerID: customer], whenBusy: whenBusy)
            return .through
        } catch {
            return error.code == .requestInProgress ? .refused : .failed
        }
    }
}
