//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension Installation {
    /// The person and the installation as Infobip knows them.
    public var infobip: InfobipProfile {
        InfobipProfile(core: self.core)
    }
}

extension SignetRuntime {
    /// Updates of the Infobip profiles of all installations, from now on.
    public func infobipUpdates() -> Updates<InfobipUpdate> {
        Updates(self.services.infobipUpdates, of: nil)
    }

    /// Retries everything that waits for a pause to end, for the Infobip profiles of all installations in memory.
    ///
    /// Call it when the network is back.
    public func retryInfobip() async {
        for manager in self.services.infobip?.managers.all ?? [] { await manager.resume() }
    }
}
