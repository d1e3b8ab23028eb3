//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Why criteria or records are not taken.
public struct CriteriaError: Error, Sendable, Hashable {
    /// The kinds of fault.
    public enum Code: String, Sendable, Hashable {
        /// The bytes are not JSON, or more of it than the limits allow.
        case invalidJSON
        /// A member is missing that must be there.
        case missingMember
        /// A value is of another type than belongs there.
        case wrongType
        /// A combinator or a comparator that nobody knows.
        case unknownName
        /// More criteria, nodes, queries or values, or a deeper tree, than the limits allow; or an evaluation that takes
        /// more work than ``CriteriaCheck/workLimit``: then the path is that of the condition at which it ended.
        case limitExceeded
        /// A regular expression breaks the rules of its syntax.
        case invalidPattern
        /// A regular expression uses a construct that is not matched in linear time, or that is not built.
        case unsupportedPattern
    }

    /// What kind of fault.
    public let code: Code
    /// Where, as in `$.criteriaSets[0].searchQuery.combinator`.
    public let path: String
    /// What is wrong and what belongs there, without the values of criteria or records.
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
