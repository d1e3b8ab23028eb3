//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetTransport

/// Where Iterable of a project is.
package struct IterableServer: Sendable, Hashable {
    private let base: String

    private init(base: String) {
        self.base = base
    }

    /// A server of one's own, such as an emulator: the documented paths follow its address, without `/api`.
    package init(_ url: ServerURL) {
        self.base = url.text
    }

    /// The data centre that projects are in unless they say otherwise.
    package static let unitedStates = IterableServer(base: "https://api.iterable.com/api")
    /// The European data centre.
    package static let europe = IterableServer(base: "https://api.eu.iterable.com/api")

    /// The absolute URL of a route, without a query.
    package func url(for route: IterableRoute) -> String {
        self.base + route.path
    }
}
