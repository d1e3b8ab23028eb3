// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetWire
import Testing

@testable import Signet

/// Each error says what mends it, and nothing that does not: the remedy is that of the throw.
@Suite(.watched) struct ErrorRemedyTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// The texts between backticks.
    private static func names(in text: String) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }

    private static let routes: [Route] = [.identify, .login, .logout, .search, .alias, .events, .bulkEvents]
    private static let storeCodes: [SharedStoreError.Code] = [
        .unreachable, .outcomeUnknown, .busy, .schemaMissing, .newerFormat, .olderFormat, .workspaceMismatch,
        .directoryInUse, .notPermitted, .secureConnectionFailed, .invalidArgument, .cancelled, .failed,
    ]

    /// All codes of this module.
    private static func codes() throws -> [SignetError.Code] {
        let source = try Self.text("Sources/Signet/Reporting/SignetError+Code.swift")
        return source.matches(of: /public static let \w+ = Code\("(\w+)"\)/).map {
            SignetError.Code(String($0.output.1))
        }
    }

    /// All remedies that are made in more than one place.
    private static func remedies() throws -> [String] {
        let codes = try Self.codes()
        #expect(codes.count > 30)
        return SignetError.Code.remedies.values
            + [Remedy.settings, Remedy.room, Remedy.pause, Remedy.storeAway, Remedy.storeRefuses]
            + codes.compactMap(Remedy.ofEvent) + codes.compactMap(Remedy.ofDirectory)
            + Self.routes.flatMap { route in codes.compactMap { Remedy.ofRequest($0, to: route) } }
            + Self.storeCodes.compactMap { SignetError(SharedStoreError($0, "It is so.")).remedy }
    }

    @Test func whatARemedyNamesIsThere() throws {
        let surface = try Self.text(".ci/surfaces/Signet.txt")
        for remedy in try Self.remedies() {
            #expect(!Self.names(in: remedy).isEmpty && remedy.hasSuffix("."), "\(remedy)")
            for name in Self.names(in: remedy) where !name.hasPrefix("signet ") {
                // `events.storage.maximumBytes`, `upload(within:)`, `whenBusy: .wait(upTo:)`: each word.
                for word in name.matches(of: /[A-Za-z]+/).map({ String($0.output) }) where word != "events" {
                    #expect(surface.contains(word), "\(remedy): \(name)")
                }
            }
        }
    }

    @Test func aCodeWithManyCausesHasNoRemedyOfItsOwn() throws {
        for code: SignetError.Code in [
            .invalidArgument, .invalidConfiguration, .limitReached, .rejected, .timedOut, .cancelled, .notRunning,
            .diskFull, .diskFailed, .directoryInUse, .newerFormat, .workspaceMismatch, .outcomeUnknown, .storeFailed,
        ] {
            #expect(SignetError(code, "It failed.").remedy == nil, "\(code)")
        }
    }

    @Test func aMessageThatNamesACallIsNotFollowedByAnother() {
        #expect(SignetError.notRunning.description == "notRunning: \(SignetError.notRunning.message)")
        let code = SignetError.Code("ofAService")
        #expect(SignetError(code, "It failed.").description == "ofAService: It failed.")
        #expect(SignetError(code, "It failed", remedy: "Try again.").description == "ofAService: It failed. Try again.")
        #expect(SignetError(code, "Call `a()`", remedy: "Call `b()`.").description == "ofAService: Call `a()`.")
    }

    @Test func theSharedErrorsNameACall() {
        let errors: [SignetError] = [
            .requestInProgress, .optedOut, .eventOptOut, .noUser, .notRunning, .hasEnded, .closed, .cancelled,
            .noSession,
            .storeOutcomeUnknown, .superseded,
        ]
        for error in errors { #expect(!Self.names(in: error.message).isEmpty, "\(error.message)") }
    }

    @Test(arguments: storeCodes) func anErrorOfTheStoreSaysNothingOfTheDirectory(code: SharedStoreError.Code) {
        for reason in ["the tables are of another kind", "The tables are of another kind."] {
            let text = SignetError(SharedStoreError(code, reason)).description
            #expect(!text.contains("`directory`") && text.hasSuffix("."), "\(text)")
            // A sentence ends before the next one begins.
            #expect(text.firstMatch(of: /[a-z] (Nothing|Run|Set|Check|Try|Call)\b/) == nil, "\(text)")
            #expect(text.firstMatch(of: /\. [a-z]/) == nil, "\(text)")
        }
    }

    @Test func aDirectoryOfANewerFormatKeepsItsRemedy() {
        #expect(Remedy.ofDirectory(.newerFormat)?.contains("`directory`") == true)
        #expect(SignetError(SharedStoreError(.newerFormat, "It is new.")).remedy == nil)
    }

    @Test func theHintOfAnEventIsOnlyThatOfAnEvent() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let here = try await signet.runtime.open("visitor", identify: .none)
            let logged = #expect(throws: SignetError.self) { try here.log(.custom("")) }
            #expect(logged?.description.contains("`logIfPossible(_:)`") == true, "\(logged as Any)")
            let opened = await failure { () async throws(SignetError) in _ = try await signet.runtime.open("") }
            let set = await failure { () async throws(SignetError) in try await here.setAttribute("blue", for: "") }
            let timeout = #expect(throws: SignetError.self) { try signet.runtime.setSessionTimeout(.zero) }
            for error in [opened, set, timeout] {
                #expect(error?.code == .invalidArgument && error?.remedy == nil, "\(error as Any)")
            }
        }
    }

    @Test func afterItsEndARuntimeDoesNotAskToBeRun() async throws {
        let folder = try TemporaryFolder()
        let ended = try await withEmulatedSignet(in: folder.path) { $0.runtime }
        let error = await failure { () async throws(SignetError) in _ = try await ended.open("visitor") }
        #expect(error?.code == .notRunning)
        #expect(error?.message.contains("Make another `SignetRuntime`") == true, "\(error as Any)")
    }

    @Test func aRequestOfAnIdentityCallNamesARetryPolicyAndAnUploadDoesNot() {
        for code: SignetError.Code in [.timedOut, .notSent, .notConnected, .throttled, .serverFailure] {
            #expect(Remedy.ofRequest(code, to: .login)?.contains("`RetryPolicy`") == true, "\(code)")
            for route in [Route.events, .bulkEvents, .alias] {
                #expect(Remedy.ofRequest(code, to: route)?.contains("`RetryPolicy`") != true, "\(code)")
            }
        }
        #expect(Remedy.ofRequest(.rejected, to: .login) == nil)
    }

    /// Messages that end in a value of their own are made sentences by ``SignetError/description``.
    @Test func eachMessageInTheSourcesEndsWithAFullStop() throws {
        let sources = Self.root.appending(path: "Sources")
        var count = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            for match in text.matches(of: /SignetError\(\s*\.\w+,\s*((?:"(?:[^"\\\n]|\\.)*"[\s+]*)+)[,)]/) {
                let message = String(match.output.1).trimmingCharacters(in: .whitespacesAndNewlines).dropLast()
                count += 1
                #expect(message.hasSuffix(".") || message.hasSuffix(")"), "\(path): \(message)")
            }
        }
        #expect(count > 80)
    }
}
