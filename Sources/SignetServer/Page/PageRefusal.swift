// SPDX-License-Identifier: Apache-2.0

#if Tool
/// A refusal of a request to the live page's interface.
struct PageRefusal: Error, Hashable {
    enum Kind: Hashable {
        /// The request is invalid.
        case malformed
        /// The change cannot be stored.
        case storage
    }

    let kind: Kind
    let message: String

    init(_ message: String, kind: Kind = .malformed) {
        self.kind = kind
        self.message = message
    }
}
#endif
