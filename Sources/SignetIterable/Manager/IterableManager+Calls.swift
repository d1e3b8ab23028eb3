// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetLock
import SignetModel
import SignetTransport
import SignetWire

import struct FoundationEssentials.UUID

// The calls of the app.
extension LinkedServiceDriver where Adapter == IterableAdapter {
    private nonisolated var services: IterableServices { self.adapter.services }
    private nonisolated var tokens: IterableTokenManager { self.adapter.tokens }

    /// Sets or revokes the visitor's consent.
    func setConsent(_ isGiven: Bool) async throws(SignetError) {
        if isGiven { try self.refuseOptedOut() }
        await self.prepare()
        let now = self.adapter.context.time.milliseconds
        try await self.perform { ((), $0.setConsent(isGiven, now: now)) }
    }

    /// Continues the pending work.
    func resume() async {
        await self.prepare()
        await self.followOrReport()
    }

    /// Handles the app's return to the foreground: fetches the criteria if that is configured.
    func enterForeground() async {
        guard self.services.configuration.fetchesInForeground, self.machine.wantsCriteria else { return }
        await self.services.criteria.fetch(.foreground)
    }

    private func refuseOptedOut() throws(SignetError) {
        guard self.home.target?.isOptedOut != true else { throw .optedOut }
    }

    /// Keeps a record.
    func record(_ record: IterableRecord) async throws(SignetError) -> IterableTrackResult {
        await self.prepare()
        return try await self.perform { $0.record(record, id: .random()) }
    }

    /// Keeps the push token of the device.
    func setPushToken(_ token: IterablePushToken) async throws(SignetError) -> IterableTrackResult {
        await self.prepare()
        return try await self.perform { $0.setPushToken(token) }
    }

    /// Keeps the app's permission to show notifications on the device.
    func setNotifications(areAllowed: Bool) async throws(SignetError) -> IterableTrackResult {
        await self.prepare()
        return try await self.perform { $0.setNotifications(areAllowed: areAllowed) }
    }

    /// Identifies the user.
    func identify(_ id: IterableUserID, token: String?, _ resolution: IdentityResolution) async throws(SignetError) {
        try self.refuseOptedOut()
        await self.prepare()
        if let token {
            // A logout of another user that is in progress must not remove this token.
            self.state.incoming = id
            defer { self.state.incoming = nil }
            // Before the token is there: a request that is about to be made must not pause it.
            if HeldToken.isUsable(token) { try await self.perform { ((), $0.tokenGiven(to: id)) } }
            try await self.tokens.set(token, for: id.wire)
            self.adjust { $0.tokensMayCome() }
        }
        let (replays, merges) = self.adapter.decided(resolution)
        let mpid = self.home.target?.currentMPID
        try await self.perform { ((), $0.identify(id, replays: replays, merges: merges, mpid: mpid)) }
    }

    /// Logs the user out.
    func logout() async throws(SignetError) {
        await self.prepare()
        let now = self.adapter.context.time.milliseconds / 1000
        try await self.perform { ((), $0.logout(now: now)) }
    }

    /// Changes the user's address.
    ///
    /// - Throws: `noUser` when there is no known user.
    func changeEmail(_ email: String) async throws(SignetError) {
        try self.refuseOptedOut()
        await self.prepare()
        let isKnown = try await self.perform { machine in
            let actions = machine.changeEmail(email)
            return (actions != nil, actions ?? [])
        }
        guard isKnown else { throw .noUser }
    }

    /// Forgets everything, on disk too.
    func forget() async throws(SignetError) {
        self.state.watch = nil
        try await self.perform { ((), $0.forget()) }
        try self.adapter.store.removeAll()
    }

    /// Forgets a user of the installation who is no longer in front of it.
    func forget(_ mpid: MPID) async throws(SignetError) {
        try await self.perform { machine in ((), machine.forget { $0 == mpid }) }
    }

    /// Pauses or resumes the token requests to the app.
    ///
    /// A pause is on disk before it holds, and holds before the first request for a token, too.
    func setTokens(arePaused: Bool) async throws(SignetError) {
        try await self.perform { ((), arePaused ? $0.pauseTokens() : $0.resumeTokens()) }
        guard !arePaused else { return await self.tokens.pause() }
        await self.tokens.resume()
        self.adjust { $0.tokensMayCome() }
        self.work()
    }

    /// Takes over new criteria, or the failure to fetch them.
    func criteriaChanged(_ updates: IterableChange.Kind, _ criteria: Criteria?) async {
        self.state.matching.source = .known(criteria)
        self.state.matching.evaluator = nil
        self.adjust { $0.criteriaArrived() }
        self.adapter.evaluate(self)
        self.adapter.tell(updates, self)
        self.work()
    }

    /// Takes over the logged events.
    func takeMirrored() async {
        await self.followOrReport()
    }

    private func prepare() async {
        await self.adapter.prepareCriteria(self)
    }

    private func followOrReport() async {
        do throws(SignetError) {
            try await self.follow()
        } catch {
            self.reportNotSaved(error)
        }
    }
}
