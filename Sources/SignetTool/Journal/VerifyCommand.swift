// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
import Signet
import SignetModel
import SignetTransport

/// `signet journal verify`.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads and checks every byte of a runtime's directory.",
        discussion: """
            A record that a crash cut short is not damage: no call had returned for it. In a directory in use, the \
            last record may be incomplete, too.

            It also counts the work that the directory still has to do: what is due, and what may wait, as for an \
            opt-in. Records of Iterable and Infobip are counted as work that waits.

            EXAMPLES
              signet journal verify /var/lib/signet --json

            EXIT CODES
              0   all records are sound
              1   some are damaged
              2   the directory cannot be read
              64  invalid command line
            """
    )

    @OptionGroup var target: JournalDirectory

    @OptionGroup var output: OutputOptions

    func run() throws {
        let progress = ProgressLine()
        let (state, journal, work) = try ToolFault.exiting {
            try DirectoryCopy.survey(self.target.directory, progress) { survey in
                var events = 0
                try survey.readEvents { _ in
                    events += 1
                    progress.show { "checked \(events.of("event", "events"))" }
                    return true
                }
                _ = try survey.deadLetterBatches()
                let work = try survey.dueWork()
                return (survey.stateDamage, survey.journalDamage, work)
            }
        }
        try self.output.give(
            ["state": Self.json(state), "journal": Self.json(journal), "work": Self.json(work)],
            "state:   \(Self.text(state))\njournal: \(Self.text(journal))\nwork:    \(Self.text(work))"
        )
        if state.damaged + journal.damaged > 0 { throw ToolExit.no }
    }

    private static func text(_ damage: DirectoryInspector.Damage) -> String {
        "\(damage.sound) sound, \(damage.damaged) damaged, \(damage.neverReturned) never finished, "
            + damage.tornBytes.of("byte of an unfinished record", "bytes of an unfinished record")
    }

    private static func text(_ work: DueWorkReport) -> String {
        let counts = work.counts
        func list(_ count: (DueWorkReport.Kind) -> Int) -> String {
            let parts = DueWorkReport.Kind.allCases.filter { count($0) > 0 }.map { "\($0.rawValue) \(count($0))" }
            return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
        }
        return "due: \(list { counts[$0]?.owed ?? 0 }); waiting: \(list { counts[$0]?.allowed ?? 0 })"
    }

    static func json(_ work: DueWorkReport) -> JSONValue {
        let counts = work.counts
        var json = JSONObject()
        for kind in DueWorkReport.Kind.allCases {
            guard let count = counts[kind] else { continue }
            json[kind.rawValue] = [
                "due": .number(JSONNumber(Int64(count.owed))), "waiting": .number(JSONNumber(Int64(count.allowed))),
            ]
        }
        return .object(json)
    }

    private static func json(_ damage: DirectoryInspector.Damage) -> JSONValue {
        func number(_ value: Int) -> JSONValue { .number(JSONNumber(Int64(value))) }
        return [
            "sound": number(damage.sound), "damaged": number(damage.damaged),
            "neverReturned": number(damage.neverReturned), "tornBytes": number(damage.tornBytes),
        ]
    }
}
#endif
