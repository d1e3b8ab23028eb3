// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Signet

/// Each error names the setting or the call that mends it.
@Suite struct ErrorRemedyTests {
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

    @Test func eachCodeHasARemedyThatNamesSomething() throws {
        let source = try Self.text("Sources/Signet/Reporting/SignetError+Code.swift")
        let codes = source.matches(of: /public static let \w+ = Code\("(\w+)"\)/).map { String($0.output.1) }
        #expect(codes.count > 30)
        for code in codes {
            let error = SignetError(SignetError.Code(code), "It failed.")
            #expect(!Self.names(in: error.description).isEmpty, "\(code)")
            #expect(error.remedy.map(error.description.hasSuffix) == true, "\(code)")
        }
        #expect(SignetError.Code.remedies.count == codes.count)
    }

    @Test func whatARemedyNamesIsThere() throws {
        let surface = try Self.text(".ci/surfaces/Signet.txt")
        for (code, remedy) in SignetError.Code.remedies {
            for name in Self.names(in: remedy) where !name.hasPrefix("signet ") {
                // `events.storage.maximumBytes`, `upload(within:)`, `whenBusy: .wait(upTo:)`: each word.
                for word in name.matches(of: /[A-Za-z]+/).map({ String($0.output) }) where word != "events" {
                    #expect(surface.contains(word), "\(code): \(name)")
                }
            }
        }
    }

    @Test func aMessageThatNamesACallIsNotFollowedByAnother() {
        #expect(SignetError.notRunning.description == "notRunning: \(SignetError.notRunning.message)")
        let code = SignetError.Code("ofAService")
        #expect(SignetError(code, "It failed.").description == "ofAService: It failed.")
    }

    @Test func theSharedErrorsNameACall() {
        let errors: [SignetError] = [
            .requestInProgress, .optedOut, .eventOptOut, .noUser, .notRunning, .closed, .cancelled, .noSession,
            .storeOutcomeUnknown, .superseded,
        ]
        for error in errors { #expect(!Self.names(in: error.message).isEmpty, "\(error.message)") }
    }
}
