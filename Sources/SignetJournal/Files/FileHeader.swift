// SPDX-License-Identifier: Apache-2.0

/// The first bytes of every file: its kind, its format version, and the salt of its checksums.
///
/// It is written twice, so that one damaged byte does not cost a file. Its layout is the same in all versions, so that
/// a reader recognises files of other versions.
package struct FileHeader: Sendable, Equatable {
    /// The content of a file.
    package enum Kind: String, Sendable, CaseIterable {
        /// Records of a state log, in the order in which they were put.
        case log = "SGNT.log"
        /// The live records of all logs with lower numbers.
        case snapshot = "SGNT.snp"
        /// Frames of a journal.
        case journal = "SGNT.jrn"
        /// Ranges of acknowledged sequences.
        case acknowledgements = "SGNT.ack"
        /// Copies of bytes that were unusable in their own file.
        case aside = "SGNT.asd"
        /// Space held back for a full disk, without content.
        case spare = "SGNT.spr"

        /// The extension of the file's name.
        var suffix: String {
            switch self {
            case .log: "log"
            case .snapshot: "snapshot"
            case .journal: "journal"
            case .acknowledgements: "acks"
            case .aside: "aside"
            case .spare: "spare"
            }
        }

        /// The version that is written.
        package var version: UInt16 {
            switch self {
            case .log, .snapshot: 2
            case .journal, .acknowledgements, .aside, .spare: 1
            }
        }

        /// The versions that can be read.
        var versions: ClosedRange<UInt16> { 1...self.version }
    }

    /// The result of reading the first bytes of a file.
    package enum Reading: Sendable, Equatable {
        /// A header of a version that can be read.
        case known(FileHeader)
        /// A sound header of any other version.
        case other(version: UInt16)
        /// No sound header.
        case unreadable
    }

    /// The length of one copy, in bytes.
    static let copySize = 40

    /// The length of both copies, which is the offset of the first frame.
    package static let size = 2 * copySize

    /// The content of the file.
    package var kind: Kind

    /// The version of its format; frames of a kind that came later go only to a file of the version that is written.
    package var version: UInt16

    /// The salt of each checksum in the file, so that bytes of an earlier file never pass for its own.
    package var salt: UInt32

    /// The file's number, which its name repeats; numbers only grow and are never reused.
    package var number: UInt64

    /// The first sequence that a frame of this file can have.
    package var base: UInt64

    /// The number of sequences, from the base on, that a compacted journal file covers; zero in every other file.
    ///
    /// The file replaces each file with a lower number whose base is in that range.
    package var span: UInt32

    /// True if the file has the version that is written, so that every frame may follow.
    var isCurrent: Bool { self.version == self.kind.version }

    /// The highest sequence assigned before the file was begun.
    var sequenceBefore: UInt64 { self.base == 0 ? 0 : self.base - 1 }

    /// Makes a header of the version that is written.
    package init(kind: Kind, salt: UInt32, number: UInt64, base: UInt64, span: UInt32 = 0) {
        self.kind = kind
        self.version = kind.version
        self.salt = salt
        self.number = number
        self.base = base
        self.span = span
    }

    /// The bytes of both copies.
    package var encoded: [UInt8] {
        var copy = Array(self.kind.rawValue.utf8)
        copy.append(littleEndian: self.version)
        copy.append(littleEndian: UInt16(0))
        copy.append(littleEndian: self.salt)
        copy.append(littleEndian: self.number)
        copy.append(littleEndian: self.base)
        copy.append(littleEndian: self.span)
        var checksum = CRC32C()
        copy.withUnsafeBytes { checksum.update($0) }
        copy.append(littleEndian: checksum.value)
        return copy + copy
    }

    /// Reads the first sound copy.
    ///
    /// - Parameter bytes: The first bytes of a file; fewer than both copies are unreadable, because the file was never
    ///   complete.
    /// - Returns: The header, or the reason why there is none.
    package static func read(_ bytes: [UInt8]) -> Reading {
        guard bytes.count >= self.size else { return .unreadable }
        for start in [0, self.copySize] {
            let reading = bytes[start..<start + self.copySize].withUnsafeBytes { self.readCopy($0) }
            if reading != .unreadable { return reading }
        }
        return .unreadable
    }

    private static func readCopy(_ bytes: UnsafeRawBufferPointer) -> Reading {
        var checksum = CRC32C()
        checksum.update(UnsafeRawBufferPointer(rebasing: bytes[..<36]))
        guard bytes.littleEndian(at: 36, as: UInt32.self) == checksum.value else { return .unreadable }
        guard bytes[..<5].elementsEqual("SGNT.".utf8) else { return .unreadable }
        let version = bytes.littleEndian(at: 8, as: UInt16.self)
        guard let kind = Kind(rawValue: String(decoding: bytes[..<8], as: UTF8.self)) else {
            // A kind that came with a version that this library knows would be known, too.
            return Kind.allCases.contains { version <= $0.version } ? .unreadable : .other(version: version)
        }
        guard kind.versions.contains(version) else { return .other(version: version) }
        var header = FileHeader(
            kind: kind,
            salt: bytes.littleEndian(at: 12, as: UInt32.self),
            number: bytes.littleEndian(at: 16, as: UInt64.self),
            base: bytes.littleEndian(at: 24, as: UInt64.self),
            span: bytes.littleEndian(at: 32, as: UInt32.self)
        )
        guard header.number <= FrameHeader.sequenceLimit, header.base <= FrameHeader.sequenceLimit else {
            return .unreadable
        }
        header.version = version
        return .known(header)
    }
}

/// The name of a numbered file, such as `000000000000002a.log`.
struct FileName: Sendable, Equatable {
    /// The number, 16 hexadecimal digits in the name, so that byte order is number order.
    var number: UInt64

    /// The part after the first dot.
    var suffix: String

    /// The suffix of incomplete files; a start removes them.
    static let unfinished = "tmp"

    init(number: UInt64, suffix: String) {
        self.number = number
        self.suffix = suffix
    }

    /// Reads a name; nil for a name that the store does not use.
    init?(_ name: String) {
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 16, let number = UInt64(parts[0], radix: 16) else { return nil }
        self.number = number
        self.suffix = String(parts[1])
        // One number has one name, without capitals or a sign.
        guard self.text == name else { return nil }
    }

    var text: String {
        let digits = String(self.number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + "." + self.suffix
    }
}

extension [UInt8] {
    /// Appends the bytes of a number, lowest first.
    mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { self.append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    /// Reads a number whose lowest byte comes first.
    func littleEndian<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
        Number(littleEndian: self.loadUnaligned(fromByteOffset: offset, as: type))
    }
}
