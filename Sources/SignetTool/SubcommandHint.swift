// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser

/// The answer to a word that is nearly the name of a subcommand; the parser has such answers for options alone.
enum SubcommandHint {
    /// The largest number of letters that may differ.
    private static let reach = 2

    /// Finds the first word of a command line that should name a subcommand and does not.
    ///
    /// - Parameter words: The command line without the name of the program.
    /// - Returns: The sentence; nil if each word names one, or none is near.
    static func text(for words: some Sequence<String>) -> String? {
        var command: any ParsableCommand.Type = SignetCommand.self
        for word in words {
            let subcommands = command.configuration.subcommands
            if let next = subcommands.first(where: { $0.configuration.commandName == word }) {
                command = next
                continue
            }
            let names = subcommands.compactMap { $0.configuration.commandName }
            guard !word.hasPrefix("-"), word != "help" else { return nil }
            let near = names.map { (name: $0, distance: Self.distance(word, $0)) }
                .filter { $0.distance <= Self.reach }
                .min { $0.distance < $1.distance }
            return near.map { "There is no subcommand '\(word)'. Did you mean '\($0.name)'?" }
        }
        return nil
    }

    /// The least number of letters to insert, remove or replace (Levenshtein).
    private static func distance(_ first: String, _ second: String) -> Int {
        let second = Array(second.unicodeScalars)
        var row = Array(0...second.count)
        for (number, scalar) in first.unicodeScalars.enumerated() {
            var diagonal = row[0]
            row[0] = number + 1
            for (column, other) in second.enumerated() {
                let replaced = diagonal + (scalar == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(diagonal + 1, row[column] + 1, replaced)
            }
        }
        return row[second.count]
    }
}
#endif
