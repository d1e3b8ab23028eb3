// SPDX-License-Identifier: Apache-2.0

/// Encodes the JSON of an upload for sending, such as by compression.
///
/// Only the events services get encoded bodies; those of identity are signed unchanged.
package struct BodyEncoder: Sendable {
    /// The value of the `Content-Encoding` header; nil sends the JSON unchanged, without that header.
    package let contentEncoding: String?
    /// Encodes a body, the same for every try of the same body; returns no bytes on failure, and the body is sent unchanged.
    package let encode: @Sendable ([UInt8]) -> [UInt8]

    package init(contentEncoding: String?, encode: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.contentEncoding = contentEncoding
        self.encode = encode
    }

    /// Sends every body unchanged.
    package static let identity = BodyEncoder(contentEncoding: nil, encode: { $0 })
}
