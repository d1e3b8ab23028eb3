// SPDX-License-Identifier: Apache-2.0

/// The readable rest of a journal's file that a start has set aside: a file without a sound header, or copies of its damaged bytes.
///
/// It reads bytes in memory and changes nothing.
package struct AsideContents: Sendable {
    /// The content of the file.
    package enum Kind: Sendable, Hashable {
        /// A whole file of a journal, which had no sound header or another name.
        case journal
        /// Copies of bytes that could not be used in their own file, which has the rest.
        case copies
    }

    /// Bytes that are no whole frame.
    package struct Damage: Sendable, Equatable {
        /// The place, as an offset in the journal's file.
        package let range: Range<UInt64>
        /// The header and the stamp of the frame whose payload is damaged; nil if they are damaged, too.
        package var frame: Journal.Frame?
    }

    /// The content of the file.
    package let kind: Kind
    /// The frames that are whole, in the order of the file.
    package private(set) var frames: [Journal.Frame] = []
    /// The other bytes, in the order of the file.
    package private(set) var damage: [Damage] = []

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: All bytes of the file.
    ///   - path: The path, for errors.
    ///   - looksWhole: Returns true for a stamp and a payload as the program writes them. Without a header, and without a second frame
    ///     that confirms it, a checksum alone proves too little.
    /// - Throws: `newerFormat` or `olderFormat` for a file of another version.
    package init(
        _ bytes: [UInt8],
        path: String,
        looksWhole: (_ stamp: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        var header: FileHeader?
        switch FileHeader.read(bytes) {
        case .known(let known) where known.kind == .aside:
            self.kind = .copies
            self.readCopies(bytes, salt: known.salt)
            return
        case .known(let known) where known.kind == .journal && known.base > 0: header = known
        case .other(let version): throw StorageError.otherFormat(path, version: version, of: .journal)
        case .known, .unreadable: break
        }
        self.kind = .journal
        let rest = Array(bytes.dropFirst(FileHeader.size))
        let found = header ?? LostHeader(rest, number: 1)?.header ?? Self.header(of: rest, looksWhole)
        guard let found else {
            self.note(0..<bytes.count)
            return
        }
        self.readFrames(rest, found)
    }

    private mutating func readFrames(_ rest: [UInt8], _ header: FileHeader) {
        let seed = CRC32C(salt: header.salt)
        let span = header.span > 0 ? UInt64(header.span) : JournalSegment.longest / UInt64(JournalFrame.size)
        rest.withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress else { return }
            var walk = FrameWalk(
                bytes,
                seed: seed,
                after: header.sequenceBefore,
                upTo: min(JournalFrame.sequenceLimit, header.base + span)
            )
            while true {
                switch walk.next() {
                case .frame(let frame, let place) where frame.isSound(first + place, seed: seed):
                    self.frames.append(frame.content(first + place, withPayload: true))
                case .frame(let frame, let place), .unfinished(let frame, let place):
                    let content = frame.content(first + place, withPayload: false)
                    self.note(place + FileHeader.size..<place + FileHeader.size + frame.length, content)
                case .hole(let range, _), .tail(let range):
                    self.note(range.lowerBound + FileHeader.size..<range.upperBound + FileHeader.size)
                case .end: return
                }
            }
        }
    }

    private mutating func readCopies(_ bytes: [UInt8], salt: UInt32) {
        bytes.withUnsafeBytes { bytes in
            var place = FileHeader.size
            while place + FrameHeader.size <= bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[place...])
                guard let length = FrameHeader(rest)?.length, length <= rest.count,
                    let copy = FrameHeader.sound(UnsafeRawBufferPointer(rebasing: rest[..<length]), salt: salt)
                else { return }
                self.damage.append(Damage(range: copy.sequence..<copy.sequence + UInt64(copy.valueLength)))
                place += length
            }
        }
    }

    private mutating func note(_ range: Range<Int>, _ frame: Journal.Frame? = nil) {
        self.damage.append(Damage(range: UInt64(range.lowerBound)..<UInt64(range.upperBound), frame: frame))
    }

    /// Finds the header by one frame that no other confirms.
    private static func header(
        of rest: [UInt8],
        _ looksWhole: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) -> FileHeader? {
        rest.withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress else { return nil }
            var place = 0
            while place + JournalFrame.size <= bytes.count {
                let (frame, start) = (JournalFrame(first + place), first + place)
                if frame.sequence > 0, frame.sequence <= JournalFrame.sequenceLimit,
                    frame.length <= bytes.count - place,
                    !JournalFrame.isUnfinished(start), looksWhole(frame.stamp(start), frame.payload(start)),
                    let salt = frame.salt(start), salt != 0, frame.isSound(start, seed: CRC32C(salt: salt))
                {
                    return FileHeader(kind: .journal, salt: salt, number: 1, base: frame.sequence)
                }
                place += 1
            }
            return nil
        }
    }
}

extension JournalFrame {
    /// The frame's sequence and stamp, with its payload or without.
    fileprivate func content(_ bytes: UnsafeRawPointer, withPayload: Bool) -> Journal.Frame {
        Journal.Frame(
            sequence: self.sequence,
            stamp: Array(self.stamp(bytes)),
            payload: withPayload ? Array(self.payload(bytes)) : []
        )
    }
}
