// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The services that follow the installations of a runtime, in the order in which they were given.
package struct LinkedServices: Sendable {
    let all: [any LinkedService]
    let stored: StoredServices

    /// Makes the services.
    init(_ stored: StoredServices, _ context: LinkedServiceContext) throws(SignetError) {
        var all: [any LinkedService] = []
        for definition in stored.definitions { all.append(try definition.make(context)) }
        (self.all, self.stored) = (all, stored)
    }

    /// Passes a logged event on to the services that take events; one that is not uploaded stays local.
    func follow(_ event: Event, of home: any FollowedInstallation) {
        guard event.isUploaded else { return }
        for service in self.all where service.forwardsEvents { service.follow(event, of: home) }
    }

    /// Removes the managers of an installation from memory, and stops their writes.
    @discardableResult
    func retire(_ id: InstallationID) -> [any LinkedManager] {
        let managers = self.all.compactMap { $0.removeManager(of: id) }
        for manager in managers { manager.retire() }
        return managers
    }

    /// Finds the service of a type.
    ///
    /// - Throws: `serviceNotConfigured` if the runtime was not given it.
    package func find<Service: LinkedService>(_ type: Service.Type, named name: String) throws(SignetError) -> Service {
        for case let service as Service in self.all { return service }
        throw SignetError(
            .serviceNotConfigured,
            "The runtime has no \(name): add `\(name)Service(…)` to the services of `SignetRuntime`."
        )
    }
}
