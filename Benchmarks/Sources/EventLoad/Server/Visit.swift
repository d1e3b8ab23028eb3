// SPDX-License-Identifier: Apache-2.0

/// One request of a browser to the server.
struct Visit: Sendable, Equatable {
    /// The call that follows the page view.
    enum Call: Sendable, Equatable {
        case none
        case login
        case logout
    }

    static let loginShare = 0.05
    static let logoutShare = 0.02

    let visitor: Int
    let page: Int
    let call: Call

    /// Draws a request.
    ///
    /// - Parameters:
    ///   - visitors: The popularity of visitors: some come all the time, most once.
    ///   - pages: The popularity of pages.
    ///   - chance: The source of chance.
    init(of visitors: Zipf, at pages: Zipf, _ chance: inout Chance) {
        self.visitor = visitors.draw(&chance)
        self.page = pages.draw(&chance)
        let share = Double.random(in: 0..<1, using: &chance)
        self.call = share < Self.loginShare ? .login : share < Self.loginShare + Self.logoutShare ? .logout : .none
    }
}
