// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
import Signet
import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

/// `signet journal export`.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Prints the waiting events and the dead letters as lines of JSON.",
        discussion: """
            An event is {"sequence", "installation", "mpid", "time", "event"}; a dead letter is {"deadLettered", \
            "reason", "batch"}. Both contain personal data: protect the output.

            EXAMPLES
              signet journal export /var/lib/signet > events.jsonl

            EXIT CODES
              0   all was printed, or the reader closed the output (| head)
              1   damaged records were skipped
              2   the directory cannot be read or the output cannot be written
              64  invalid command line
            """
    )

    @OptionGroup var target: JournalDirectory

    func run() throws {
        // Where the lines go to the terminal themselves, they are the progress.
        let progress = ProgressLine(write: Terminal.isOutput ? nil : ProgressLine.terminal)
        let damaged = try ToolFault.exiting {
            try DirectoryCopy.survey(self.target.directory, progress) { survey in
                var stop: ExitCode?
                var events = 0
                try survey.readEvents { event in
                    events += 1
                    progress.show { "printed \(events.of("event", "events"))" }
                    do throws(ExitCode) {
                        try Terminal.give(Self.line(event))
                    } catch {
                        stop = error
                    }
                    return stop == nil
                }
                if let stop { throw stop }
                for batch in try survey.deadLetterBatches() {
                    try Terminal.give(Self.line(batch))
                }
                return survey.journalDamage.damaged + survey.stateDamage.damaged
            }
        }
        guard damaged > 0 else { return }
        Terminal.complain(damaged.of("damaged record was skipped.", "damaged records were skipped."))
        throw ToolExit.no
    }

    // The JSON that is sent goes out byte for byte, as a part of the line.
    private static func line(_ event: DirectoryInspector.WaitingEvent) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("sequence", Int64(clamping: event.sequence))
        if let installation = event.installation { writer.member("installation", installation.rawValue) }
        if let mpid = event.mpid { writer.member("mpid", mpid.description) }
        writer.member("time", HTTPDate.basicISO8601(milliseconds: event.milliseconds))
        writer.key("event")
        writer.raw(event.json)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func line(_ batch: DirectoryInspector.RefusedBatch) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("deadLettered", batch.id.uuidString)
        writer.member("reason", batch.reason)
        writer.key("batch")
        writer.raw(batch.body)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
#endif
