// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetEmulator
import SignetFleetSupport
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import SignetPostgres

/// More visitors at once than two replicas and a server can open in time.
@Suite(.watched, .serialized) struct PostgresCrowdTests {
    /// The outcomes of some opens.
    private struct Outcome {
        var opened = 0
        var refused: [SignetError.Code: Int] = [:]
    }

    /// Two replicas of a new database, each with a directory and a store of its own.
    private static func withReplicas(_ body: ([SignetRuntime]) async throws -> Void) async throws {
        let server = try await PostgresServer.shared()
        let database = try await server.makeDatabase()
        let platform = Emulator()
        let folders = [try TemporaryFolder(), try TemporaryFolder()]
        let configurations = try folders.map { folder in
            var configuration = SignetConfiguration(
                apiKey: EmulatorConfiguration().apiKey,
                secret: EmulatorConfiguration().secret,
                directory: folder.path
            )
            configuration.fleet = FleetConfiguration(store: try PostgresStore(server.url(database)))
            return configuration
        }
        try await withSignet(configurations[0], transport: platform.transport) { first in
            try await withSignet(configurations[1], transport: platform.transport) { second in
                try await body([first, second])
            }
        }
        withExtendedLifetime(folders) {}
    }

    /// Opens visitors who were never there, all at once, on the replicas in turn.
    private static func open(_ count: Int, named name: String, on replicas: [SignetRuntime]) async -> Outcome {
        await withTaskGroup(of: SignetError.Code?.self) { group in
            for number in 0..<count {
                let runtime = replicas[number % replicas.count]
                group.addTask {
                    do throws(SignetError) {
                        _ = try await runtime.open(InstallationID("\(name)-\(number)"), identify: .none)
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            return await group.reduce(into: Outcome()) { outcome, code in
                if let code { outcome.refused[code, default: 0] += 1 } else { outcome.opened += 1 }
            }
        }
    }

    /// Real time on a busy machine says nothing of rates; ``OpenAdmissionTests`` and the benchmark of a crowd have them.
    @Test func ofEightThousandNewVisitorsAtOnceSomeAreOpenedAndAllAreAnswered() async throws {
        try await Self.withReplicas { replicas in
            var opened = 0
            // Other tests run beside this one, and an open has a second of real time.
            for number in 0..<5 where opened == 0 {
                let crowd = await Self.open(8_000, named: "crowd-\(number)", on: replicas)
                #expect(Set(crowd.refused.keys).isSubset(of: [.storeBusy, .storeUnreachable]), "\(crowd)")
                #expect(crowd.opened + crowd.refused.values.reduce(0, +) == 8_000)
                opened = crowd.opened
            }
            #expect(opened > 0)
            for replica in replicas {
                await until("an open works again") {
                    await Self.open(1, named: "after", on: [replica]).opened == 1
                }
            }
        }
    }
}
#endif
