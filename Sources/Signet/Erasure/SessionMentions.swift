// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// Removes erased users from the list of a session's users in `session_end` events, and from `profile` events.
///
/// The event belongs to another user and stays; zero is no user. The number of bytes stays: spaces, which mean
/// nothing in JSON, fill the gap, so neither frames nor batches change their size.
enum SessionMentions {
    private static let key = Array("\"$SessionMPIDs\":\"".utf8)
    private static let numberKeys = ["\"previous_mpid\":", "\"current_mpid\":"].map { Array($0.utf8) }

    /// Changes an event, if it ends a session in which an erased user was current, or reports a change from or to them.
    ///
    /// - Returns: The changed bytes; nil for any other event.
    static func remove(_ subjects: inout ErasureSubjects, fromEvent event: UnsafeRawBufferPointer) -> [UInt8]? {
        switch EventHead.read(event)?.kind {
        case .sessionEnd, .profile: self.remove(&subjects, from: event)
        case .optOut, .other, nil: nil
        }
    }

    /// Changes the events of a batch.
    ///
    /// - Returns: The changed bytes; nil if no erased user is named.
    static func remove(_ subjects: inout ErasureSubjects, from bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var changed: [UInt8]?
        var start = 0
        while let value = self.nextValue(in: bytes, from: start) {
            start = value.upperBound
            let texts = bytes[value].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            let others = texts.filter { text in
                MPID(String(decoding: text, as: UTF8.self)).map { !subjects.contains($0) } ?? true
            }
            guard others.count < texts.count else { continue }
            // Merge equal neighbours: a user who only returned after an erased user was not away.
            let kept = others.enumerated().filter { $0 == 0 || !others[$0 - 1].elementsEqual($1) }.map(\.element)
            var rest = Array(kept.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "\"")]
            rest += [UInt8](repeating: UInt8(ascii: " "), count: value.count + 1 - rest.count)
            var copy = changed ?? Array(bytes)
            copy.replaceSubrange(value.lowerBound...value.upperBound, with: rest)
            changed = copy
        }
        for key in self.numberKeys { self.removeNumbers(of: &subjects, after: key, in: bytes, &changed) }
        return changed
    }

    private static func removeNumbers(
        of subjects: inout ErasureSubjects,
        after key: [UInt8],
        in bytes: UnsafeRawBufferPointer,
        _ changed: inout [UInt8]?
    ) {
        var start = 0
        while let first = self.position(after: key, in: bytes, from: start) {
            start = first
            let digits = bytes[first...].prefix { $0 == UInt8(ascii: "-") || (48...57).contains($0) }
            guard let mpid = MPID(String(decoding: digits, as: UTF8.self)), subjects.contains(mpid) else { continue }
            var copy = changed ?? Array(bytes)
            for index in digits.indices { copy[index] = UInt8(ascii: index == first ? "0" : " ") }
            changed = copy
        }
    }

    /// The range of the next list, without the quotes around it.
    private static func nextValue(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        guard let first = self.position(after: self.key, in: bytes, from: start),
            let end = bytes[first...].firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        return first..<end
    }

    /// The place after the next key of that name.
    private static func position(
        after key: [UInt8],
        in bytes: UnsafeRawBufferPointer,
        from start: Int
    ) -> Int? {
        var position = start
        // A quote within a text follows a backslash, so these bytes are a key.
        while position + key.count < bytes.count,
            let found = bytes[position..<bytes.count - key.count].firstIndex(of: UInt8(ascii: "\""))
        {
            let first = found + key.count
            if bytes[found..<first].elementsEqual(key) { return first }
            position = found + 1
        }
        return nil
    }
}
