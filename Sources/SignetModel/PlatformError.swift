// SPDX-License-Identifier: Apache-2.0

/// A reason for which the platform refused a request, in its own words (IDSync HTTP API, `errors[]`).
///
/// Both texts are untrusted: they are cut to 512 characters and freed of control characters before they get here.
/// There is no public list of codes.
public struct PlatformError: Sendable, Hashable {
    /// The platform's code, such as `LOOKUP_ERROR`; empty when it sent none.
    public let code: String

    /// The platform's explanation, for people to read; empty when it sent none.
    public let message: String

    /// Makes an error.
    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}

extension PlatformError: CustomStringConvertible, CustomReflectable {
    /// A mirror with the code only.
    public var customMirror: Mirror {
        Mirror(self, children: ["code": self.code])
    }

    /// The code; the explanation may name people and is left out.
    public var description: String {
        self.code
    }
}
