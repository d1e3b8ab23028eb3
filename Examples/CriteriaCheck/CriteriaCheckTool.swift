// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetCriteria
import SignetTransport

/// Compares what criteria should match with what they do, in each dialect.
@main
struct CriteriaCheckTool {
    /// How it ended.
    enum ExitCode: Int32 {
        case agrees = 0
        case differs = 1
        /// A file that cannot be read or is not in the form.
        case badFile = 2
        /// `EX_USAGE` of sysexits.h.
        case badUsage = 64
    }

    /// In bytes.
    private static let largestFile = 64 << 20

    static func main() {
        let (code, output, complaint) = Self.run(Array(CommandLine.arguments.dropFirst()))
        FileHandle.standardOutput.write(Data(output.utf8))
        FileHandle.standardError.write(Data(complaint.utf8))
        exit(code.rawValue)
    }

    /// Does what the command line asks for.
    ///
    /// - Parameter words: The command line without the name of the program.
    /// - Returns: How it ended, what belongs on standard output, and what on standard error.
    static func run(_ words: [String]) -> (ExitCode, output: String, complaint: String) {
        do {
            let arguments = try Arguments(words)
            guard !arguments.wantsHelp else { return (.agrees, Arguments.usage + "\n", "") }
            let cases =
                try arguments.files.count == 1
                ? CheckCase.list(try Self.read(arguments.files[0]))
                : [CheckCase(criteria: try Self.read(arguments.files[0]), events: try Self.read(arguments.files[1]))]
            let results = cases.flatMap { $0.results(arguments.dialects) }
            let isOne = arguments.files.count == 2
            let text =
                arguments.json
                ? CheckResult.json(results)
                : CheckResult.text(results, in: arguments.dialects, showsAll: isOne)
            return (results.contains(where: \.differs) ? .differs : .agrees, text, "")
        } catch let fault as Arguments.Fault {
            return (.badUsage, "", "criteria-check: \(fault.reason)\n\n\(Arguments.usage)\n")
        } catch let fault as FileFault {
            return (.badFile, "", "criteria-check: \(fault.reason)\n")
        } catch {
            return (.badFile, "", "criteria-check: \(error)\n")
        }
    }

    private static func read(_ path: String) throws -> JSONValue {
        let bytes: [UInt8]
        do {
            // No more than is taken, whatever lies there: some files have no end.
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            bytes = Array(try file.read(upToCount: Self.largestFile + 1) ?? Data())
            try file.close()
        } catch {
            throw FileFault(reason: "\(path): cannot be read")
        }
        guard !bytes.isEmpty else { throw FileFault(reason: "\(path): is empty") }
        guard bytes.count <= Self.largestFile else {
            throw FileFault(reason: "\(path): is larger than \(Self.largestFile >> 20) MiB")
        }
        do {
            return try JSONReader.read(
                bytes,
                limits: JSONLimits(bytes: Self.largestFile, depth: 100, values: 5_000_000)
            )
        } catch {
            throw FileFault(reason: "\(path): \(error)")
        }
    }
}

/// Why a file is of no use.
struct FileFault: Error {
    let reason: String
}
