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
    /// - Returns: The batch; nil if the app's `onCreateBatch` drops it, or returns something else for it.
    func correction(
        of mpid: MPID,
        _ user: BatchUser,
        on number: UInt32,
        _ installation: InstallationID
    ) -> InFlightBatch? {
        let context = self.context.contexts.context(self.context.contexts.current)
        let removals = Self.removals(user.removals)
        let id = UUID.random()
        let body = BatchBody(
            batchID: id,
            milliseconds: self.context.time.milliseconds,
            environment: context.environment ?? self.context.configuration.environment,
            mpid: mpid,
            deviceApplicationStamp: user.deviceApplicationStamp,
            userAttributes: user.attributes,
            deletedUserAttributes: removals.keys,
            userIdentities: user.identities,
            consent: user.consent ?? user.departedConsent,
            sdkVersion: ClientInfo.signet.version,
            attribution: user.attribution,
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
                removals: removals.last,
                consent: user.unsentConsent ?? 0,
                facts: user.facts(of: mpid)
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
    func facts(of mpid: MPID) -> UInt64 {
        let body = BatchBody(
            batchID: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
            milliseconds: 0,
            environment: .production,
            mpid: mpid,
            deviceApplicationStamp: nil,
            userAttributes: self.attributes,
            consent: self.consent ?? self.departedConsent
        )
        return SHA256.hash(body.encoded(events: [])).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
