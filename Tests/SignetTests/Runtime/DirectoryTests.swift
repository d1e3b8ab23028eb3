// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

@Suite struct DirectoryTests {
    private let emulator = Emulator()

    private func runtime(
        _ directory: String,
        key: String = "us1-emulated",
        secret: Secret = "emulated-secret",
        observer: (any SignetObserver)? = nil
    ) throws(SignetError) -> SignetRuntime {
        let configuration = SignetConfiguration(apiKey: key, secret: secret, directory: directory)
        return try SignetRuntime(configuration, transport: self.emulator.transport, observer: observer)
    }

    private func refusal(_ directory: String, key: String = "us1-emulated", secret: Secret = "s") -> SignetError.Code? {
        #expect(throws: SignetError.self) { _ = try self.runtime(directory, key: key, secret: secret) }?.code
    }

    @Test func aSecondRuntimeOnADirectoryIsRefusedAndTheFirstGoesOn() async throws {
        let folder = try TemporaryFolder()
        let first = try self.runtime(folder.path)
        #expect(self.refusal(folder.path) == .directoryInUse)
        #expect(self.refusal(folder.path + "/") == .directoryInUse)
        try await first.open("v", identify: .none).log(.custom("x"))
        await first.shutdown()
        await (try self.runtime(folder.path)).shutdown()
    }

    @Test func anotherKeyIsRefusedAndARotatedSecretIsNot() async throws {
        let folder = try TemporaryFolder()
        await (try self.runtime(folder.path)).shutdown()
        #expect(self.refusal(folder.path, key: "us1-other") == .workspaceMismatch)
        // The refused one has let the directory go.
        await (try self.runtime(folder.path, secret: "rotated")).shutdown()
    }

    @Test func aRuntimeThatIsDroppedLetsItsDirectoryGoAndAnswersEverybody() async throws {
        let folder = try TemporaryFolder()
        var runtime: SignetRuntime? = try self.runtime(folder.path)
        let visitor = try await #require(try runtime?.open("v"))
        let changes = visitor.userChanges()
        try visitor.log(.custom("x"))
        runtime = nil
        let again = try self.runtime(folder.path)
        #expect(again.statistics.eventsRestored == 2)
        #expect(#expect(throws: SignetError.self) { try visitor.log(.custom("y")) }?.code == .notRunning)
        let error = await #expect(throws: SignetError.self) { try await visitor.initialIdentifyResult() }
        #expect(error?.code == .notRunning)
        for await _ in changes { #expect(Bool(false), "Nothing has changed.") }
        await again.shutdown()
    }

    @Test(arguments: [("", "s"), ("us1-k", "")]) func anEmptyKeyOrSecretIsRefused(key: String, secret: String) throws {
        let folder = try TemporaryFolder()
        #expect(self.refusal(folder.path, key: key, secret: Secret(secret)) == .invalidConfiguration)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func aPathThatIsNoFolderOfOurOwnIsRefused() throws {
        let folder = try TemporaryFolder()
        let manager = FileManager.default
        #expect(manager.createFile(atPath: folder.path + "/file", contents: Data("mine".utf8)))
        try manager.createDirectory(atPath: folder.path + "/real", withIntermediateDirectories: false)
        try manager.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: folder.path + "/real")
        #expect(self.refusal(folder.path + "/file") == .directoryUnusable)
        #expect(self.refusal(folder.path + "/link") == .directoryUnusable)
        #expect(self.refusal("") == .invalidConfiguration)
        #expect(self.refusal(folder.path + "/a\u{0}b") == .invalidConfiguration)
        #expect(try manager.contentsOfDirectory(atPath: folder.path + "/real").isEmpty)
        #expect(manager.contents(atPath: folder.path + "/file") == Data("mine".utf8))
    }

    @Test(arguments: ["~root", "~root/signet"]) func theHomeOfAnotherIsRefusedAndMakesNoFolder(directory: String) throws
    {
        let error = #expect(throws: SignetError.self) { _ = try self.runtime(directory) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("~") == true)
        #expect(!FileManager.default.fileExists(atPath: directory))
        let name = String(directory.prefix { $0 != "/" })
        #expect(!FileManager.default.fileExists(atPath: FileManager.default.currentDirectoryPath + "/" + name))
    }

    @Test func aTildeWithinAPathIsACharacterLikeAnother() async throws {
        let folder = try TemporaryFolder()
        await (try self.runtime(folder.path + "/~/x~")).shutdown()
        #expect(FileManager.default.fileExists(atPath: folder.path + "/~/x~/lock"))
    }

    @Test(arguments: [SignetConfiguration.Authentication.signature, .basic, .keyOnly])
    func anEmptySecretIsRefusedHoweverIdentityRequestsGo(
        authentication: SignetConfiguration.Authentication
    ) throws {
        let folder = try TemporaryFolder()
        var configuration = SignetConfiguration(apiKey: "us1-key", secret: "", directory: folder.path + "/state")
        configuration.authentication = authentication
        let error = #expect(throws: SignetError.self) {
            _ = try SignetRuntime(configuration, transport: self.emulator.transport)
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("secret") == true)
        #expect(!FileManager.default.fileExists(atPath: configuration.directory))
    }

    @Test func everythingIsForTheOwnerOnly() async throws {
        let folder = try TemporaryFolder()
        let directory = folder.path + "/new/deep"
        let runtime = try self.runtime(directory)
        try await runtime.open("v", identify: .none).log(.custom("x"))
        await runtime.shutdown()
        let manager = FileManager.default
        for name in try [""] + manager.subpathsOfDirectory(atPath: directory) {
            let attributes = try manager.attributesOfItem(atPath: directory + "/" + name)
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
        }
    }

    @Test func theSecretAndTheKeyAreNeverOnDisk() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("x"))
        }
        for needle in ["us1-emulated", "emulated-secret"] {
            #expect(try folder.files(with: needle).isEmpty)
        }
    }
}
