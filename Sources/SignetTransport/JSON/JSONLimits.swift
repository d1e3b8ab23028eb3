// SPDX-License-Identifier: Apache-2.0

/// Limits on JSON from outside.
package struct JSONLimits: Sendable, Hashable {
    /// The deepest nesting that any reader accepts; each level costs stack.
    package static let maximumDepth = 512

    /// The maximum length of a document, in bytes.
    package var bytes: Int
    /// The maximum nesting of arrays and objects; values above ``maximumDepth`` count as that.
    package var depth: Int
    /// The maximum number of values in a document, counting arrays and objects themselves but not member names.
    package var values: Int

    /// Makes limits.
    package init(bytes: Int = 1 << 20, depth: Int = 32, values: Int = 100_000) {
        self.bytes = bytes
        self.depth = depth
        self.values = values
    }
}
