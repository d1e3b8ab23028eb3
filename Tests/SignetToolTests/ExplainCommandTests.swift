// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
import Signet
import SignetTransport
import Testing

import struct Foundation.UUID

@testable import SignetTool

/// What `signet journal explain` says to a support team.
@Suite struct ExplainCommandTests {
    /// The ids of the waiting events and of those in dead letters, of one kind.
    private static func ids(_ folder: String) throws -> (waiting: [UUID], refused: [UUID]) {
        func id(_ event: JSONValue) -> UUID? {
            guard event["event_type"]?.string == "custom_event" else { return nil }
            return event["data"]?["source_message_id"]?.string.flatMap { UUID(uuidString: $0) }
        }
        return try DirectoryCopy.survey(folder) { survey in
            var waiting: [[UInt8]] = []
            try survey.readEvents { event in
                waiting.append(event.json)
                return true
            }
            let refused = try survey.deadLetterBatches().flatMap { try JSONReader.read($0.body)["events"]?.array ?? [] }
            return (try waiting.compactMap { id(try JSONReader.read($0)) }, refused.compactMap(id))
        }
    }

    private static func report(_ id: UUID, in folder: String) throws -> ExplainReport {
        let answer = try DirectoryCopy.survey(folder) { survey in try survey.explain(id) }
        guard case .found(let explanation) = answer else { throw ToolFault("\(id) was not found") }
        return ExplainReport(explanation)
    }

    @Test func aWaitingEventIsExplainedWithoutTheValuesOfIdentities() async throws {
        try await RuntimeFolder.with { folder in
            try await RuntimeFolder.fill(folder)
            let report = try Self.report(try #require(try Self.ids(folder).waiting.first), in: folder)
            #expect(report.text.contains(#"custom_event "waiting 1""#))
            #expect(report.text.contains("tool, number "))
            #expect(report.text.contains("the current user at the call"))
            #expect(report.text.contains("customerid set "))
            let json = String(decoding: report.json.encoded(), as: UTF8.self)
            #expect(report.json["user"]?["reason"]?.string == "current")
            #expect(report.json["installation"]?["id"]?.string == "tool")
            for text in [report.text, json] { #expect(!text.contains("c1\"") && !text.contains(" c1"), "\(text)") }
        }
    }

    @Test func aDeadLetterIsExplainedByTheRefusal() async throws {
        try await RuntimeFolder.with { folder in
            try await RuntimeFolder.fill(folder)
            let report = try Self.report(try #require(try Self.ids(folder).refused.first), in: folder)
            #expect(report.text.contains("in the dead letter "))
            #expect(report.text.contains("cause: status 400: "))
            #expect(report.json["deadLetter"]?["status"]?.number?.int64 == 400)
            #expect(report.json["sequence"]?.isNull == true)
        }
    }

    @Test func anEventThatIsNotThereSaysWhereWasLooked() async throws {
        try await RuntimeFolder.with { folder in
            try await RuntimeFolder.fill(folder)
            let answer = try DirectoryCopy.survey(folder) { survey in try survey.explain(UUID()) }
            guard case .missing(let look) = answer else { throw ToolFault("an event that nobody logged was found") }
            #expect(look.events >= 3)
            #expect(look.deadLetters == 1)
            let sentence = ExplainReport.missing(UUID(), in: folder, look)
            #expect(sentence.contains("it was delivered or dropped, or never accepted here"))
            #expect(sentence.contains("\(look.events) waiting events"))
            #expect(throws: ToolExit.no) { try ExplainCommand.parse([folder, UUID().uuidString]).run() }
        }
    }

    @Test func whatIsNoDirectoryOrNoIDIsRefused() async throws {
        try await RuntimeFolder.with { folder in
            #expect(throws: ToolExit.failed) { try ExplainCommand.parse([folder, UUID().uuidString]).run() }
            #expect(throws: (any Error).self) { try ExplainCommand.parse([folder, "not-an-id"]) }
        }
    }
}
#endif
