// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetFleetSupport
import SignetLock
import SignetModel
import SignetTestSupport
import Testing

import class Foundation.DispatchSemaphore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@testable import SignetPostgres

/// How the store finds its server: names are looked up beside the thread of the connections.
@Suite(.watched) struct HostLookUpTests {
    @Test func theSystemKnowsThisMachine() throws {
        let numbers = try HostLookUp.system("localhost").get()
        #expect(!numbers.isEmpty && numbers.allSatisfy(HostLookUp.isLoopback))
        #expect(HostLookUp.isNumber("10.0.0.1") && HostLookUp.isNumber("fe80::1") && !HostLookUp.isNumber("localhost"))
    }

    @Test func anUnknownNameIsAFailureWithItsName() {
        guard case .failure(let failure) = HostLookUp.system("no such host") else {
            Issue.record("found")
            return
        }
        #expect(!failure.message.isEmpty)
    }

    @Test func oneLookUpServesAllWhoWaitForIt() {
        var queue = LookUpQueue()
        #expect(queue.wait(3, for: 0) == true)
        #expect(queue.wait(1, for: 0) == false)
        #expect(queue.wait(2, for: 1) == true)
        queue.giveUp(3)
        #expect(queue.wait(4, for: 0) == false)
        #expect(queue.end(0) == [1, 4])
        #expect(queue.end(0) == [])
        queue.giveUp(2)
        #expect(queue.wait(2, for: 1) == false, "its thread still stands")
    }

    @Test func eachAttemptThatFailedPutsTheNextNumberFirst() {
        var queue = LookUpQueue()
        #expect(queue.order(["a", "b", "c"], of: 0) == ["a", "b", "c"])
        queue.failed(0)
        #expect(queue.order(["a", "b", "c"], of: 0) == ["b", "c", "a"])
        #expect(queue.order(["a", "b"], of: 1) == ["a", "b"])
        queue.failed(0)
        queue.failed(0)
        #expect(queue.order(["a", "b", "c"], of: 0) == ["a", "b", "c"])
        #expect(queue.order([], of: 0).isEmpty)
    }

    @Test func aNameServerThatDoesNotAnswerHoldsUpNoCallBeyondItsLimit() async throws {
        let server = try await PostgresServer.shared()
        let answer = DispatchSemaphore(value: 0)
        let store = try PostgresStore(
            Secret("postgres://postgres@localhost:\(server.port)/postgres"),
            connections: 2,
            limit: .milliseconds(200)
        ) { _ in
            answer.wait()
            return .success(["127.0.0.1"])
        }
        // The thread that has the connections gives the call up, and hears of the end of the store.
        #expect(await PostgresBadDaysTests.code { _ = try await store.read([]) } == .unreachable)
        for _ in 0..<100 { answer.signal() }
        await until("the store has connected") {
            await PostgresBadDaysTests.code { _ = try await store.read([]) } == nil
        }
        await store.close()
    }

    @Test func aStoreEndsWhileANameIsLookedUp() async throws {
        let answer = DispatchSemaphore(value: 0)
        let store = try PostgresStore("postgres://localhost/postgres", connections: 1, limit: .seconds(60)) { _ in
            answer.wait()
            return .failure(HostLookUp.Failure(message: "late"))
        }
        async let code = PostgresBadDaysTests.code { _ = try await store.read([]) }
        await store.close()
        #expect(await code == .unreachable)
        answer.signal()
    }

    @Test func aNameWithSeveralAddressesLeadsToTheOneThatAnswers() async throws {
        let server = try await PostgresServer.shared()
        let store = try PostgresStore(
            Secret("postgres://postgres@localhost:\(server.port)/postgres"),
            connections: 1,
            limit: .seconds(60)
        ) { _ in .success(["127.0.0.7", "127.0.0.1"]) }
        _ = try await store.read([])
        await store.close()
    }

    @Test func aNameThatIsUnknownIsToldAndNothingElse() async throws {
        let store = try PostgresStore("postgres://localhost/postgres", connections: 1, limit: .seconds(60)) { _ in
            .failure(HostLookUp.Failure(message: "no such name"))
        }
        let error = await #expect(throws: SharedStoreError.self) { try await store.read([]) }
        #expect(error?.code == .unreachable)
        #expect(error?.message == "the host name \"localhost\" leads to no address: no such name")
        await store.close()
    }

    @Test func localhostElsewhereIsNotThisMachine() async throws {
        let store = try PostgresStore("postgres://localhost/postgres", connections: 1, limit: .seconds(60)) { _ in
            .success(["10.0.0.1"])
        }
        let error = await #expect(throws: SharedStoreError.self) { try await store.read([]) }
        #expect(error?.message.contains("verify-full") == true)
        await store.close()
    }

    /// A store whose attempts to connect may take as long as its calls.
    ///
    /// A server that this machine is too busy for would be a second host that does not answer.
    private static func patient(_ url: Secret, connections: Int) throws -> PostgresStore {
        let limit = Duration.seconds(60)
        return try PostgresStore(url, connections: connections, limit: limit, connect: limit, lookUp: HostLookUp.system)
    }

    @Test func noCallFailsWhileOneOfTwoHostsAnswers() async throws {
        let server = try await PostgresServer.shared()
        let dead = try DeadPort()
        defer { withExtendedLifetime(dead) {} }
        let url = Secret("postgres://postgres@127.0.0.1:\(dead.number),127.0.0.1:\(server.port)/postgres")
        for _ in 0..<5 {
            let store = try Self.patient(url, connections: 4)
            // Four attempts at the first host fail together: that is one failure, not four rounds.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { _ = try await store.answer(PostgresStatement("select 1"), until: store.deadline) }
                }
                try await group.waitForAll()
            }
            await store.close()
        }
    }

    @Test func aFailureFromBeforeTheConnectionIsNotToldAfterIt() async throws {
        let server = try await PostgresServer.shared()
        let dead = try DeadPort()
        defer { withExtendedLifetime(dead) {} }
        let url = Secret("postgres://postgres@127.0.0.1:\(dead.number),127.0.0.1:\(server.port)/postgres")
        let store = try Self.patient(url, connections: 1)
        async let long = PostgresBadDaysTests.code {
            _ = try await store.answer(PostgresStatement("select pg_sleep(100)"), until: store.deadline)
        }
        try await until("the only connection is busy") {
            let direct = try PostgresBadDaysTests.store(server.url(), connections: 1)
            let statement = PostgresStatement("select pid from pg_stat_activity where query = 'select pg_sleep(100)'")
            let count = try await direct.answer(statement, until: direct.deadline).count
            await direct.close()
            return count > 0
        }
        let error = await #expect(throws: SharedStoreError.self) {
            try await store.answer(PostgresStatement("select 1"), until: SystemTime.now + .milliseconds(100))
        }
        #expect(error == SharedStoreError(.unreachable, "no connection was free in time"))
        await store.close()
        #expect(await long == .outcomeUnknown)
    }

    @Test func noProcessGetsTheEndsOfTheSignal() throws {
        let signal = try WakeSignal()
        #expect(fcntl(signal.reading, F_GETFD) == FD_CLOEXEC)
        #expect(fcntl(signal.reading, F_GETFL) & O_NONBLOCK != 0)
        signal.raise()
        signal.clear()
        // It does not wait where there is nothing.
        signal.clear()
    }
}
#endif
