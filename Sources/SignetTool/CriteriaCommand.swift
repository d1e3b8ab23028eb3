// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
import SignetCriteria
import SignetTransport

/// `signet criteria`.
struct CriteriaCommand: ParsableCommand {
    /// The dialects in which criteria are read.
    enum Dialects: String, ExpressibleByArgument, CaseIterable {
        case strict
        case ios
        case both

        var all: [CriteriaDialect] {
            switch self {
            case .strict: [.strict]
            case .ios: [.iOS]
            case .both: CriteriaDialect.allCases
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "criteria",
        abstract: "Shows which criterion the records of a visitor match.",
        discussion: """
            With one file, a JSON list of {name, criteria, events, expected}, it prints each difference and how many \
            cases agree. With two files, the criteria of a project and a JSON list of a visitor's records, it prints \
            which criterion matches, and why.

            EXAMPLES
              signet criteria cases.json --dialect both
              signet criteria criteria.json events.json

            EXIT CODES
              0   all agree (two files: both were read)
              1   some differ, or a criterion is refused
              2   a file cannot be read or has another format
              64  invalid command line
            """
    )

    @Argument(help: "A list of cases, or the criteria of a project.")
    var file: String

    @Argument(help: "The records of a visitor.")
    var events: String?

    @Option(help: "strict: the documented meaning. ios: the vendor's checker for iOS.")
    var dialect: Dialects?

    @OptionGroup var output: OutputOptions

    func run() throws {
        // Cases have one expected result; explanations compare the dialects.
        let dialects = (self.dialect ?? (self.events == nil ? .strict : .both)).all
        let results = try ToolFault.exiting {
            let value = try ToolFile.json(self.file)
            let cases = try self.events.map { [try CheckCase(criteria: value, events: ToolFile.json($0))] }
            let progress = ProgressLine()
            defer { progress.end() }
            let all = try cases ?? CheckCase.list(value)
            return all.enumerated().flatMap { number, one in
                progress.show { "case \(number + 1) of \(all.count)" }
                return one.results(dialects)
            }
        }
        let text =
            self.output.json
            ? CheckResult.json(results)
            : CheckResult.text(results, in: dialects, showsAll: self.events != nil)
        try Terminal.give(String(text.dropLast()))
        if results.contains(where: \.differs) { throw ToolExit.no }
    }
}
#endif
