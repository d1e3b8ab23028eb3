// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Removes the latest consents of users whom no installation of this directory knows any more.
///
/// Not with their last installation: the user may come back on another browser, and a refusal must outlive the browser
/// it was given on. They stay for as long as an installation that nobody uses.
struct IdleConsents: Sendable {
    private let context: RuntimeContext
    private let consents: UserConsents

    /// The number of records that are read in one piece of the disk's work.
    private static let looked = 512

    init(_ context: RuntimeContext, _ consents: UserConsents) {
        self.context = context
        self.consents = consents
    }

    /// Removes them, piece by piece on the disk's own thread.
    ///
    /// - Parameter time: The time for which the platform got nothing of them.
    /// - Throws: `cancelled`; the error of the disk.
    func remove(idleFor time: Duration) async throws(SignetError) {
        let limit = self.context.time.milliseconds.subtractingReportingOverflow(time.milliseconds).partialValue
        var idle: Set<MPID> = []
        try await self.inPieces(StateKey.consents) { value throws(SignetError) in
            if let consent = UserConsent(value), consent.lastUse < limit { return .user(consent.mpid) }
            return .nobody
        } found: {
            _ = idle.insert($0)
        }
        // Mostly none is.
        guard !idle.isEmpty else { return }
        var isCertain = true
        try await self.inPieces(StateKey.identities) { value throws(SignetError) in
            guard let state = IdentityState(value) else { return .unreadable }
            return .users(state.mentioned)
        } found: {
            _ = idle.remove($0)
        } unreadable: {
            isCertain = false
        }
        // A record that cannot be read may know any of them.
        guard isCertain else { return }
        let left = idle
        try await self.context.disk.performUntilCancelled { () throws(SignetError) in
            for mpid in left.sorted() { try self.consents.remove(mpid, unusedSince: limit) }
        }
    }

    private enum Finding: Sendable {
        case nobody
        case user(MPID)
        case users(Set<MPID>)
        case unreadable
    }

    private func inPieces(
        _ prefix: [UInt8],
        _ look: @escaping @Sendable ([UInt8]) throws(SignetError) -> Finding,
        found: (MPID) -> Void,
        unreadable: () -> Void = {}
    ) async throws(SignetError) {
        let store = self.context.store
        let keys = try await self.context.disk.performUntilCancelled { () throws(SignetError) in
            try store.keys(withPrefix: prefix)
        }
        var rest = keys[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Self.looked)
            rest = rest.dropFirst(Self.looked)
            let findings = try await self.context.disk.performUntilCancelled { () throws(SignetError) in
                var findings: [Finding] = []
                for key in piece {
                    do throws(SignetError) {
                        if let value = try store.value(for: key) { findings.append(try look(value)) }
                    } catch {
                        guard error.isDamage else { throw error }
                        findings.append(.unreadable)
                    }
                }
                return findings
            }
            for finding in findings {
                switch finding {
                case .nobody: break
                case .user(let mpid): found(mpid)
                case .users(let users): users.forEach(found)
                case .unreadable: unreadable()
                }
            }
        }
    }
}
