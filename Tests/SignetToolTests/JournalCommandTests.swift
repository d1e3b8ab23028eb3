// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
import Signet
import SignetEmulator
import SignetModel
import SignetServer
import SignetTesting
import SignetTransport
import Testing

import struct Foundation.Data
import class Foundation.FileManager
import struct Foundation.URL
import struct Foundation.UUID
import func Foundation.setenv

@testable import SignetTool

/// What `signet journal` says of the directory of a runtime, which stays as it is.
@Suite struct JournalCommandTests {
    @Test func waitingEventsAndRefusedBatchesAreCountedAndTheDirectoryIsNotTouched() async throws {
        try await RuntimeFolder.with { folder in
            try await RuntimeFolder.fill(folder)
            let before = try Self.contents(folder)
            let inspected = try DirectoryCopy.survey(folder) { survey in try InspectReport(survey) }
            let (report, lines) = (inspected.json, inspected.text.split(separator: "\n"))
            #expect(lines.contains("1 batch is a dead letter"), "\(lines)")
            #expect(lines.contains("1 user; 0 events have no user yet"), "\(lines)")
            #expect(report["deadLettered"]?.array?.count == 1)
            #expect(report["deadLettered"]?.array?.first?["status"]?.number?.int64 == 400)
            #expect(report["kinds"]?["custom_event"]?.number?.int64 == 3)
            #expect(report["installations"]?.number?.int64 == 1)
            let (events, damage) = try DirectoryCopy.survey(folder) { survey in
                var events: [DirectoryInspector.WaitingEvent] = []
                try survey.readEvents { event in
                    events.append(event)
                    return true
                }
                return (events, survey.journalDamage)
            }
            #expect(damage.damaged == 0)
            #expect(Set(events.map(\.installation)) == ["tool"])
            #expect(events.allSatisfy { $0.mpid != nil })
            #expect(try Self.contents(folder) == before)
        }
    }

    @Test func aChangedByteIsFound() async throws {
        try await RuntimeFolder.with { folder in
            try await RuntimeFolder.fill(folder)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/journal")
            for name in names where name.hasSuffix(".journal") {
                let url = URL(filePath: folder + "/journal/" + name)
                var bytes = Array(try Data(contentsOf: url))
                guard let place = bytes.firstRange(of: Array("waiting 1".utf8)) else { continue }
                bytes[place.lowerBound] ^= 1
                try Data(bytes).write(to: url)
            }
            let damaged = try DirectoryCopy.survey(folder) { survey in
                try survey.readEvents { _ in true }
                return survey.journalDamage.damaged
            }
            #expect(damaged == 1)
            #expect(throws: ToolExit.no) { try VerifyCommand.parse([folder]).run() }
        }
    }

    @Test func aFileThatWasSetAsideIsListedWithTheIDsOfItsInstallations() async throws {
        try await RuntimeFolder.with { folder in
            try await RuntimeFolder.fill(folder)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/journal")
            let file = try #require(
                try names.map { folder + "/journal/" + $0 }.first { path in
                    let bytes = try Data(contentsOf: URL(filePath: path))
                    return path.hasSuffix(".journal") && Array(bytes).firstRange(of: Array("waiting 1".utf8)) != nil
                }
            )
            let aside = file + ".aside"
            try FileManager.default.copyItem(atPath: file, toPath: aside)
            let report = try AsideReport(aside)
            let events = try #require(report.json["events"]?.array)
            #expect(events.contains { $0["event"]?["data"]?["event_name"]?.string == "waiting 1" })
            #expect(events.allSatisfy { $0["installation"]?.string == "tool" && $0["id"]?.string != nil })
            #expect(report.text.contains("of installation tool"))
            try InspectCommand.parse([aside]).run()
        }
    }

    @Test func verifyCountsWhatTheDirectoryHasToDo() async throws {
        try await RuntimeFolder.with { folder in
            try await RuntimeFolder.fill(folder)
            let work = try DirectoryCopy.survey(folder) { survey in try VerifyCommand.json(survey.dueWork()) }
            #expect(work["events"]?["due"]?.number?.int64 == 1)
            #expect(work["deadLetter"]?["due"]?.number?.int64 == 0)
            #expect(work["deadLetter"]?["waiting"]?.number?.int64 == 1)
            #expect(work["identify"] == nil)
            try VerifyCommand.parse([folder]).run()
        }
    }

    @Test func whatIsNoDirectoryOfARuntimeIsSaidToBeNone() async throws {
        try await RuntimeFolder.with { folder in
            #expect(throws: ToolExit.failed) { try InspectCommand.parse([folder]).run() }
            #expect(throws: ToolExit.failed) { try ExportCommand.parse([folder + "/nowhere"]).run() }
        }
    }

    private static func contents(_ folder: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for part in ["state", "journal"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder + "/" + part) {
                contents[part + "/" + name] = try Data(contentsOf: URL(filePath: folder + "/" + part + "/" + name))
            }
        }
        return contents
    }
}
#endif
