// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension Installation {
    /// The installation as services see it.
    package var home: any FollowedInstallation { self.core }

    /// The time of the runtime, in milliseconds since 1970.
    package var now: Int64 { self.core.context.time.milliseconds }

    /// Finds the service of a type.
    ///
    /// - Throws: `serviceNotConfigured` if the runtime was not given it.
    package func linkedService<Service: LinkedService>(
        _ type: Service.Type,
        named name: String
    ) throws(SignetError) -> Service {
        try self.core.managers.linked.find(type, named: name)
    }
}

extension SignetRuntime {
    /// Finds the service of a type.
    ///
    /// - Throws: `serviceNotConfigured` if the runtime was not given it.
    package func linkedService<Service: LinkedService>(
        _ type: Service.Type,
        named name: String
    ) throws(SignetError) -> Service {
        try self.managers.linked.find(type, named: name)
    }
}
