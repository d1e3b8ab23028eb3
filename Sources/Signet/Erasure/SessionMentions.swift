//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

/// Takes users out of what the end of a session says of who was current in it.
///
/// The event is of somebody else and stays. The bytes keep their number: spaces, which mean nothing in JSON, fill what is
/// free, so that neither frames nor batches change their size.
enum SessionMentions {
    private static let key = Array("\"$SessionMPIDs\":\"".utf8)

    /// Changes an event, if it is the end of a session in which one of them was current.
    ///
    /// - Returns: The changed bytes; nil for any other event.
    static func remove(_ subjects: inout ErasureSubjects, fromEvent event: UnsafeRawBufferPointer) -> [UInt8]? {
        guard EventHead.read(event)?.kind == .sessionEnd else { return nil }
        return self.remove(&subjects, from: event)
    }

    /// Changes the events of a batch.
    ///
    /// - Returns: The changed bytes; nil where none of them is named.
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
            // Who came back after one of them only has not been away.
            let kept = others.enumerated().filter { $0 == 0 || !others[$0 - 1].elementsEqual($1) }.map(\.element)
            var rest = Array(kept.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "\"")]
            rest += [UInt8](repeating: UInt8(ascii: " "), count: value.count + 1 - rest.count)
            var copy = changed ?? Array(bytes)
            copy.replaceSubrange(value.lowerBound...value.upperBound, with: rest)
            changed = copy
        }
        return changed
    }

    /// Where the next list is, without the quotes around it.
    private static func nextValue(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        var position = start
        // A quote within a text has a backslash before it, so that these bytes are a key.
        while position + self.key.count < bytes.count,
            let found = bytes[position..<bytes.count - self.key.count].firstIndex(of: UInt8(ascii: "\""))
        {
            let first = found + self.key.count
            if bytes[found..<first].elementsEqual(self.key) {
                guard let end = bytes[first...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
                return first..<end
            }
            position = found + 1
        }
        return nil
    }
}
