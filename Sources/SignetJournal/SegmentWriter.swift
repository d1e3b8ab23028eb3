// SPDX-License-Identifier: Apache-2.0

/// Writes live frames of files to a new one, in large pieces.
struct SegmentWriter {
    private(set) var log: LogFile

    private(set) var segment: JournalSegment

    private var buffer: [UInt8] = []

    init(_ log: LogFile) {
        self.log = log
        self.segment = JournalSegment(log.header, file: nil, end: log.end, capacity: log.end)
    }

    /// Appends all sound live frames of a file, with checksums of this one.
    ///
    /// - Parameters:
    ///   - reader: Reads the source file.
    ///   - changing: Returns a replacement for a payload, of the same length; nil to keep it.
    /// - Throws: The disk's error.
    mutating func append(
        _ reader: inout SegmentReader,
        _ changing: (UnsafeRawBufferPointer) -> [UInt8]? = { _ in nil }
    ) throws(StorageError) {
        let source = reader.segment
        var next = 0
        let count = source.index.count
        while next < count {
            let end = min(count, next + 64 * FrameIndex.stride)
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
        self.buffer.append(contentsOf: repeatElement(0, count: frame.length))
        let seed = self.segment.seed
        self.buffer.withUnsafeMutableBytes { buffer in
            guard let place = buffer.baseAddress else { return }
            let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            frame.write(to: place + offset, seed: seed, stamp: stamp, payload: payload, nothing)
        }
        self.segment.add(frame, at: self.segment.end)
        self.segment.end += UInt64(frame.length)
    }

    private mutating func flush() throws(StorageError) {
        _ = try self.log.append(self.buffer, frames: 0)
        self.buffer.removeAll(keepingCapacity: true)
    }

    /// Flushes the file to the medium, and gives it its name; the folder is not flushed.
    mutating func finish(in folder: Folder) throws(StorageError) {
        try self.flush()
        try self.log.file.sync()
        try self.log.finish(in: folder)
        self.segment.capacity = self.segment.end
        self.segment.flushedEnd = self.segment.end
    }
}
