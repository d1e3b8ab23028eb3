// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTransport
import Testing

import class FoundationEssentials.FileManager

@testable import Signet

/// What a runtime refuses to start with, and what it says of it.
@Suite struct ConfigurationProblemsTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// What is wrong with a configuration; nil when a runtime starts with it.
    private func problem(_ change: (inout SignetConfiguration) throws -> Void) throws -> String? {
        var configuration = SignetConfiguration(apiKey: "us1-emulated", secret: "s", directory: self.folder.path)
        try change(&configuration)
        do throws(SignetError) {
            _ = try SignetRuntime(configuration, transport: Emulator().transport)
            return nil
        } catch {
            #expect(error.code == .invalidConfiguration)
            return error.message
        }
    }

    @Test(arguments: ["s3cret\n", "s3cret\r\n", " s3cret", "s3cret ", "s3\u{0}cret"])
    func aSecretWithALineBreakOrABlankAroundItIsRefusedBeforeTheDirectoryIsBound(secret: String) throws {
        let directory = self.folder.path + "/state"
        let problem = try self.problem { ($0.secret, $0.directory) = (Secret(secret), directory) }
        #expect(problem?.hasPrefix("secret has a ") == true && problem?.contains("remove it") == true)
        #expect(problem?.contains("s3") == false)
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test(arguments: ["us1-key\n", " us1-key", "us1-key\t"]) func suchAKeyIsRefusedToo(key: String) throws {
        let directory = self.folder.path + "/state"
        #expect(try self.problem { ($0.apiKey, $0.directory) = (key, directory) } != nil)
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test(arguments: ["/state\n", "/state "]) func suchADirectoryIsRefusedToo(name: String) throws {
        let directory = self.folder.path + name
        #expect(try self.problem { $0.directory = directory }?.hasPrefix("directory has a ") == true)
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test(arguments: ["https://all.example\n", " https://all.example", "https://all.example\r\n"])
    func suchAURLIsRefusedWhereItIsRead(text: String) {
        let error = #expect(throws: ServerURL.ParsingError.self) { try ServerURL(text) }
        #expect(error?.code == .forbiddenCharacter)
    }

    @Test(arguments: [1, 1000, nil]) func aDataPlanOfThisVersionIsTaken(version: Int?) throws {
        #expect(try self.problem { $0.events.dataPlan = DataPlan(id: "shop", version: version) } == nil)
    }

    @Test(arguments: [0, 1001, -1, .max]) func aDataPlanOfThisVersionIsRefused(version: Int) throws {
        let problem = try self.problem { $0.events.dataPlan = DataPlan(id: "shop", version: version) }
        #expect(problem == "events.dataPlan.version is not within 1 to 1000; nil selects the newest.")
    }

    @Test func aDataPlanHasAnIDOfAtMost256Characters() throws {
        for id in ["", String(repeating: "p", count: 257)] {
            let problem = try self.problem { $0.events.dataPlan = DataPlan(id: id) }
            #expect(problem == "events.dataPlan.id does not have 1 to 256 characters.")
        }
        #expect(try self.problem { $0.events.dataPlan = DataPlan(id: String(repeating: "p", count: 256)) } == nil)
    }

    @Test func installationsAreKeptForADayAtLeast() throws {
        let problem = try self.problem { $0.installations.retention = .seconds(86_399) }
        let text = "installations.retention is below 1 day: use at least 1 day, or nil to keep all installations."
        #expect(problem == text)
        #expect(try self.problem { $0.installations.retention = .seconds(86_400) } == nil)
        #expect(try self.problem { $0.installations.retention = nil } == nil)
    }

    @Test func aBaseURLAndAnEndpointOfItsOwnContradictEachOther() throws {
        let problem = try self.problem {
            $0.baseURL = try ServerURL("https://all.example")
            $0.endpoints.events = try ServerURL("https://events.example")
            $0.endpoints.identity = try ServerURL("https://identity.example")
        }
        #expect(
            problem == "baseURL and endpoints.identity are both set: keep one of them; "
                + "baseURL and endpoints.events are both set: keep one of them."
        )
    }

    @Test func aDomainTooLongForThePrefixesIsATypedError() throws {
        let domain = try ServerURL("https://data.example/" + String(repeating: "p", count: 2020))
        let error = #expect(throws: SignetError.self) { try SignetConfiguration.Endpoints(customDomain: domain) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test(arguments: [1, 4, 256]) func thatManyUploadsMayBeInFlight(count: Int) throws {
        #expect(try self.problem { $0.events.maximumInFlight = count } == nil)
    }

    @Test(arguments: [0, -1, 257, .max]) func notThatManyUploadsMayBeInFlight(count: Int) throws {
        let problem = try self.problem { $0.events.maximumInFlight = count }
        #expect(problem == "events.maximumInFlight is not within 1 to 256.")
    }

    @Test func bytesOfBatchesAndRequestsHaveBounds() throws {
        let kibi = 1024
        #expect(try self.problem { $0.events.maximumBatchBytes = 16 * kibi } == nil)
        for bytes in [16 * kibi - 1, 128 * kibi + 1, .min, .max] {
            let problem = try self.problem { $0.events.maximumBatchBytes = bytes }
            #expect(problem?.hasPrefix("events.maximumBatchBytes is not within 16 KiB to 128 KiB") == true)
        }
        #expect(try self.problem { $0.events.maximumRequestBytes = 128 * kibi } == nil)
        let below = try self.problem { $0.events.maximumRequestBytes = 128 * kibi - 1 }
        #expect(below == "events.maximumRequestBytes is below events.maximumBatchBytes.")
        let above = try self.problem { $0.events.maximumRequestBytes = 256 * kibi + 1 }
        #expect(above == "events.maximumRequestBytes is above 256 KiB.")
    }

    @Test func theAgeOfEventsHasBounds() throws {
        for age in [Duration.seconds(3600), .seconds(365 * 86_400)] {
            #expect(try self.problem { $0.events.storage.maximumAge = age } == nil)
        }
        for age in [Duration.seconds(3599), .zero, .seconds(365 * 86_400 + 1), .seconds(Int64.max)] {
            let problem = try self.problem { $0.events.storage.maximumAge = age }
            #expect(problem == "events.storage.maximumAge is not within 1 hour to 365 days.")
        }
    }
}
