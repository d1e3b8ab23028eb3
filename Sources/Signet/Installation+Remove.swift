// SPDX-License-Identifier: Apache-2.0

extension Installation {
    /// Delivers what waits, then removes everything of this installation: the next open of its id is a first one.
    ///
    /// **Delivered first:** the session is ended, with its end event. An identity call under way is finished. Waiting events,
    /// alias requests, identity syncs and unsent data of services are sent. What another handle logs meanwhile is delivered too.
    ///
    /// **Removed:** the same as by ``reset()``, with the same promises after a crash and a loss of power. Events that wait for a
    /// first user who never came cannot be delivered: they are dropped, as ``DropCause/reset``. Dead letters are removed, counted
    /// in ``SignetStatistics/eventsDiscarded``. Records of an Iterable visitor that wait for a criterion are removed, and counted
    /// as by a reset.
    ///
    /// **Afterwards:** calls of this and other handles throw `closed`, and ``userChanges()`` reports that there is no current
    /// user. The next open makes a new installation with a new device application stamp. Numbers are never used again. It is
    /// counted in ``SignetStatistics/installationsRemoved``.
    ///
    /// Without `run()` nothing is delivered: then only an installation of which nothing waits is removed. A service is asked
    /// before the removal: a call to it from another task at that moment may get `closed` after it has counted.
    ///
    /// **With a shared store** it removes the row, for all replicas. It delivers what this replica holds; events of other replicas
    /// are dropped there, as ``DropCause/installationGone``, see <doc:RemoveInstallations>. After `cancelled` and `outcomeUnknown`
    /// the installation may be gone: call it again to find out.
    ///
    /// To remove without delivery, use ``reset()``. For a person who asks for erasure, use
    /// ``SignetRuntime/eraseUser(_:within:)``. For unused installations, see
    /// ``SignetRuntime/removeInstallations(idleFor:)``.
    ///
    /// - Parameter limit: The time limit of the delivery; 30 s by default. The removal itself looks
    ///   at all keys of the directory: 9 ms where there are 100,000 installations.
    /// - Throws: `uploadPaused` while uploads, or those of a service, pause, with ``SignetError/retryAfter``; `timedOut` if something has no
    ///   answer within the limit, with ``SignetError/eventsLeft``; `cancelled`;
    ///   `notRunning` if something waits without `run()`, and after the end of the runtime. After these the installation stays
    ///   and works, and only its session has ended. `closed`, also if another task removes it. `diskFull`, `diskFailed`: if
    ///   the handle still works, nothing was removed; else the removal stands, and is finished as a ``reset()`` is. With a
    ///   shared store also `storeUnreachable`, `storeBusy`, `storeFailed`, `outcomeUnknown`.
    public func remove(within limit: Duration = .seconds(30)) async throws(SignetError) {
        let deadline = self.core.context.time.uptime + limit
        guard let store = self.core.store.shared else {
            return try await LocalRemoval(of: self.core).remove(until: deadline)
        }
        try await SharedRemoval(of: self.core, in: store, until: deadline).remove()
    }
}
