// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
import Signet
import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

/// `signet journal inspect`.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Counts the waiting events and lists the dead letters.",
        discussion: """
            Of a file that a start has set aside (.aside, .damaged, .torn), in the folder journal or copied from it, \
            it lists the events that are whole, and what is damaged. With --json it prints these events: personal \
            data.

            EXAMPLES
              signet journal inspect /var/lib/signet
              signet journal inspect /var/lib/signet/journal/0000000000000001.journal.aside

            EXIT CODES
              0   the directory or the file was read
              2   it cannot be read
              64  invalid command line
            """
    )

    @OptionGroup var target: JournalDirectory

    @OptionGroup var output: OutputOptions

    func run() throws {
        let progress = ProgressLine()
        if AsideReport.isFile(self.target.directory) {
            let report = try ToolFault.exiting { try AsideReport(self.target.directory, progress) }
            return try self.output.give(report.json, report.text)
        }
        let report = try ToolFault.exiting {
            try DirectoryCopy.survey(self.target.directory, progress) { survey in try InspectReport(survey, progress) }
        }
        try self.output.give(report.json, report.text)
    }
}

/// The waiting events and the dead letters.
struct InspectReport {
    private var events = 0
    private var bytes = 0
    private var withoutUser = 0
    private var users: Set<Int64> = []
    private var kinds: [String: Int] = [:]
    private var oldest: Int64?
    private var newest: Int64?
    private let installations: Int
    private let underWay: Int
    private let refused: [DirectoryInspector.RefusedBatch]

    init(_ survey: DirectoryInspector, _ progress: ProgressLine = ProgressLine(write: nil)) throws {
        self.installations = try survey.installationCount()
        self.underWay = try survey.batchesUnderWay()
        self.refused = try survey.deadLetterBatches()
        // Counted while reading: they may not fit into memory.
        var failure: (any Error)?
        try survey.readEvents { event in
            do { try self.count(event) } catch { failure = error }
            progress.show { "read \(self.events.of("event", "events"))" }
            return failure == nil
        }
        if let failure { throw failure }
    }

    private mutating func count(_ event: DirectoryInspector.WaitingEvent) throws {
        self.events += 1
        self.bytes += event.json.count
        if let mpid = event.mpid { self.users.insert(mpid.rawValue) } else { self.withoutUser += 1 }
        self.kinds[try JSONReader.read(event.json)["event_type"]?.string ?? "unknown", default: 0] += 1
        self.oldest = min(self.oldest ?? .max, event.milliseconds)
        self.newest = max(self.newest ?? .min, event.milliseconds)
    }

    var json: JSONValue {
        func number(_ value: Int) -> JSONValue { .number(JSONNumber(Int64(value))) }
        func date(_ milliseconds: Int64?) -> JSONValue {
            milliseconds.map { .string(HTTPDate.basicISO8601(milliseconds: $0)) } ?? .null
        }
        var kinds = JSONObject()
        for (kind, count) in self.kinds.sorted(by: { $0.key < $1.key }) { kinds[kind] = number(count) }
        return [
            "events": number(self.events), "bytes": number(self.bytes), "eventsWithoutUser": number(self.withoutUser),
            "users": number(self.users.count), "installations": number(self.installations),
            "batchesUnderWay": number(self.underWay), "oldest": date(self.oldest), "newest": date(self.newest),
            "kinds": .object(kinds),
            "deadLettered": .array(
                self.refused.map { batch in
                    [
                        "id": .string(batch.id.uuidString), "mpid": batch.mpid.map { .string($0.description) } ?? .null,
                        "events": number(batch.eventCount), "bytes": number(batch.body.count),
                        "status": batch.status.map(number) ?? .null, "reason": .string(batch.reason),
                    ]
                }
            ),
        ]
    }

    var text: String {
        var lines = [
            "\(self.events.of("event waits", "events wait")), \(self.bytes.of("byte", "bytes"))",
            self.users.count.of("user; ", "users; ")
                + self.withoutUser.of("event has no user yet", "events have no user yet"),
            self.underWay.of("batch is in flight; ", "batches are in flight; ")
                + self.installations.of("installation is known", "installations are known"),
        ]
        if let oldest = self.oldest, let newest = self.newest {
            let dates = [oldest, newest].map { HTTPDate.rfc1123(milliseconds: $0) }
            lines.append("the oldest event is from \(dates[0]), the newest from \(dates[1])")
        }
        for (kind, count) in self.kinds.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            lines.append("  \(kind): \(count)")
        }
        lines.append(self.refused.count.of("batch is a dead letter", "batches are dead letters"))
        for batch in self.refused {
            let status = batch.status.map { ", status \($0)" } ?? ""
            let events = batch.eventCount.of("event", "events")
            lines.append("  \(batch.id): \(events)\(status): \(batch.reason)")
        }
        return lines.joined(separator: "\n")
    }
}
#endif
