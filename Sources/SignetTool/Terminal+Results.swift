// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
import SignetTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The form in which a command prints its result.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    /// Writes the result.
    func give(_ json: @autoclosure () -> JSONValue, _ text: @autoclosure () -> String) throws(ExitCode) {
        if self.json { try Terminal.give(json()) } else { try Terminal.give(text()) }
    }
}

extension Terminal {
    /// Writes a line of the result to standard output.
    ///
    /// - Throws: ``ToolExit``: `done` when the reader has closed the output; `failed` after printing the reason.
    static func give(_ line: String) throws(ExitCode) {
        let number = Self.write(line + "\n", to: STDOUT_FILENO)
        guard number != 0 else { return }
        guard number != EPIPE else { throw ToolExit.done }
        Self.complain("Standard output cannot be written: \(String(cString: strerror(number)))")
        throw ToolExit.failed
    }

    /// Writes a JSON document and a line break to standard output.
    ///
    /// - Throws: The same as for a line.
    static func give(_ json: JSONValue) throws(ExitCode) {
        try Self.give(String(decoding: json.encoded(), as: UTF8.self))
    }
}
#endif
