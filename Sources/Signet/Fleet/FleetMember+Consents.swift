// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

// The latest consents of users, which all installations share.
extension FleetMember {
    /// The number of times that a write without an answer is sent.
    private static let writingLimit = 3

    /// Reads the consent of a user; nil if there is none.
    nonisolated(nonsending) func consent(of mpid: MPID) async throws(SignetError) -> SharedConsent? {
        try await self.looked { store throws(SharedStoreError) in try await store.consents(of: [mpid]) }.first
    }

    /// Writes the consent of a user; again with the same tag if the answer is lost.
    ///
    /// - Parameters:
    ///   - consent: The consent, with a new tag.
    ///   - tag: The tag of the one that was read; nil if there was none.
    /// - Returns: The outcome.
    /// - Throws: ``SignetError``: `outcomeUnknown` if no answer says it.
    nonisolated(nonsending) func write(
        _ consent: SharedConsent,
        replacing tag: UUID?
    ) async throws(SignetError) -> SharedConsent.Outcome {
        var isDoubtful = false
        for _ in 1..<Self.writingLimit {
            do throws(SharedStoreError) {
                return try await self.ask(.commits, evidence: { $0 == .written ? .works : .reached }) {
                    store throws(SharedStoreError) in
                    try await store.write(consent, replacing: tag)
                }.value
            } catch {
                // After a write without an answer no other error says that nothing was changed.
                guard error.code == .outcomeUnknown else {
                    throw isDoubtful ? .storeOutcomeUnknown : SignetError(error)
                }
                isDoubtful = true
            }
        }
        do throws(SignetError) {
            return try await self.asked(.commits) { store throws(SharedStoreError) in
                try await store.write(consent, replacing: tag)
            }
        } catch {
            throw isDoubtful ? .storeOutcomeUnknown : error
        }
    }

    /// Removes the consent of a user.
    ///
    /// - Throws: ``SignetError``; the call may be repeated.
    nonisolated(nonsending) func removeConsent(of mpid: MPID) async throws(SignetError) {
        do throws(SharedStoreError) {
            try self.checkClaim()
            try await self.store.removeConsent(of: mpid)
        } catch {
            throw SignetError(error)
        }
    }
}
