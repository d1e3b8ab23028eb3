// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Lets a service do what it owes an installation that nobody may have opened.
struct ServiceVisit: Sendable {
    /// The pause after a token of an installation was missing: its app may have one later.
    private static let tokenPause = Duration.seconds(300)
    /// The pause after a request that something in between has refused before: less than an hour, as hours with a try
    /// are counted.
    private static let contentPause = Duration.seconds(1_800)

    let opening: InstallationOpening

    private var managers: RuntimeManagers {
        self.opening.managers
    }

    /// Does its work, and waits until that is done or pauses.
    func perform(_ number: UInt32, _ service: IdentitySyncOutcome.Service) async -> DueLane.Outcome {
        guard let service = self.managers.linked.all.first(where: { $0.service == service }) else { return .nothing }
        do throws(SignetError) {
            guard try self.mayHaveWork(number, service), let core = try self.opening.wake(number) else {
                return .nothing
            }
            // The service has a weak reference to it alone.
            defer { withExtendedLifetime(core) {} }
            return DueLane.Outcome(
                visit: try await service.visit(core),
                tokenPause: Self.tokenPause,
                contentPause: Self.contentPause
            )
        } catch {
            // A newer version can read it, or a quarantine has it.
            guard !error.isUnreadable else { return .nothing }
            return DueLane.Outcome(failure: error)
        }
    }

    /// Lets all services follow an opt-out or opt-in whose event is logged, and removes its record.
    ///
    /// The record stays if the disk refuses what follows: the next start does it.
    func followOptOut(_ number: UInt32) async {
        let events = DueOptOutEvents(context: self.opening.context)
        do throws(SignetError) {
            guard let due = try events.due(number), let core = try self.opening.wake(number) else { return }
            var isFollowed = true
            for service in self.managers.linked.all where await !service.followOptOut(of: core) { isFollowed = false }
            if isFollowed { try core.settle(due) }
        } catch {
            guard error.code != .notRunning else { return }
            self.opening.context.health.failed(error.code)
        }
    }

    /// True if the service has records of the installation, or a login to follow.
    private func mayHaveWork(_ number: UInt32, _ service: any LinkedService) throws(SignetError) -> Bool {
        if service.hasRecords(number) { return true }
        guard let id = try self.opening.context.numbers.installation(number) else { return false }
        return self.opening.context.store.contains(StateKey.outbox(id))
    }
}

extension DueLane.Outcome {
    /// Reads the result of a visit.
    fileprivate init(visit: LinkedVisit, tokenPause: Duration, contentPause: Duration) {
        switch visit {
        case .done: self = .done
        case .nothing: self = .nothing
        case .left(.service(let error)): self = .unwell(error, pause: BackOff.asked(error))
        case .left(.token): self = .again(after: tokenPause)
        case .left(.content): self = .again(after: contentPause)
        case .left(.refusal(let error)): self = .refused(error)
        case .notSaved(let error): self = .unwell(error, pause: nil)
        }
    }
}
