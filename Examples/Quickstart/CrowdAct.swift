// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetTesting

/// The second act: many tasks log in at once on one installation.
struct CrowdAct {
    /// How the logins ended.
    struct Counts: Sendable, Hashable {
        var wentThrough = 0
        var refused = 0
        var wentThroughAfterWaiting = 0
        var failed = 0
        /// Login requests that the platform saw.
        var requests = 0
        /// The most identity requests that were on the wire at once.
        var onTheWire = 0

        /// One goes through, one waits, nobody fails, and never are two on the wire.
        var isAsPromised: Bool {
            (self.wentThrough, self.wentThroughAfterWaiting, self.failed, self.requests, self.onTheWire) == (
                1, 1, 0, 2, 1
            )
        }
    }

    private enum Ending: Sendable {
        case wentThrough
        case refused
        case failed
    }

    /// How many tasks; the last of them waits for its turn, the others do not.
    let size: Int
    private let executor = SettlingExecutor()

    init(size: Int = 200) {
        self.size = size
    }

    func run(in folder: String) async throws -> Counts {
        try await withTaskExecutorPreference(self.executor) {
            try await withEmulatedSignet(in: folder) { signet in
                let installation = try await signet.runtime.open("crowd")
                _ = try await installation.initialIdentifyResult()
                var counts = try await self.logIn(on: installation, signet.emulator)
                counts.onTheWire = signet.transport.maximumInFlight
                return counts
            }
        }
    }

    private func logIn(on installation: Installation, _ platform: Emulator) async throws -> Counts {
        // The platform keeps the first login waiting, so that all the others find it under way.
        let gate = EmulatorGate()
        platform.faults.inject(.held(gate), on: .login)
        var counts = Counts()
        try await withThrowingTaskGroup(of: Ending.self) { group in
            for number in 1..<self.size {
                group.addTask { await Self.logIn(on: installation, as: "c-\(number)", whenBusy: .refuse) }
            }
            await gate.arrived()
            async let patient = Self.logIn(on: installation, as: "c-patient", whenBusy: .wait(upTo: .seconds(30)))
            await self.executor.settled()
            gate.open()
            for try await ending in group {
                switch ending {
                case .wentThrough: counts.wentThrough += 1
                case .refused: counts.refused += 1
                case .failed: counts.failed += 1
                }
            }
            switch await patient {
            case .wentThrough: counts.wentThroughAfterWaiting += 1
            case .refused: counts.refused += 1
            case .failed: counts.failed += 1
            }
        }
        counts.requests = platform.requestCounts()[EmulatorRoute.login.rawValue, default: 0]
        return counts
    }

    private static func logIn(on installation: Installation, as id: String, whenBusy: ConflictPolicy) async -> Ending {
        do throws(SignetError) {
            _ = try await installation.login([.customerID: id], whenBusy: whenBusy)
            return .wentThrough
        } catch {
            return error.code == .requestInProgress ? .refused : .failed
        }
    }
}

extension CrowdAct.Counts: CustomStringConvertible {
    var description: String {
        var table = Table(
            "\(self.wentThrough + self.refused + self.wentThroughAfterWaiting + self.failed) tasks log in at once"
        )
        table.add("went through", "\(self.wentThrough)")
        table.add("refused, a login was in progress", "\(self.refused)")
        table.add("waited for its turn and went through", "\(self.wentThroughAfterWaiting)")
        table.add("failed", "\(self.failed)")
        table.add("login requests sent", "\(self.requests)")
        table.add("identity requests on the wire at once, at most", "\(self.onTheWire)")
        return table.description
    }
}
