// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import Signet
import SignetTransport

/// `signet journal verify`.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads and checks every byte of a runtime's directory.",
        discussion: """
            A record that a crash cut short is not damage: no call had returned for it. In a
            directory in use, the last record may be incomplete, too.

            EXAMPLES
              signet journal verify /var/lib/shop/signet --json

            EXIT CODES: 0 all records are sound, 1 some are damaged, 2 the directory cannot be read,
            64 invalid command line
            """
    )

    @OptionGroup var target: JournalDirectory

    @OptionGroup var output: OutputOptions

    func run() throws {
        let progress = ProgressLine()
        let (state, journal) = try ToolFault.exiting {
            try DirectoryCopy.survey(self.target.directory, progress) { survey in
                var events = 0
                try survey.readEvents { _ in
                    events += 1
                    progress.show { "checked \(events) events" }
                    return true
                }
                _ = try survey.deadLetterBatches()
                return (survey.stateDamage, survey.journalDamage)
            }
        }
        try self.output.give(
            ["state": Self.json(state), "journal": Self.json(journal)],
            "state:   \(Self.text(state))\njournal: \(Self.text(journal))"
        )
        if state.damaged + journal.damaged > 0 { throw ToolExit.no }
    }

    private static func text(_ damage: DirectoryInspector.Damage) -> String {
        "\(damage.sound) sound, \(damage.damaged) damaged, \(damage.neverReturned) never finished, "
            + "\(damage.tornBytes) bytes of an unfinished record"
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
