// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The address of a project's Iterable service.
struct IterableServer: Sendable, Hashable {
    private let base: String

    private init(base: String) {
        self.base = base
    }

    /// A server of your own, such as an emulator.
    ///
    /// The documented paths follow its address, without `/api`.
    init(_ url: ServerURL) {
        self.base = url.text
    }

    /// The United States data centre, the default for projects.
    static let unitedStates = IterableServer(base: "https://api.iterable.com/api")
    /// The European data centre.
    static let europe = IterableServer(base: "https://api.eu.iterable.com/api")

    /// The absolute URL of a route, without a query.
    func url(for route: IterableRoute) -> String {
        self.base + route.path
    }
}
