//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetWire

/// Where the tokens of a visitor's users come from.
///
/// Nil is what a project without tokens needs.
protocol VisitorTokens: Sendable {
    /// Waits for a token.
    ///
    /// - Throws: That there is none, and why; the app is asked again later.
    func token(for user: VisitorIdentity) async throws(SignetError) -> String?

    /// The service has refused a token: waits for another.
    func refused(_ token: String?, _ fault: TokenFault, for user: VisitorIdentity) async throws(SignetError) -> String?

    /// The app gave a token with its call.
    func set(_ token: String?, for user: VisitorIdentity) async throws(SignetError)

    /// The service has taken a request that bore a token.
    func succeeded(with token: String?, for user: VisitorIdentity) async

    /// Nobody is known any more.
    func reset() async
}

/// The tokens of a project that wants none: those that the app gives with a call are sent all the same.
actor GivenTokens: VisitorTokens {
    private var given: [VisitorIdentity: String] = [:]

    func token(for user: VisitorIdentity) async throws(SignetError) -> String? {
        self.given[user]
    }

    func refused(_ token: String?, _ fault: TokenFault, for user: VisitorIdentity) async throws(SignetError) -> String?
    {
        if self.given[user] == token { self.given[user] = nil }
        return self.given[user]
    }

    func set(_ token: String?, for user: VisitorIdentity) async throws(SignetError) {
        self.given[user] = token
    }

    func succeeded(with token: String?, for user: VisitorIdentity) async {}

    func reset() async {
        self.given = [:]
    }
}
