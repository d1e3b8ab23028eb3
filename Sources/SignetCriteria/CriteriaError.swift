// SPDX-License-Identifier: Apache-2.0

/// A fault in criteria or records.
public struct CriteriaError: Error, Sendable, Hashable {
    /// The kinds of fault.
    public enum Code: String, Sendable, Hashable {
        /// The bytes are not JSON, or exceed the limits on JSON.
        case invalidJSON
        /// A required member is missing.
        case missingMember
        /// A value has the wrong type for its place.
        case wrongType
        /// A combinator or a comparator is unknown.
        case unknownName
        /// The document or the evaluation exceeds a limit.
        ///
        /// Either the document has more criteria, nodes, queries or values, or a deeper tree, than the limits allow. Or
        /// an evaluation takes more work than ``CriteriaCheck/workLimit``; then the path is that of the condition at
        /// which it ended.
        case limitExceeded
        /// A regular expression breaks the rules of its syntax.
        case invalidPattern
        /// A regular expression uses a construct that is not implemented, or not matched in linear time.
        case unsupportedPattern
    }

    /// The kind of fault.
    public let code: Code
    /// The place of the fault, as in `$.criteriaSets[0].searchQuery.combinator`.
    public let path: String
    /// The fault and the expected value, without the values of criteria or records.
    public let message: String

    /// Makes an error.
    package init(_ code: Code, at path: String, _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }
}

extension CriteriaError: CustomStringConvertible {
    /// The place, the code and the message.
    public var description: String {
        "\(self.path): \(self.code.rawValue): \(self.message)"
    }
}
