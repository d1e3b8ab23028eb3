// SPDX-License-Identifier: Apache-2.0

import Signet

import struct FoundationEssentials.Data
import struct FoundationEssentials.URL

/// Reads a trace line by line, and stops at the first invalid line.
package struct TraceReader {
    /// The maximum length of a line, in bytes; more than any trace needs.
    private static let longestLine = 1 << 20

    private let file: String
    private var number = 0
    private var last: Int64 = 0
    private var running: Set<InstallationID> = []

    private init(file: String) {
        self.file = file
    }

    /// Reads a whole trace.
    ///
    /// - Parameter path: The file.
    /// - Returns: The trace, checked: times never decrease, and only an app that has been launched does anything.
    /// - Throws: ``TraceError``.
    package static func read(_ path: String) throws(TraceError) -> Trace {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw TraceError(file: path, line: nil, reason: "the file cannot be read")
        }
        return try self.read(bytes, named: path)
    }

    /// Reads the bytes of a trace.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the file.
    ///   - file: The name of the file in errors.
    /// - Returns: The trace, with the same checks as ``read(_:)``.
    /// - Throws: ``TraceError``.
    package static func read(_ bytes: some Collection<UInt8>, named file: String) throws(TraceError) -> Trace {
        var reader = TraceReader(file: file)
        var header: TraceHeader?
        var lines: [TraceLine] = []
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            reader.number += 1
            guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) else { continue }
            if header == nil {
                header = try reader.checked(line, TraceHeader.init)
            } else {
                lines.append(try reader.line(line))
            }
        }
        guard let header else { throw TraceError(file: file, line: nil, reason: "the file is empty") }
        return Trace(file: file, header: header, lines: lines)
    }

    private mutating func line(_ bytes: some Collection<UInt8>) throws(TraceError) -> TraceLine {
        let number = self.number
        let line = try self.checked(bytes) { (fields) throws(TraceFields.Fault) in
            try TraceLine(fields, number: number)
        }
        guard line.at >= self.last else {
            throw self.error("\"at\" is \(line.at), earlier than the line before (\(self.last))")
        }
        self.last = line.at
        switch line.action {
        case .launch:
            guard self.running.insert(line.installation).inserted else {
                throw self.error("\(line.installation) is launched but is already running")
            }
        case .kill, .quit:
            guard self.running.remove(line.installation) != nil else { throw self.notRunning(line) }
        default:
            guard self.running.contains(line.installation) else { throw self.notRunning(line) }
        }
        return line
    }

    private func checked<Content>(
        _ bytes: some Collection<UInt8>,
        _ read: (TraceFields) throws(TraceFields.Fault) -> Content
    ) throws(TraceError) -> Content {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(Array(bytes), limits: JSONLimits(bytes: Self.longestLine))
        } catch {
            throw self.error("the line is not JSON (\(error))")
        }
        do throws(TraceFields.Fault) {
            return try read(TraceFields(value))
        } catch {
            throw self.error(error.reason)
        }
    }

    private func notRunning(_ line: TraceLine) -> TraceError {
        self.error("\(line.installation) acts but is not running; it must be launched first")
    }

    private func error(_ reason: String) -> TraceError {
        TraceError(file: self.file, line: self.number, reason: reason)
    }
}
