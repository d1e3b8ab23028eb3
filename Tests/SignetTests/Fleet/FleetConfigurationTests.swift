// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetInfobip
import SignetIterable
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// What does not work with a shared store: refused at the start, or at the call.
@Suite struct FleetConfigurationTests {
    /// What is wrong with the configuration of a replica; nil when it starts.
    private func problem(
        _ services: [any SignetService] = [],
        _ change: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> String? {
        let folder = try TemporaryFolder()
        var configuration = SignetConfiguration(apiKey: "us1-emulated", secret: "s", directory: folder.path)
        configuration.fleet = FleetConfiguration(store: MemorySharedStore())
        change(&configuration)
        do throws(SignetError) {
            _ = try SignetRuntime(configuration, services: services, transport: Emulator().transport)
            return nil
        } catch {
            #expect(error.code == .invalidConfiguration)
            return error.message
        }
    }

    @Test func aServerWithNothingElseStarts() throws {
        #expect(try self.problem() == nil)
    }

    @Test func iterableAndInfobipAreRefused() throws {
        let iterable = IterableService(IterableConfiguration(apiKey: "k"))
        let infobip = InfobipService(InfobipConfiguration(applicationCode: "c"))
        let text = "services do not work with a shared store yet: use one without the other."
        #expect(try self.problem([iterable]) == text)
        #expect(try self.problem([infobip]) == text)
        #expect(try self.problem([iterable, infobip]) == text)
        #expect(try self.problem([iterable]) { $0.fleet = nil } == nil)
    }

    @Test func whatIsForAppsIsRefused() throws {
        #expect(
            try self.problem { $0.sessions.mode = .application }
                == "sessions.mode is .application: with a shared store use .server."
        )
        #expect(
            try self.problem { $0.sessions.reportsApplicationState = true }
                == "sessions.reportsApplicationState is for apps: with a shared store leave it nil."
        )
    }

    @Test func timesBelowWhatReplicasTellEachOtherAreRefused() throws {
        #expect(
            try self.problem { $0.sessions.timeout = .milliseconds(9_999) }
                == "sessions.timeout is below 10 s, the least with a shared store."
        )
        #expect(try self.problem { $0.sessions.timeout = .seconds(10) } == nil)
        #expect(
            try self.problem { $0.fleet?.maximumStaleness = .milliseconds(2_999) }
                == "fleet.maximumStaleness is below 3 s: handles that log are read again once a second."
        )
        #expect(try self.problem { $0.fleet?.maximumStaleness = .seconds(3) } == nil)
    }

    @Test func allProblemsAreSaidAtOnce() throws {
        let problem = try self.problem([IterableService(IterableConfiguration(apiKey: "k"))]) {
            $0.sessions.mode = .application
            $0.sessions.timeout = .seconds(1)
        }
        #expect(problem?.split(separator: ";").count == 3)
    }

    @Test func aResetIsRefusedAndRemovesNothing() async throws {
        try await TestFleet(1).run { fleet in
            let visitor = try await fleet[0].open()
            let user = try await visitor.login([.customerID: "c-1"]).user
            let error = await #expect(throws: SignetError.self) { try await visitor.reset() }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.hasPrefix("reset() does not work with a shared store") == true)
            #expect(try await fleet[0].open().currentUser?.mpid == user.mpid)
        }
    }
}
