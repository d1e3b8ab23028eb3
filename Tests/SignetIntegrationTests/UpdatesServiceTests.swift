// SPDX-License-Identifier: Apache-2.0

#if SIGNET_SERVICE_LIFECYCLE
import ServiceLifecycle
import Signet
import SignetEmulator
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@Suite(.watched) struct UpdatesServiceTests {
    enum Part: Sendable, CaseIterable {
        case printer, runtime, server
    }

    /// All orders of the services of a group.
    private static let orders: [[Part]] = Part.allCases.flatMap { first in
        Part.allCases.filter { $0 != first }.map { second in
            [first, second] + Part.allCases.filter { $0 != first && $0 != second }
        }
    }

    /// A server whose last request logs in a customer; the runtime refuses it if it has ended before.
    private struct Server: Service {
        let signet: SignetRuntime
        let customers = Locked<[MPID]>([])

        func run() async throws {
            try await gracefulShutdown()
            do throws(SignetError) {
                let visitor = try await self.signet.open("last", identify: .none)
                let customer = try await visitor.login([.customerID: "c-last"]).user.mpid
                self.customers.withLock { $0.append(customer) }
            } catch {
                #expect(error.code == .notRunning)
            }
        }
    }

    @Test(arguments: Self.orders)
    func noPlaceInAGroupLosesAnUpdateOrEndsTheGroupWithAnError(order: [Part]) async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let all = signet.runtime.userChanges()
        let printed = Locked<[MPID?]>([])
        let printer = UpdatesService(signet.runtime.userChanges()) { change in
            printed.withLock { $0.append(change.current?.mpid) }
        }
        let server = Server(signet: signet.runtime)
        let group = ServiceGroup(
            services: order.map { part -> any Service in
                switch part {
                case .printer: printer
                case .runtime: signet.runtime
                case .server: server
                }
            }
        )
        let late = Locked<[MPID]>([])
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let visitor = try await signet.runtime.open("a", identify: .none)
            try await visitor.login([.customerID: "c-first"])
            let gate = EmulatorGate()
            signet.emulator.faults.inject(.held(gate), on: .login)
            tasks.addTask {
                let result = try await visitor.login([.customerID: "c-late"])
                late.withLock { $0.append(result.user.mpid) }
            }
            await gate.arrived()
            await group.triggerGracefulShutdown()
            // The answer arrives while the runtime shuts down: a printer that is listed after it has ended by then.
            await until("the shutdown of the runtime has begun") { !signet.runtime.health.acceptsCalls }
            gate.open()
            try await tasks.waitForAll()
        }
        // Ended with the runtime.
        var expected: [MPID?] = []
        for await change in all { expected.append(change.current?.mpid) }
        #expect(printed.withLock { $0 } == expected)
        for customer in late.withLock({ $0 }) + server.customers.withLock({ $0 }) {
            #expect(expected.contains(customer))
        }
        #expect(late.withLock { $0.count } == 1)
    }

    @Test func whatIsReadBeforeTheShutdownIsHandledInOrder() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let began = Locked<[InstallationID]>([])
        let reader = UpdatesService(signet.runtime.sessionChanges()) { change in
            guard case .began = change.kind else { return }
            began.withLock { $0.append(change.installation) }
        }
        let group = ServiceGroup(services: [reader, signet.runtime])
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for id: InstallationID in ["a", "b", "c"] {
                try await signet.runtime.open(id, identify: .none).log(.custom("visit"))
            }
            await until("the sessions have been read") { began.withLock { $0.count } == 3 }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(began.withLock { $0 } == ["a", "b", "c"])
    }

    /// The runtime of another program part is not in this group.
    @Test func aReaderInAGroupOfItsOwnEndsWithThatGroup() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let users = Locked<[MPID?]>([])
        let group = ServiceGroup(
            services: [
                UpdatesService(signet.runtime.userChanges()) { change in
                    users.withLock { $0.append(change.current?.mpid) }
                }
            ]
        )
        let expected = try await signet.run { signet in
            let visitor = try await signet.runtime.open("a", identify: .none)
            // Answered, so the runtime runs.
            let first = try await visitor.login([.customerID: "c-1"]).user.mpid
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
            // Read by the run of the runtime.
            return [first, try await visitor.login([.customerID: "c-2"]).user.mpid]
        }
        #expect(users.withLock { $0 } == expected)
    }

    @Test func cancellationEndsItWithoutAnError() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let reader = UpdatesService(signet.runtime.userChanges()) { _ in }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await reader.run() }
            tasks.cancelAll()
        }
    }

    @Test func itsNameIsOneWord() throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let reader = UpdatesService(signet.runtime.userChanges()) { _ in }
        let configuration = ServiceGroupConfiguration.ServiceConfiguration(service: reader)
        #expect(configuration.serviceName == "UpdatesService<UserChange>")
    }
}
#endif
