// SPDX-License-Identifier: Apache-2.0

import Signet

@testable import SignetInfobip

/// Reads the profiles of a folder as `FORMAT.md` has them, and not through the runtime that writes them.
///
/// A log keeps records that were overwritten: of each profile the newest counts.
enum InfobipDiskReader {
    private struct Frame {
        let key: [UInt8]
        let sequence: UInt64
        /// Nil where the key is removed.
        let memory: InfobipMemory?
    }

    static func memories(in folder: DiskFolder) -> [InfobipMemory] {
        var newest: [[UInt8]: Frame] = [:]
        for folder in folder.tree {
            let names = folder.inodes.keys.filter { $0.hasSuffix(".log") || $0.hasSuffix(".snapshot") }
            for name in names.sorted() {
                for frame in self.frames(in: folder.contents(of: name)) {
                    if let known = newest[frame.key], known.sequence > frame.sequence { continue }
                    newest[frame.key] = frame
                }
            }
        }
        return newest.values.compactMap(\.memory)
    }

    private static let head = 24

    /// The letter of services, the number of the installation, the letter of this service.
    private static func isProfile(_ key: ArraySlice<UInt8>) -> Bool {
        key.count == 6 && key.first == UInt8(ascii: "S") && key.last == UInt8(ascii: "q")
    }

    /// The frames of profiles; a loss of power may leave anything between them, so each byte may begin one.
    private static func frames(in bytes: [UInt8]) -> [Frame] {
        func number(_ range: Range<Int>) -> UInt64 {
            bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        var frames: [Frame] = []
        var start = 0
        while let mark = bytes[start...].firstIndex(of: 0xF5), mark + Self.head <= bytes.count {
            start = mark + 1
            let key = mark + Self.head
            let value = key + Int(number(mark + 2..<mark + 4))
            let end = value + Int(number(mark + 4..<mark + 8))
            guard end <= bytes.count, self.isProfile(bytes[key..<value]) else { continue }
            let memory = InfobipMemory(Array(bytes[value..<end]))
            // What cannot be read was not finished.
            guard memory != nil || bytes[mark + 1] == 2 else { continue }
            frames.append(Frame(key: Array(bytes[key..<value]), sequence: number(mark + 8..<mark + 16), memory: memory))
            start = end
        }
        return frames
    }
}
