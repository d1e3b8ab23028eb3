// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import SignetTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that the command line names.
enum ToolFile {
    /// The maximum number of bytes to read: some files have no end.
    private static let largest = 1 << 26

    /// Reads the bytes.
    ///
    /// - Throws: ``ToolFault`` when it cannot be read, is empty, or is too large.
    static func bytes(_ path: String) throws(ToolFault) -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw ToolFault("\(path): cannot be read") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= Self.largest {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw ToolFault("\(path): cannot be read") }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        guard !bytes.isEmpty else { throw ToolFault("\(path): is empty") }
        guard bytes.count <= Self.largest else { throw ToolFault("\(path): is larger than \(Self.largest >> 20) MiB") }
        return bytes
    }

    /// Reads the file as a JSON document.
    ///
    /// - Throws: ``ToolFault`` when it cannot be read, or is not JSON.
    static func json(_ path: String) throws(ToolFault) -> JSONValue {
        let bytes = try Self.bytes(path)
        do throws(JSONError) {
            return try JSONReader.read(bytes, limits: JSONLimits(bytes: Self.largest, depth: 100, values: 5_000_000))
        } catch {
            throw ToolFault("\(path): \(error)")
        }
    }
}
#endif
