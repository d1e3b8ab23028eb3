// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Reads a journal's files by what `Sources/SignetJournal/FORMAT.md` says of them, with nothing of Signet.
struct JournalFiles {
    /// Sound frames.
    private(set) var frames = 0
    /// Bytes of the files.
    private(set) var bytes = 0
    /// Bytes of the frames' payloads.
    private(set) var payloadBytes = 0
    /// Places that hold neither a sound frame nor zeros.
    private(set) var damaged = 0
    /// How many files there are.
    private(set) var count = 0

    /// Reads all files below a folder, in order.
    ///
    /// - Parameters:
    ///   - directory: A runtime's.
    ///   - visit: Gets each payload.
    /// - Returns: What was found.
    /// - Throws: What a system call or the runtime says.
    static func read(in directory: String, _ visit: (UnsafeRawBufferPointer) -> Void) throws -> JournalFiles {
        var files = JournalFiles()
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory).filter { $0.hasSuffix(".journal") }
        for path in paths.sorted() {
            let bytes = try FileBytes.read("\(directory)/\(path)")
            bytes.withUnsafeBytes { files.read($0, visit) }
        }
        return files
    }

    private mutating func read(_ file: UnsafeRawBufferPointer, _ visit: (UnsafeRawBufferPointer) -> Void) {
        self.count += 1
        self.bytes += file.count
        guard let salt = Self.salt(file) else {
            self.damaged += 1
            return
        }
        var place = Self.headerSize
        while place < file.count {
            guard let frame = JournalFrame(file, at: place, salt: salt) else {
                // What was reserved and never written is zero up to the end.
                let isUnused = file[place...].allSatisfy { $0 == 0 }
                if !isUnused { self.damaged += 1 }
                return
            }
            self.frames += 1
            self.payloadBytes += frame.payload.count
            visit(UnsafeRawBufferPointer(rebasing: file[frame.payload]))
            place = frame.payload.upperBound
        }
    }

    private static let headerSize = 80

    // The first copy of the header with a sound checksum counts.
    private static func salt(_ file: UnsafeRawBufferPointer) -> UInt32? {
        guard file.count >= Self.headerSize else { return nil }
        for start in [0, 40] {
            let copy = UnsafeRawBufferPointer(rebasing: file[start..<start + 40])
            guard copy[..<8].elementsEqual("SGNT.jrn".utf8),
                copy.loadUnaligned(fromByteOffset: 36, as: UInt32.self).littleEndian
                    == CRC32C.of(UnsafeRawBufferPointer(rebasing: copy[..<36]))
            else { continue }
            return copy.loadUnaligned(fromByteOffset: 12, as: UInt32.self).littleEndian
        }
        return nil
    }
}
