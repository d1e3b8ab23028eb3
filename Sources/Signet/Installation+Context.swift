// SPDX-License-Identifier: Apache-2.0

public import SignetModel

extension Installation {
    /// Sets the device, app and address behind the installation.
    ///
    /// Events carry the context at the time they are logged, as they do their user; those of one batch share it. A
    /// session that is over ends under the previous context. Every handle of the installation shows the same, also
    /// after a restart, until this method or `SignetRuntime.open` changes it. This method makes a new installation durable; the
    /// context of an open waits for its first event, identity answer or setting, which carries it.
    ///
    /// Equal contexts of many installations share storage. The address is removed with the installation's current user,
    /// see ``SignetRuntime/eraseUser(_:within:)``.
    ///
    /// - Parameter context: The context; nil, and each nil field, means the value of the configuration.
    /// - Throws: `invalidArgument` for a text that is too long or has control characters, see `InstallationContext`;
    ///   `closed`, `limitReached`, `diskFull`, `diskFailed`. After an error nothing was changed.
    public func setContext(_ context: InstallationContext?) throws(SignetError) {
        let context = try (context ?? InstallationContext()).validated()
        try self.core.context.ownContexts.whilePinned(context, self.core.setContext)
    }
}
