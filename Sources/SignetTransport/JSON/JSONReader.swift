// SPDX-License-Identifier: Apache-2.0

/// Reads untrusted JSON: strictly RFC 8259, within limits, in linear time.
///
/// It is stricter than Foundation on purpose: no byte order mark, no UTF-16, no trailing comma, no repeated name.
/// Numbers are kept as text, so an identifier beyond 2^53 arrives whole.
package enum JSONReader {
    /// Reads one document.
    ///
    /// - Parameters:
    ///   - bytes: The whole document, UTF-8.
    ///   - limits: The limits on the document.
    /// - Returns: The value.
    /// - Throws: ``JSONError`` with the position of the first fault.
    package static func read(
        _ bytes: [UInt8],
        limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.bytes else {
            throw JSONError(.tooLarge, offset: limits.bytes, "more than \(limits.bytes) bytes")
        }
        return try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) -> JSONValue in
            var parser = JSONParser(buffer, limits: limits)
            return try parser.document()
        }
    }
}
