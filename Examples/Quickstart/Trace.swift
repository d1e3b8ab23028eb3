//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation
import SignetModel

/// A whole trace, read and checked before anything is replayed.
struct Trace {
    let file: String
    let header: TraceHeader
    let lines: [TraceLine]

    /// Reads a file.
    init(contentsOf path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw TraceError(file: path, line: 0, reason: "the file cannot be read")
        }
        try self.init(Array(data), file: (path as NSString).lastPathComponent)
    }

    /// Reads bytes.
    ///
    /// Empty lines are skipped; the first other one is the header.
    init(_ bytes: [UInt8], file: String) throws {
        var header: TraceHeader?
        var lines: [TraceLine] = []
        var launched: Set<String> = []
        for (index, slice) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        {
            let line = slice.last == UInt8(ascii: "\r") ? slice.dropLast() : slice
            guard !line.isEmpty else { continue }
            let fields = try TraceFields(Array(line), file: file, number: index + 1)
            guard header != nil else {
                header = try TraceHeader(fields)
                continue
            }
            let next = try TraceLine(fields)
            guard next.at >= lines.last?.at ?? 0 else { throw fields.wrong("\"at\" is less than on the line before") }
            try Self.follow(next, &launched, fields)
            lines.append(next)
        }
        guard let header else { throw TraceError(file: file, line: 1, reason: "a trace begins with its header") }
        self.file = file
        self.header = header
        self.lines = lines
    }

    /// An app is launched before it does anything, and not twice without an end between.
    private static func follow(_ line: TraceLine, _ launched: inout Set<String>, _ fields: TraceFields) throws {
        let id = line.installation.rawValue
        switch line.action {
        case .launch:
            guard launched.insert(id).inserted else { throw fields.wrong("\(id) is launched already") }
        case .kill, .quit:
            guard launched.remove(id) != nil else { throw fields.wrong("\(id) is not launched") }
        case .log, .login, .modify, .logout, .attribute, .background, .foreground:
            guard launched.contains(id) else { throw fields.wrong("\(id) is not launched") }
        }
    }
}
