// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension Installation {
    /// The installation as services see it.
    package var home: any FollowedInstallation { self.core }

    /// The time of the runtime, in milliseconds since 1970.
    package var now: Int64 { self.core.context.time.milliseconds }

    /// The services of the runtime.
    package var linked: LinkedServices { self.core.managers.linked }

    /// Subscribes to updates of this installation.
    package func updates<Element>(_ broadcast: Broadcast<Element>) -> Updates<Element> {
        Updates(broadcast, of: self.id, unfinished: self.core.context.unfinishedReaders)
    }
}

extension SignetRuntime {
    /// The services of the runtime.
    package var linked: LinkedServices { self.managers.linked }

    /// Subscribes to updates of all installations.
    package func updates<Element>(_ broadcast: Broadcast<Element>) -> Updates<Element> {
        Updates(broadcast, of: nil, unfinished: self.context.unfinishedReaders)
    }
}
