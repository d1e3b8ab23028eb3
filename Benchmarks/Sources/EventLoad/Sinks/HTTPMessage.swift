// SPDX-License-Identifier: Apache-2.0

/// One HTTP/1.1 message with a known length, read from a socket into a buffer that is used again.
struct HTTPMessage {
    private let socket: Socket
    private var buffer: [UInt8]
    private var filled = 0
    private var headEnd = 0
    private var end = 0

    init(from socket: Socket, room: Int) {
        self.socket = socket
        self.buffer = [UInt8](repeating: 0, count: room)
    }

    /// Waits for the next message; the one before is gone.
    ///
    /// - Returns: False when the other side has ended between two messages.
    mutating func next() throws -> Bool {
        self.buffer.withUnsafeMutableBytes { bytes in
            let rest = bytes[self.end..<self.filled]
            if !rest.isEmpty, self.end > 0 { bytes.copyBytes(from: Array(rest)) }
        }
        self.filled -= self.end
        self.headEnd = 0
        self.end = 0
        while !self.isComplete() {
            if self.filled == self.buffer.count || self.end > self.buffer.count {
                let room = max(self.end, self.buffer.count * 2)
                self.buffer += [UInt8](repeating: 0, count: room - self.buffer.count)
            }
            let count = try self.buffer.withUnsafeMutableBytes {
                try self.socket.receive(UnsafeMutableRawBufferPointer(rebasing: $0[self.filled...]))
            }
            guard count > 0 else {
                guard self.filled == 0 else { throw LoadError("the connection ended in the middle of a message") }
                return false
            }
            self.filled += count
        }
        return true
    }

    private mutating func isComplete() -> Bool {
        if self.headEnd == 0 {
            self.buffer.withUnsafeBytes { bytes in
                let filled = UnsafeRawBufferPointer(rebasing: bytes[..<self.filled])
                guard let end = Bytes.find("\r\n\r\n", in: filled, from: 0) else { return }
                self.headEnd = end + 4
                let head = String(decoding: filled[..<end], as: UTF8.self).lowercased()
                var length = 0
                for line in head.split(separator: "\r\n") where line.hasPrefix("content-length:") {
                    length = Int(line.dropFirst(15).drop { $0 == " " }) ?? 0
                }
                self.end = self.headEnd + length
            }
        }
        return self.headEnd > 0 && self.filled >= self.end
    }

    /// Looks at the first line.
    var firstLine: String {
        String(decoding: self.buffer[..<self.headEnd].prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }

    /// Looks at the body.
    func withBody<Result>(_ look: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try self.buffer.withUnsafeBytes { try look(UnsafeRawBufferPointer(rebasing: $0[self.headEnd..<self.end])) }
    }
}
