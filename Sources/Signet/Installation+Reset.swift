// SPDX-License-Identifier: Apache-2.0

extension Installation {
    /// Removes everything of this installation, as the vendor's SDKs do with `reset`: the next open of its id is a
    /// first one.
    ///
    /// **Removed:** users with their identities, attributes and consent; the session, without an end; the opt-out. The
    /// device application stamp, device identities, integration attributes and attribution; launches, timed events and
    /// breadcrumbs. Every waiting event, counted as ``DropCause/reset``; batches in flight and dead letters; alias requests
    /// and identity syncs. The records of all services with their unsent data, also of services that this runtime was not
    /// given.
    ///
    /// **Kept:** all of the other installations; the platform's data, which the platform itself must delete. A request
    /// on the wire may still be accepted; its answer changes nothing.
    ///
    /// **Order:** a record of the reset is written first. From then on the reset stands: calls of this and other
    /// handles throw `closed`, waiting callers get `closed`, ``userChanges()`` reports that there is no current user,
    /// and no waiting event is sent. Then everything is removed. If the process dies half way, the installation is
    /// reset: the next start finishes before it sends or opens anything. The reset survives a loss of power before this
    /// returns.
    ///
    /// It is not an erasure: removed bytes stay in files until compaction. If a user asks for erasure, call
    /// `SignetRuntime.eraseUser(_:within:)` first. To deliver waiting events first, use
    /// `SignetRuntime.upload(within:)`.
    ///
    /// It works with and without `run()`. It reads all waiting events, so its duration depends on the disk.
    ///
    /// - Throws: `closed`, `notRunning` after the end of the runtime, `diskFull`, `diskFailed`. If the handle still
    ///   works after an error, nothing was changed. If it is closed, the reset stands, and is finished by `run()`
    ///   within a minute, or by the next start; an open meanwhile finds none of the previous data.
    public func reset() async throws(SignetError) {
        guard self.core.store.shared == nil else { throw .notShared("reset()") }
        try await LocalRemoval(of: self.core).reset()
    }
}
