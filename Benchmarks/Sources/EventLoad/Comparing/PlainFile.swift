// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// A file of events, one JSON a line, each written with one `write(2)`: what an app has without a library.
///
/// It survives a kill of the process as the journal does. It has no checksums, no sessions, no delivery and no removal.
final class PlainFile {
    private let file: CInt
    private let encoder = JSONEncoder()
    private let newline = UInt8(ascii: "\n")

    /// Creates the file.
    init(path: String) throws {
        self.file = try FileBytes.create(path)
    }

    deinit {
        close(self.file)
    }

    /// Appends an event, with a time and an id of now.
    func log(_ number: Int) throws {
        let event = PlainEvent(
            number: number,
            milliseconds: Int64(Date().timeIntervalSince1970 * 1000),
            messageID: UUID().uuidString
        )
        var line = try self.encoder.encode(event)
        line.append(self.newline)
        try line.withUnsafeBytes { try FileBytes.write($0, to: self.file) }
    }
}
