// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetInfobip
import SignetIterable
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// The services that a runtime was given, or not.
@Suite struct ServicesTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test func aCallOnAServiceThatWasNotGivenSaysWhatToAdd() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let installation = try await signet.runtime.open("v", identify: .none)
        let iterable = await #expect(throws: SignetError.self) { try await installation.iterable.track("view") }
        #expect(iterable?.code == .serviceNotConfigured)
        #expect(iterable?.message.contains("IterableService(…)") == true)
        let infobip = await #expect(throws: SignetError.self) { try await installation.infobip.fetchUser() }
        #expect(infobip?.code == .serviceNotConfigured)
        #expect(infobip?.message.contains("InfobipService(…)") == true)
        await signet.runtime.shutdown()
    }

    @Test func subscribingToAServiceThatWasNotGivenIsAnError() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let (runtime, installation) = (signet.runtime, try await signet.runtime.open("v", identify: .none))
        #expect(await code { _ = try runtime.iterableChanges() } == .serviceNotConfigured)
        #expect(await code { _ = try runtime.infobipUpdates() } == .serviceNotConfigured)
        #expect(await code { _ = try installation.iterableChanges() } == .serviceNotConfigured)
        #expect(await code { _ = try installation.infobipUpdates() } == .serviceNotConfigured)
        #expect(await code { try await runtime.retryInfobip() } == .serviceNotConfigured)
        await runtime.shutdown()
    }

    @Test func withoutAServiceItsValuesAreThoseOfTheStart() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let installation = try await signet.runtime.open("v", identify: .none)
        #expect(installation.iterable.state == .switchedOff)
        #expect(!installation.iterable.consent.isGiven)
        #expect(installation.infobip.installation.pushRegistrationID == nil)
        #expect(!installation.infobip.hasPendingChanges)
        #expect(signet.runtime.statistics.damagedRecords == 0)
        await signet.runtime.shutdown()
    }

    @Test func aServiceIsGivenOnce() throws {
        let iterable = IterableService(IterableConfiguration(apiKey: "k"))
        let error = #expect(throws: SignetError.self) {
            _ = try EmulatedSignet(
                in: self.folder.path,
                platform: Emulator(),
                clock: ManualClock(),
                services: [iterable, InfobipService(InfobipConfiguration(applicationCode: "c")), iterable]
            )
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message == "the service iterable is listed twice: list it once.")
    }

    @Test func theProblemsOfAllServicesAreReportedTogether() throws {
        let error = #expect(throws: SignetError.self) {
            _ = try EmulatedSignet(
                in: self.folder.path,
                platform: Emulator(),
                clock: ManualClock(),
                services: [
                    IterableService(IterableConfiguration(apiKey: "")),
                    InfobipService(InfobipConfiguration(applicationCode: "")),
                ]
            )
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("iterable.apiKey is empty") == true)
        #expect(error?.message.contains("infobip.applicationCode is empty") == true)
    }

    @Test func aKeyOfAServiceWithALineBreakOrABlankAroundItIsRefused() throws {
        let error = #expect(throws: SignetError.self) {
            _ = try EmulatedSignet(
                in: self.folder.path,
                platform: Emulator(),
                clock: ManualClock(),
                services: [
                    IterableService(IterableConfiguration(apiKey: "MARK\n")),
                    InfobipService(InfobipConfiguration(applicationCode: " MARK")),
                ]
            )
        }
        #expect(error?.code == .invalidConfiguration && error?.message.contains("MARK") == false)
        #expect(error?.message.contains("iterable.apiKey has a control character") == true)
        #expect(error?.message.contains("infobip.applicationCode has a blank") == true)
    }
}
