//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What the end of a session says of who was current in it: the one part of a batch that an erasure changes.
enum SessionMention {
    private static let key = Array("\"$SessionMPIDs\":\"".utf8)

    /// Whether two versions of a batch differ there alone.
    static func isAllThatDiffers(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        guard first.count == second.count else { return false }
        var position = 0
        while position < first.count {
            if first[position...].starts(with: self.key), let end = self.end(in: first, after: position) {
                position = end
            }
            guard first[position] == second[position] else { return false }
            position += 1
        }
        return true
    }

    /// Behind the closing quote of the list, and the spaces that took the place of what is gone.
    private static func end(in bytes: [UInt8], after start: Int) -> Int? {
        guard let quote = bytes[(start + self.key.count)...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        return bytes[(quote + 1)...].firstIndex { $0 != UInt8(ascii: " ") }
    }
}
