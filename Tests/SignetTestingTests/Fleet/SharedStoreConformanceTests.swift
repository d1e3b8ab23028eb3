// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetTestSupport
import SignetTesting
import Testing

/// The cases of ``SharedStoreConformance``: the store in memory passes them, and each of some wrong stores fails.
@Suite(.watched) struct SharedStoreConformanceTests {
    private static let workspace: [UInt8] = [1, 2, 3]

    /// Tools for stores on one engine.
    private static func tools(
        _ engine: MemorySharedEngine,
        _ makeStore: @escaping @Sendable () -> any SharedStore
    ) -> SharedStoreConformance.Tools {
        SharedStoreConformance.Tools(
            workspace: Self.workspace,
            makeStore: {
                let store = makeStore()
                _ = try await store.prepare(workspace: Self.workspace)
                return store
            },
            passTime: { engine.moveClock(by: $0) },
            passDays: { engine.moveClock(by: .seconds(86_400) * $0) }
        )
    }

    @Test(arguments: SharedStoreConformance.cases + SharedStoreConformance.agingCases)
    func theStoreInMemoryKeeps(_ rule: SharedStoreConformance.Case) async throws {
        let engine = MemorySharedEngine()
        let tools = Self.tools(engine) { MemorySharedStore(engine) }
        try await rule.run(try await tools.makeStore(), tools)
    }

    @Test func theCasesRunOneAfterAnotherInOneDatabase() async throws {
        let engine = MemorySharedEngine()
        let tools = Self.tools(engine) { MemorySharedStore(engine) }
        let store = try await tools.makeStore()
        for rule in (SharedStoreConformance.cases + SharedStoreConformance.cases).shuffled() {
            try await rule.run(store, tools)
        }
        for rule in (SharedStoreConformance.agingCases + SharedStoreConformance.cases) {
            try await rule.run(store, tools)
        }
    }

    @Test func eachCaseHasANameOfItsOwn() {
        let names = (SharedStoreConformance.cases + SharedStoreConformance.agingCases).map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.count >= 60)
    }

    @Test func anAgingCaseWithoutItsToolFails() async throws {
        let engine = MemorySharedEngine()
        var tools = Self.tools(engine) { MemorySharedStore(engine) }
        tools.passDays = nil
        let store = try await tools.makeStore()
        for rule in SharedStoreConformance.agingCases {
            await #expect(throws: SharedStoreConformance.Failure.self) { try await rule.run(store, tools) }
        }
    }

    /// At full scale all cases run; in a quick run those that must fail.
    @Test(arguments: StoreMistake.allCases)
    func aWrongStoreFails(_ mistake: StoreMistake) async throws {
        let all = SharedStoreConformance.cases + SharedStoreConformance.agingCases
        #expect(!mistake.isCaughtBy.isEmpty)
        let tried = TestScale.current == .full ? all : all.filter { mistake.isCaughtBy.contains($0.name) }
        var failures: [SharedStoreConformance.Failure] = []
        for rule in tried {
            let engine = MemorySharedEngine()
            let tools = Self.tools(engine) { WrongStore(MemorySharedStore(engine), mistake) }
            let store = try await tools.makeStore()
            do throws(SharedStoreConformance.Failure) {
                try await rule.run(store, tools)
            } catch {
                failures.append(error)
            }
        }
        let names = Set(failures.map(\.name))
        #expect(names.isSuperset(of: mistake.isCaughtBy), "\(mistake) was caught by \(names.sorted())")
        // A store with one mistake does the rest right: if most cases failed on it, their failures would say little.
        #expect(names.count <= all.count / 2, "\(failures)")
    }
}
