// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Sends the facts of an installation that the platform lacks: a consent, or the push token of its user.
struct FactsVisit: Sendable {
    let opening: InstallationOpening

    /// Sends them, unless the platform has them by now.
    func perform(_ number: UInt32) async -> DueLane.Outcome {
        let outcome = await self.visit(number)
        switch outcome {
        case .done, .nothing, .awaitsApp: self.opening.context.dueWork.letGo(of: number)
        case .again, .unwell, .refused, .crowded: break
        }
        return outcome
    }

    private func visit(_ number: UInt32) async -> DueLane.Outcome {
        do throws(SignetError) {
            try self.clearMarkOfDirectory(number)
            guard let core = try await self.opening.wakeAnywhere(number) else { return .nothing }
            switch await core.sendDueFacts() {
            case .nothing:
                try core.clearMark()
                return .nothing
            case .done: return .done
            case .again(let deadline): return .again(after: max(.zero, deadline - core.context.time.uptime))
            case .unwell(let error): return DueLane.Outcome(failure: error)
            }
        } catch {
            return DueLane.Outcome(failure: error)
        }
    }

    /// Clears the mark that an installation got before it was shared: since its import the row says what the platform lacks.
    private func clearMarkOfDirectory(_ number: UInt32) throws(SignetError) {
        let (context, store) = (self.opening.context, self.opening.context.store)
        guard context.fleet != nil, let id = try context.numbers.installation(number) else { return }
        let key = StateKey.identity(id)
        guard store.isDue(key), let bytes = try store.value(for: key) else { return }
        try store.put(bytes, for: key, isDue: false)
    }
}

extension InstallationCore {
    /// Writes the users again if their record is marked without a reason.
    fileprivate func clearMark() throws(SignetError) {
        guard self.store.shared == nil, self.context.store.isDue(StateKey.identity(self.id)),
            !self.identityState.owesFacts
        else { return }
        try self.transact { machine, transaction in machine.saveIdentity(&transaction) }
    }
}
