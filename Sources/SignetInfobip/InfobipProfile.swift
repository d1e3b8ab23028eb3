// SPDX-License-Identifier: Apache-2.0

public import Signet
import SignetLock
import SignetModel

/// The person and the installation behind an installation, as Infobip knows them.
///
/// Changes are explicit: fields that are not set stay. Changes are stored before they are sent, survive the death of
/// the process, and are sent in order. Data of one person is never sent for another. `SignetRuntime.run()` performs
/// the requests, one at a time for each installation.
///
/// While the installation has opted out, queued events and sessions are dropped, calls are refused, and nothing is sent.
/// Saved changes of the person and the installation wait for the opt-in.
///
/// All calls throw `serviceNotConfigured` if the runtime was not given ``InfobipService``. They throw `invalidArgument`
/// with all broken limits (``InfobipViolations``) before anything is stored or sent. They throw `optedOut`, `closed`,
/// and with no effect `diskFull` and `diskFailed`. After `cancelled`, what was saved is still sent, and so is a change of the
/// person; of any other call, only a request that is on the wire counts.
///
/// Calls that need Infobip also throw `notRunning`, `notRegistered`, `tokenUnavailable`, and the failure of the
/// request. `rejected` carries Infobip's `messageId` and text as `SignetError.errors`. `timedOut`, `notConnected`,
/// `serverFailure` and the like mean that a retry is possible.
public struct InfobipProfile: Sendable {
    let handle: Installation

    init(installation: Installation) {
        self.handle = installation
    }

    /// The person, with all changes saved here.
    ///
    /// It is empty before the first answer and after a depersonalize.
    public var user: InfobipUser {
        self.snapshot?.user ?? InfobipUser()
    }

    /// The installation, with all changes saved here and the app's current values.
    public var installation: InfobipInstallation {
        self.snapshot?.installation ?? InfobipInstallation()
    }

    /// True while a depersonalize or a forced personalize waits for Infobip: persons cannot be fetched until then.
    public var isDepersonalizationPending: Bool {
        self.snapshot?.pending.contains(.depersonalization) ?? false
    }

    /// True while changes saved here have not reached Infobip; those that wait for a person's return do not count.
    public var hasPendingChanges: Bool {
        self.snapshot?.pending.contains(.changes) ?? false
    }

    /// Waits until the installation is registered, which takes a push token.
    ///
    /// It waits as long as there is no push token, or no network. Cancel it to stop waiting.
    ///
    /// - Returns: The registration id that Infobip assigned.
    /// - Throws: `unauthorized`, `rejected` if Infobip rejects the application code or the installation; see
    ///   ``InfobipProfile``.
    public func registration() async throws(SignetError) -> String {
        let manager = try self.manager()
        if let id = self.installation.pushRegistrationID { return id }
        _ = try await manager.perform(.awaitRegistration)
        guard let id = self.installation.pushRegistrationID else { throw .notRegistered }
        return id
    }

    // MARK: - Inside

    func perform(_ call: InfobipCall) async throws(SignetError) -> InfobipSaveResult {
        try await self.manager().perform(call)
    }

    func manager() throws(SignetError) -> InfobipManager {
        let home = self.handle.home
        guard home.isOpen else { throw .closed }
        guard !home.isOptedOut else { throw .optedOut }
        return try self.service().manager(of: home)
    }

    private func service() throws(SignetError) -> InfobipServices {
        try self.handle.linked.find(InfobipServices.self, named: "Infobip")
    }

    private var snapshot: InfobipAdapter.Snapshot? {
        // Without the service there is no profile; every call says so.
        do throws(SignetError) {
            return try self.service().snapshot(of: self.handle.home)
        } catch {
            return nil
        }
    }
}
