// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

extension BatchMaker {
    /// Makes a batch without events, which tells the platform the facts of a user as they are now.
    ///
    /// - Parameters:
    ///   - mpid: The user.
    ///   - user: The facts of the user.
    ///   - number: The number of the installation.
    ///   - installation: The installation.
    ///   - again: The facts that the platform gets again.
    /// - Returns: The batch; nil if the app's `onCreateBatch` drops it, or returns something else for it.
    func correction(
        of mpid: MPID,
        _ user: BatchUser,
        on number: UInt32,
        _ installation: InstallationID,
        again: RepeatedFacts = RepeatedFacts()
    ) -> InFlightBatch? {
        let context = self.context.contexts.context(self.context.contexts.current)
        let facts = BatchFacts(user, self.userFacts, again: again)
        let id = UUID.random()
        let body = BatchBody(
            batchID: id,
            milliseconds: self.context.time.milliseconds,
            environment: context.environment ?? self.context.configuration.environment,
            mpid: mpid,
            deviceApplicationStamp: user.deviceApplicationStamp,
            userAttributes: facts.attributes,
            deletedUserAttributes: facts.removed,
            userIdentities: user.identities,
            consent: facts.consent,
            sdkVersion: ClientInfo.signet.version,
            attribution: user.attribution,
            integrationAttributes: user.integrationAttributes,
            application: context.application,
            device: context.device,
            deviceIdentities: user.deviceIdentities
        ).encoded(events: [])
        func record(_ bytes: [UInt8]) -> BatchRecord {
            BatchRecord(
                id: id,
                installation: number,
                mpid: mpid,
                sequences: SequenceList(),
                events: 0,
                size: bytes.count,
                content: .whole(bytes),
                facts: facts.numbered,
                hash: user.hash(of: mpid, in: facts.numbered, self.userFacts)
            )
        }
        switch self.decide(record(body), installation, body) {
        case .send: return self.held(record(body), body, 0)
        case .drop: return nil
        case .replace(let changed):
            guard Self.isBatch(changed, id, isEmpty: true) else {
                self.context.reportDamage(
                    "onCreateBatch returned no batch without events for one that has none; it was not sent."
                )
                return nil
            }
            return self.held(record(changed), changed, 0)
        }
    }
}

extension BatchUser {
    /// The facts of a user that the platform takes over from a batch, as a hash that is the same in each process.
    ///
    /// - Parameters:
    ///   - mpid: The user.
    ///   - carried: The facts that the batch carries, beside which others may change.
    ///   - scope: All facts, or those that the batch carries.
    /// - Returns: The hash; nil if the batch carries none.
    func hash(
        of mpid: MPID,
        in carried: NumberedFacts,
        _ scope: SignetConfiguration.Events.UserFacts
    ) -> UInt64? {
        var (attributes, consent) = (self.attributes, self.consent ?? self.consentLeftBehind)
        if scope == .changes {
            guard !carried.isEmpty else { return nil }
            attributes = attributes.filter { carried.changes[$0.key] != nil }
            if carried.consent == nil, carried.version == nil { consent = nil }
        }
        let body = BatchBody(
            batchID: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
            milliseconds: 0,
            environment: .production,
            mpid: mpid,
            deviceApplicationStamp: nil,
            userAttributes: attributes,
            consent: consent
        )
        return SHA256.hash(body.encoded(events: [])).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
