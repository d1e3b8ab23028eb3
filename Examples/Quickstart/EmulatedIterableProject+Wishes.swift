// SPDX-License-Identifier: Apache-2.0

/// What the apps did, counted where they did it.
import SignetEmulator

extension EmulatedIterableProject {
    /// A project that wants to know who wishes for something, and a token for whatever is said of somebody.
    static let wishes = EmulatedIterableProject(
        requiresTokens: true,
        criteria: """
            {"count":1,"criteriaSets":[{"criteriaId":"1","name":"wishes","createdAt":1,"updatedAt":1,"searchQuery":\
            {"combinator":"And","searchQueries":[{"combinator":"And","searchQueries":[{"dataType":"customEvent",\
            "searchCombo":{"combinator":"And","searchQueries":[{"dataType":"customEvent","field":"eventName",\
            "comparatorType":"Equals","value":"Add to wishlist","fieldType":"string"}]}}]}]}}]}
            """
    )
}
