// SPDX-License-Identifier: Apache-2.0

public import SignetModel

extension SignetRuntime {
    /// Erases a user: all of their data in this directory, on all installations, open or not.
    ///
    /// **Order:** a record of the erasure is written and flushed first, without the MPID. From then on no batch with an
    /// event of theirs is made or sent again. If the process dies, the next start finishes the erasure before it sends
    /// or logs anything. When `eraseUser` returns, no file of the directory has a byte of their events, identities and
    /// attributes, or the MPID.
    ///
    /// **Current user:** an installation where the user is current has no user afterwards: ``UserChange/current`` is
    /// nil, and later events belong to the next user. Later data of the user is new: a login that brings them back,
    /// also one in flight, makes a new user. Until this returns, a user who comes back is erased again.
    ///
    /// The identities of the device (push token, advertising ids), the integration attributes and the address are removed
    /// too, unless another user is current: set them again for the next user.
    ///
    /// **Services:** what a service keeps of the user goes, too. Records of a service that this runtime was not given are
    /// removed as a whole, on each installation that knows the user, or where they name the MPID or cannot be read.
    ///
    /// **Not erased:** data of the device (device application stamp, model, user agent) and of the app (installation
    /// ids, details of other users' events). The platform's data, which the platform itself must delete. Bytes in free
    /// blocks of a medium or in a backup.
    ///
    /// **Damage:** everything that is in quarantine as damaged is removed, also the remains of other users' data. Half a
    /// record may hold half an identity whose user is unknown. The services' records of an installation with a damaged
    /// identity record are removed too, because they may be theirs. Look at such files first, if they matter.
    ///
    /// It works with and without `run()`. It reads the whole directory and rewrites part of it, on a thread of the
    /// global pool, never on the caller's executor. Several erasures run one after the other. Another call finishes an
    /// erasure that an error cut short, and so does `run()`, once a minute (``SignetObserver/erasureFailed(_:)``).
    /// After cancellation it finishes all the same, without waiting for answers.
    ///
    /// **Replicas:** with a shared store the user leaves all rows, and each replica that lives erases its own directory within
    /// about a second; ``ErasureReport/replicasLeft`` counts those that had not within `limit`. A replica that is away erases when it
    /// joins again, before it sends anything of the user. If the process dies, its next start goes on, or another replica does after a
    /// minute. It is final only with a synchronous standby: a failover that loses writes loses it.
    ///
    /// - Parameters:
    ///   - mpid: The user's MPID.
    ///   - limit: The time to wait for answers to the user's batches that are on the wire, and for other replicas.
    /// - Returns: The data that was found; see ``ErasureReport/isEmpty``.
    /// - Throws: `diskFull`, `diskFailed`, `newerFormat`: the erasure stands if its record was written, and is finished
    ///   by `run()`, the next call or the next start; `notRunning` after the end of the runtime. With a shared store also
    ///   `outcomeUnknown` if the store is away: the erasure stands, and is finished when the store is back; `storeFailed`,
    ///   `directoryInUse`.
    @discardableResult
    public func eraseUser(
        _ mpid: MPID,
        within limit: Duration = .seconds(10)
    ) async throws(SignetError) -> SignetRuntime.ErasureReport {
        SignetRuntime.ErasureReport(try await self.erasure.erase(mpid, within: limit))
    }
}
