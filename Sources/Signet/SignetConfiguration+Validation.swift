// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import SignetWire

extension SignetConfiguration {
    /// Checks all settings, before anything is touched, and makes the directory absolute.
    ///
    /// - Parameters:
    ///   - services: The services of the runtime.
    ///   - surroundings: What a path is relative to.
    /// - Throws: `invalidConfiguration` with all problems.
    mutating func validate(
        with services: [ServiceDefinition] = [],
        in surroundings: DirectoryPath.Surroundings = .current
    ) throws(SignetError) {
        var problems: [String] = []
        if self.apiKey.isEmpty { problems.append("apiKey is empty: use the key of your workspace's input") }
        if self.secret.isEmpty {
            problems.append(
                self.authentication == .keyOnly
                    ? "secret is empty: use the secret of the key; events need it even with keyOnly"
                    : "secret is empty: use the secret of the key"
            )
        }
        // Each request would be refused with 401.
        if let fault = self.secret.textFault { problems.append("secret \(fault.advice)") }
        if let problem = self.settleDirectory(in: surroundings) { problems.append(problem) }
        if self.sessions.timeout < .seconds(1) { problems.append("sessions.timeout is below 1 s") }
        if self.identity.requestTimeout < .seconds(1) { problems.append("identity.requestTimeout is below 1 s") }
        if self.identity.maximumInFlight < 1 { problems.append("identity.maximumInFlight is below 1") }
        if !(self.identity.automaticPerSecond > 0) || !self.identity.automaticPerSecond.isFinite {
            problems.append("identity.automaticPerSecond is not above 0")
        }
        if self.shutdownLimit < .zero { problems.append("shutdownLimit is negative") }
        if let consent = self.defaultConsent {
            do throws(SignetError) {
                _ = try consent.checked(now: 0)
            } catch {
                problems.append("defaultConsent is invalid: \(error.message)")
            }
        }
        if self.fleet != nil { problems += self.fleetProblems(services) }
        problems += self.endpointProblems
        problems += self.events.problems
        problems += self.installations.problems
        problems += services.flatMap(\.problems)
        for (index, definition) in services.enumerated()
        where services[..<index].contains(where: { $0.tag == definition.tag }) {
            problems.append("the service \(definition.service) is listed twice: list it once")
        }
        guard problems.isEmpty else {
            throw SignetError(
                .invalidConfiguration,
                problems.joined(separator: "; ") + ".",
                remedy: Remedy.settings
            )
        }
    }

    /// What installations in a shared store cannot have yet.
    private func fleetProblems(_ services: [ServiceDefinition]) -> [String] {
        var problems: [String] = []
        if !services.isEmpty {
            problems.append("services do not work with a shared store yet: use one without the other")
        }
        if self.sessions.mode == .application {
            problems.append("sessions.mode is .application: with a shared store use .server")
        }
        if self.sessions.reportsApplicationState == true {
            problems.append("sessions.reportsApplicationState is for apps: with a shared store leave it nil")
        }
        if self.sessions.timeout < .seconds(10) {
            problems.append("sessions.timeout is below 10 s, the least with a shared store")
        }
        if let limit = self.fleet?.maximumStaleness, limit < .seconds(3) {
            problems.append("fleet.maximumStaleness is below 3 s: handles that log are read again once a second")
        }
        let least = FleetRetention.least(self)
        if let retention = self.installations.retention, retention < least {
            problems.append(
                "installations.retention is below \(FleetRetention.days(in: least)) days: with a shared store use at least 8 days and "
                    + "events.storage.maximumAge with a day more, or nil; other replicas hold events that long"
            )
        }
        return problems
    }
}
