// SPDX-License-Identifier: Apache-2.0

/// What an erasure changes in a batch that has been out already and comes again under its id.
///
/// Somebody else goes out of what the end of a session says of who was current in it. And of a user who was erased and has
/// come back meanwhile, what was logged before goes, and what was logged since stays.
enum ErasedBatch {
    private static let key = Array("\"$SessionMPIDs\":\"".utf8)
    private static let messageID = Array("\"source_message_id\":\"".utf8)

    /// Whether the second version may have come of the first by an erasure.
    static func isPossible(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        self.differsInMentionsOnly(first, second) || self.isRest(second, of: first)
    }

    private static func isRest(_ rest: [UInt8], of whole: [UInt8]) -> Bool {
        let (kept, before) = (self.messageIDs(in: rest), self.messageIDs(in: whole))
        return kept.count < before.count && kept.isSubset(of: before)
    }

    private static func messageIDs(in bytes: [UInt8]) -> Set<ArraySlice<UInt8>> {
        var ids: Set<ArraySlice<UInt8>> = []
        for start in bytes.indices where bytes[start...].starts(with: self.messageID) {
            ids.insert(bytes[start...].dropFirst(self.messageID.count).prefix(36))
        }
        return ids
    }

    private static func differsInMentionsOnly(_ first: [UInt8], _ second: [UInt8]) -> Bool {
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
