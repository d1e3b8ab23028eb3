//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetCriteria

/// What the command line asks for.
struct Arguments {
    /// Why the command line makes no sense.
    struct Fault: Error, Hashable {
        let reason: String
    }

    static let usage = """
        usage: criteria-check FILE [--dialect strict|ios|both] [--json]
               criteria-check CRITERIA EVENTS [--dialect strict|ios|both] [--json]

        Says which criterion matches what a visitor did, in each dialect; nothing is sent anywhere.

          FILE         a JSON list of {name, criteria, events, expected}; expected is the id of a criterion
                       or null. Prints each difference, and `N agree, M differ`
          CRITERIA     the criteria of a project, as the service gives them out
          EVENTS       a JSON list of what a visitor did; prints what matches, and why
          --dialect D  strict: as documented, which FILE is checked by unless you say otherwise; ios: as the vendor's
                       checker for iOS; both, which CRITERIA and EVENTS are explained in unless you say otherwise
          --json       prints JSON
          --help       shows this

        exit codes: 0 all agree (of CRITERIA and EVENTS: they were read), 1 some differ, or a criterion is refused,
                    2 a file cannot be read or is not in this form, 64 the command line makes no sense
        """

    var files: [String] = []
    private var chosen: [CriteriaDialect]?
    var json = false
    var wantsHelp = false

    /// What was chosen; cases have one answer, and what is explained is compared.
    var dialects: [CriteriaDialect] {
        self.chosen ?? (self.files.count == 1 ? [.strict] : CriteriaDialect.allCases)
    }

    init(_ words: [String]) throws(Fault) {
        var rest = words[...]
        var takesOptions = true
        while let word = rest.popFirst() {
            switch word {
            case "--help" where takesOptions, "-h" where takesOptions: self.wantsHelp = true
            case "--json" where takesOptions: self.json = true
            case "--" where takesOptions: takesOptions = false
            case "--dialect" where takesOptions:
                guard let name = rest.popFirst() else { throw Fault(reason: "--dialect needs a name") }
                self.chosen = try Self.dialects(name)
            case let option where takesOptions && option.hasPrefix("--dialect="):
                self.chosen = try Self.dialects(String(option.dropFirst("--dialect=".count)))
            case let option where takesOptions && option.hasPrefix("-"):
                throw Fault(reason: "there is no option \(option)")
            case let file:
                guard !file.isEmpty else { throw Fault(reason: "the name of a file is empty") }
                self.files.append(file)
            }
        }
        guard self.wantsHelp || (1...2).contains(self.files.count) else {
            throw Fault(reason: self.files.isEmpty ? "which file?" : "there can be two files at most")
        }
    }

    private static func dialects(_ name: String) throws(Fault) -> [CriteriaDialect] {
        switch name {
        case "strict": return [.strict]
        case "ios", "iOS": return [.iOS]
        case "both": return CriteriaDialect.allCases
        default: throw Fault(reason: "there is no dialect \(name)")
        }
    }
}
