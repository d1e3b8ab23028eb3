// SPDX-License-Identifier: Apache-2.0

/// Writes live frames of files to a new one, in large pieces.
struct SegmentWriter {
    private static let framesAtOnce = 256

    private(set) var log: LogFile

    private var frames = SegmentFrames()

    private let seed: CRC32C

    private var buffer: [UInt8] = []

    init(_ log: LogFile) {
        self.log = log
        self.seed = CRC32C(salt: log.header.salt)
    }

    /// Appends all sound live frames of a file, with checksums of this one.
    ///
    /// - Parameters:
    ///   - reader: Reads the source file.
    ///   - changing: Returns a replacement for a payload, of the same length; nil to keep it.
    /// - Throws: The disk's error.
    mutating func append(
        _ reader: inout SegmentReader,
        _ changing: (UnsafeRawBufferPointer) -> [UInt8]?
    ) throws(StorageError) {
        let source = reader.segment
        var next = 0
        let count = source.frames.index.count
        while next < count {
            let end = min(count, next + Self.framesAtOnce)
            var damaged: [(JournalFrame, UInt64)] = []
            _ = try reader.visit(next..<end, limit: .max) { frame, start, offset in
                if frame.isSound(start, seed: source.seed) {
                    if let changed = changing(frame.payload(start)), changed.count == frame.payloadLength {
                        changed.withUnsafeBytes { self.add(frame, frame.stamp(start), $0) }
                    } else {
                        self.add(frame, frame.stamp(start), frame.payload(start))
                    }
                } else {
                    damaged.append((frame, offset))
                }
            }
            for (frame, offset) in damaged { reader.lose(frame, at: offset) }
            if self.buffer.count >= FileWindow.pieceSize { try self.flush() }
            next = end
        }
    }

    private mutating func add(
        _ frame: JournalFrame,
        _ stamp: UnsafeRawBufferPointer,
        _ payload: UnsafeRawBufferPointer
    ) {
        let offset = self.buffer.count
        self.frames.add(frame, at: self.log.end + UInt64(offset))
        self.buffer.append(contentsOf: repeatElement(0, count: frame.length))
        self.buffer.withUnsafeMutableBytes { buffer in
            guard let place = buffer.baseAddress else { return }
            let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            frame.write(to: place + offset, seed: self.seed, stamp: stamp, payload: payload, nothing)
        }
    }

    private mutating func flush() throws(StorageError) {
        _ = try self.log.append(self.buffer, frames: 0)
        self.buffer.removeAll(keepingCapacity: true)
    }

    /// Flushes the file to the medium, and gives it its name; the folder is not flushed.
    mutating func finish(in folder: Folder) throws(StorageError) -> JournalSegment {
        try self.flush()
        try self.log.flush()
        try self.log.finish(in: folder)
        return JournalSegment(self.log.header, frames: self.frames, end: self.log.end, isFlushed: true)
    }
}
