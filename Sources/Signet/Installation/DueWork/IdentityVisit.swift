// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Identifies an installation whose events wait for a user, as its last open wanted it.
struct IdentityVisit: Sendable {
    let opening: InstallationOpening

    /// Identifies it, unless a user is known by now.
    func perform(_ number: UInt32) async -> DueLane.Outcome {
        do throws(SignetError) {
            guard let core = try await self.opening.wakeAnywhere(number) else { return .nothing }
            let state = core.identityState
            guard state.directory.current == nil, !state.isOptedOut else { return .nothing }
            guard let pending = try self.opening.pendingIdentify(of: number, core) else { return .awaitsApp }
            return DueLane.Outcome(identity: await core.identity.identifyUnknown(pending.call))
        } catch {
            return DueLane.Outcome(failure: error)
        }
    }
}

extension InstallationOpening {
    /// The object of an installation for due work, with what its row says where a store is shared.
    func wakeAnywhere(_ number: UInt32) async throws(SignetError) -> InstallationCore? {
        self.context.fleet == nil ? try self.wake(number) : try await self.wakeShared(number)
    }

    /// The identify that the runtime owes to the events of a number; nil if the app decides.
    fileprivate func pendingIdentify(
        of number: UInt32,
        _ core: InstallationCore
    ) throws(SignetError) -> PendingIdentify? {
        guard self.context.fleet != nil else { return core.identityState.pendingIdentify }
        if let pending = self.context.numbers.pendingIdentify(of: number) { return PendingIdentify(pending) }
        // Logged before the installations of this directory were shared.
        return try self.context.store.value(for: StateKey.identity(core.id)).flatMap { bytes throws(SignetError) in
            try IdentityState(decoding: bytes).pendingIdentify
        }
    }
}

extension DueLane.Outcome {
    /// Reads the outcome of an identify.
    init(identity outcome: IdentityOutcome) {
        switch outcome {
        case .resolved, .modified, .searched: self = .done
        case .failed(let error): self = Self(failure: error)
        }
    }
}
