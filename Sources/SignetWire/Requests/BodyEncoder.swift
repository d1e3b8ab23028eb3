//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Turns the JSON of an upload into the bytes that travel: the place where compression would go.
///
/// Only the events services get encoded bodies; those of identity are signed as they are.
package struct BodyEncoder: Sendable {
    /// What the `Content-Encoding` header says; nil sends the JSON as it is, without that header.
    package let contentEncoding: String?
    /// Encodes a body, the same for every try of the same body; empty where it cannot, then it travels as it is.
    package let encode: @Sendable ([UInt8]) -> [UInt8]

    package init(contentEncoding: String?, encode: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.contentEncoding = contentEncoding
        self.encode = encode
    }

    /// Leaves everything as it is.
    package static let identity = BodyEncoder(contentEncoding: nil, encode: { $0 })
}
