// SPDX-License-Identifier: Apache-2.0

public import SignetModel

/// The result of a search.
public enum SearchResult: Sendable, Hashable {
    /// The platform knows the user; nothing was changed.
    case found(Match)
    /// The platform knows no user with these identities.
    case notFound

    /// The user that a search found.
    public struct Match: Sendable, Hashable {
        /// The user's MPID.
        public let mpid: MPID
        /// True if the user is a known one.
        public let isLoggedIn: Bool
        /// The identities of the request that matched.
        public let matchedIdentities: [IdentityType: String]
    }
}

extension SearchResult.Match: CustomStringConvertible, CustomReflectable {
    /// The user and the matched identity types, without values.
    public var description: String {
        let matched = self.matchedIdentities.keys.sorted().map(\.wireName).joined(separator: ", ")
        return "Match(\(self.mpid), \(self.isLoggedIn ? "known" : "anonymous"), matched: [\(matched)])"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["match": self.description])
    }
}
