// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
import Signet
import SignetTransport

import struct FoundationEssentials.UUID

/// `signet journal explain`.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Says to whom an event belongs and why, if it waits or is in a dead letter.",
        discussion: """
            The id is the event's source_message_id, as `export` prints it. The answer names the installation, its \
            launch, the user, the session, the consent and the context, the batch and the dead letter. It has no \
            value of an identity, no attribute and no address.

            EXAMPLES
              signet journal explain /var/lib/signet 7D3EA2C1-58F0-4C0B-9F3E-2B0C6A1D9E44

            EXIT CODES
              0   the event was found
              1   the directory does not have it
              2   the directory cannot be read
              64  invalid command line
            """
    )

    @OptionGroup var target: JournalDirectory

    @Argument(help: "The id of the event (source_message_id).")
    var id: String

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard UUID(uuidString: self.id) != nil else {
            throw ValidationError("\(self.id) is not the id of an event. Give its source_message_id, a UUID.")
        }
    }

    func run() throws {
        // `validate` has read it.
        guard let id = UUID(uuidString: self.id) else { return }
        let (answer, isDamaged) = try ToolFault.exiting {
            try DirectoryCopy.survey(self.target.directory, ProgressLine()) { survey in
                let answer = try survey.explain(id)
                return (answer, survey.journalDamage.damaged + survey.stateDamage.damaged > 0)
            }
        }
        if isDamaged { Terminal.complain("Damaged records were skipped; see signet journal verify.") }
        switch answer {
        case .found(let explanation):
            let report = ExplainReport(explanation)
            try self.output.give(report.json, report.text)
        case .missing(let look):
            let doubt = isDamaged ? " Damaged records could not be searched: it may be in one of them." : ""
            let sentence = ExplainReport.missing(id, in: self.target.directory, look) + doubt
            try self.output.give(
                [
                    "id": .string(id.uuidString), "found": false, "reason": .string(sentence),
                    "damaged": .bool(isDamaged),
                ],
                sentence
            )
            throw ToolExit.no
        }
    }
}
#endif
