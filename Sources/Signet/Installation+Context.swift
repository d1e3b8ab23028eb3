//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

extension Installation {
    /// Says which device, app and address are behind the installation.
    ///
    /// Events carry what holds when they are logged, as they do their user; those of one batch agree in it. A session that is
    /// over ends under the context before. Every handle of the installation shows the same, also after a restart, until this
    /// or `SignetRuntime.open` says something else.
    ///
    /// Equal contexts of many installations take the room of one. The address is forgotten with the user who is in front of
    /// the installation, see ``SignetRuntime/eraseUser(_:within:)``.
    ///
    /// - Parameter context: nil, and what is nil in it, is as the configuration says.
    /// - Throws: `invalidArgument` for a text that is too long or has control characters, see `InstallationContext`;
    ///   `closed`, `limitReached`, `diskFull`, `diskFailed`. Then nothing was changed.
    public func setContext(_ context: InstallationContext?) throws(SignetError) {
        let context = try (context ?? InstallationContext()).validated()
        let contexts = self.core.services.ownContexts
        let number = try contexts.pin(context)
        defer { contexts.unpin(number) }
        try self.core.setContext(number)
    }
}

extension InstallationContext {
    /// The same, if it can be sent.
    func validated() throws(SignetError) -> InstallationContext {
        if let name = self.violation {
            throw SignetError(
                .invalidArgument,
                "\(name) of a context is too long, has control characters or is out of its range: a text has at most "
                    + "\(Self.textLimit) bytes, a user agent \(Self.userAgentLimit). Leave it out."
            )
        }
        return self
    }
}
