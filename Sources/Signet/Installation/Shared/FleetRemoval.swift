// SPDX-License-Identifier: Apache-2.0

/// Removes rows of a shared store that were not changed for a time.
struct FleetRemoval: Sendable {
    let fleet: FleetMember

    /// Removes them, in portions, and then the consents of users whom no row mentions that are as old.
    ///
    /// Rows with a session, an identity call under way or events to be logged stay. Each portion stands when it is answered: after an error
    /// the rest is left for the next time.
    ///
    /// - Parameters:
    ///   - days: The full days without a change; more than ``SharedStoreLimits/days`` count as that.
    ///   - tell: Receives the number of rows of a portion.
    /// - Throws: ``SignetError`` of the shared store; `cancelled`. What was told of is gone: then `outcomeUnknown` stands for
    ///   `storeUnreachable` and `storeBusy`, which say that nothing was changed.
    nonisolated(nonsending) func removeIdle(days: Int, telling tell: (Int) -> Void) async throws(SignetError) {
        let (days, limit) = (min(max(0, days), SharedStoreLimits.days), SharedStoreLimits.batch)
        var all = 0
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            let removed: Int
            do throws(SignetError) {
                removed = try await self.fleet.asked(.commits) { store throws(SharedStoreError) in
                    try await store.removeIdle(days: days, limit: limit)
                }
            } catch {
                throw error.after(all)
            }
            all += removed
            if removed > 0 { tell(removed) }
            guard removed == limit else { break }
        }
        do throws(SignetError) { try await self.removeConsents(days: days, limit: limit) } catch {
            throw error.after(all)
        }
    }

    private nonisolated(nonsending) func removeConsents(days: Int, limit: Int) async throws(SignetError) {
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            let removed = try await self.fleet.asked(.commits) { store throws(SharedStoreError) in
                try await store.removeConsents(days: days, limit: limit)
            }
            guard removed == limit else { return }
        }
    }
}

extension SignetError {
    /// The error of a removal that has removed some rows before.
    fileprivate func after(_ count: Int) -> SignetError {
        guard count > 0, self.code == .storeUnreachable || self.code == .storeBusy else { return self }
        return .removed(count, before: self)
    }

    fileprivate static func removed(_ count: Int, before error: SignetError) -> SignetError {
        SignetError(
            .outcomeUnknown,
            "\(count) installations were removed before the shared store went away. Call `removeInstallations(idleFor:)` again for the others.",
            cause: error
        )
    }
}

/// Removes idle rows once a day, as ``SignetConfiguration/Installations/retention`` says.
///
/// Each replica does, at a moment of its own: whichever is first finds them.
struct FleetRetention: Sendable {
    private static let day = Duration.seconds(86_400)
    /// The first time is within this: a replica that is replaced often must come to it.
    private static let first = Duration.seconds(3600)
    /// The time after which it is tried again if the store was away.
    private static let pause = Duration.seconds(600)

    private let removal: FleetRemoval
    private let clock: FleetClock
    private let context: RuntimeContext
    /// The full days without a change.
    let days: Int

    /// Makes the retention of a runtime; nil if it keeps all.
    init?(_ fleet: FleetMember, _ context: RuntimeContext) {
        guard let retention = context.configuration.installations.retention else { return nil }
        (self.removal, self.clock, self.context) = (FleetRemoval(fleet: fleet), fleet.clock, context)
        self.days = Self.days(in: retention)
    }

    /// The least time without a change after which a row may go.
    ///
    /// Other replicas may hold events of it, which the row does not show: they are dropped for their age before. An open is noted once
    /// in 7 days, so a visitor of each day is used within 8.
    static func least(_ configuration: SignetConfiguration) -> Duration {
        max(configuration.uploadLimits.maximumAge + Self.day, Self.day * 8)
    }

    /// The full days of a duration, rounded up: nothing is removed too early.
    static func days(in duration: Duration) -> Int {
        let (seconds, rest) = duration.components
        guard seconds >= 0, rest >= 0 else { return 0 }
        let days = seconds / 86_400
        return Int(clamping: seconds % 86_400 > 0 || rest > 0 ? days + 1 : days)
    }

    /// Works until the task is cancelled.
    ///
    /// - Parameter report: Receives the errors of the store.
    func run(reporting report: (SignetError) async -> Void) async {
        var pause = Self.first * self.context.configuration.jitter()
        var jumps = self.clock.jumps
        while !Task.isCancelled {
            // Cancelled: the runtime ends.
            do { try await self.context.time.sleep(for: pause) } catch { return }
            pause = Self.day
            // A row seems idle to a clock that has just gone ahead: it is looked at a day later.
            guard self.clock.jumps == jumps else {
                jumps = self.clock.jumps
                continue
            }
            do throws(SignetError) {
                try await self.removal.removeIdle(days: self.days) { self.context.removed($0) }
            } catch {
                pause = Self.pause
                await report(error)
            }
        }
    }
}
