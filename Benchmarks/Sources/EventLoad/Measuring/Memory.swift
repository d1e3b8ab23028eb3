// SPDX-License-Identifier: Apache-2.0

import CFloors
import Glibc

/// What a process keeps in memory.
enum Memory {
    /// Bytes of anonymous memory (`RssAnon`): the heap and the stacks, not what is mapped from files.
    static func anonymous() throws -> Int {
        let status = try FileBytes.read("/proc/self/status")
        return try Self.kilobytes(after: "RssAnon:", in: status) << 10
    }

    /// Bytes that were allocated and not freed, whatever the allocator holds in reserve.
    static func inUse() -> Int {
        floors_memory_in_use()
    }

    /// Gives back what the allocator holds in reserve, so that a run does not live on what the one before it freed.
    static func trim() {
        floors_trim()
    }

    /// The journal's files that are mapped now: how many mappings, and how many of their bytes are in memory.
    static func mappedSegments() throws -> (count: Int, bytes: Int) {
        let text = String(decoding: try FileBytes.read("/proc/self/smaps"), as: UTF8.self)
        var count = 0
        var bytes = 0
        var isSegment = false
        for line in text.split(separator: "\n") {
            // A mapping begins with its addresses, "7f..-7f.. rw-s ... /path"; its figures follow, "Rss:  4 kB".
            if let dash = line.firstIndex(of: "-"), line[..<dash].allSatisfy(\.isHexDigit) {
                isSegment = line.contains(".journal")
                if isSegment { count += 1 }
            } else if isSegment, line.hasPrefix("Rss:") {
                bytes += (Int(line.split(separator: " ")[1]) ?? 0) << 10
            }
        }
        return (count, bytes)
    }

    private static func kilobytes(after name: StaticString, in status: [UInt8]) throws -> Int {
        let place = status.withUnsafeBytes { bytes -> Int? in
            Bytes.find(name, in: bytes, from: 0)
        }
        guard let place else { throw LoadError("/proc/self/status has no \(name)") }
        var value = 0
        for byte in status[(place + name.utf8CodeUnitCount)...] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value * 10 + Int(byte - UInt8(ascii: "0"))
            case UInt8(ascii: " "), UInt8(ascii: "\t"): continue
            default: return value
            }
        }
        return value
    }
}
