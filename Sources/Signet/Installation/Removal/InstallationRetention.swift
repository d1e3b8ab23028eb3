// SPDX-License-Identifier: Apache-2.0

/// Removes idle installations of this directory once a day, as ``SignetConfiguration/Installations/retention`` says; see ``FleetRetention``.
actor InstallationRetention {
    private let opening: InstallationOpening
    /// The uptime of the next removal.
    private var next: Duration

    private static let day = Duration.seconds(86_400)
    private static let hour = Duration.seconds(3600)

    /// The first time is within an hour, so that replicas that start together do not work together.
    init(_ opening: InstallationOpening) {
        self.opening = opening
        self.next = opening.context.time.uptime + Self.hour * opening.context.configuration.jitter()
    }

    /// Removes them if it is time; reports an error, and tries again in an hour.
    func tidy() async {
        let context = self.opening.context
        let now = context.time.uptime
        guard context.fleet == nil, let retention = context.configuration.installations.retention, self.next <= now
        else { return }
        self.next = now + Self.day
        do throws(SignetError) {
            _ = try await Self.remove(idleFor: retention, self.opening)
        } catch {
            guard error.code != .cancelled, error.code != .notRunning else { return }
            self.next = now + Self.hour
            context.health.failed(error.code)
            context.observer.corruptionDetected(
                "Idle installations could not be removed. The runtime tries again in an hour: \(error.message)"
            )
        }
    }

    /// Removes installations of this directory, or rows of the shared store.
    static func remove(idleFor time: Duration, _ opening: InstallationOpening) async throws(SignetError) -> Int {
        guard let fleet = opening.context.fleet else {
            return try await IdleInstallations(opening).remove(idleFor: time)
        }
        guard opening.context.lifecycle.acceptsCalls else { throw .notRunning }
        var count = 0
        try await FleetRemoval(fleet: fleet).removeIdle(days: FleetRetention.days(in: time)) { portion in
            opening.context.removed(portion)
            count += portion
        }
        return count
    }
}
