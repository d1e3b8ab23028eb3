// SPDX-License-Identifier: Apache-2.0

public import Signet
import SignetModel

extension Installation {
    /// The person and the installation as Infobip knows them.
    public var infobip: InfobipProfile {
        InfobipProfile(installation: self)
    }

    /// Updates of the Infobip profile, from this call on.
    ///
    /// Subscribes at once. Up to 1024 updates wait for the reader; then the oldest are dropped (`Updates.droppedCount`).
    ///
    /// - Throws: `serviceNotConfigured` if the runtime was not given ``InfobipService``.
    public func infobipUpdates() throws(SignetError) -> Updates<InfobipUpdate> {
        try self.updates(self.linked.find(InfobipServices.self, named: "Infobip").changes)
    }
}

extension SignetRuntime {
    /// Updates of the Infobip profiles of all installations, from this call on.
    ///
    /// Subscribes at once. Up to 1024 updates wait for the reader; then the oldest are dropped (`Updates.droppedCount`).
    ///
    /// - Throws: `serviceNotConfigured` if the runtime was not given ``InfobipService``.
    public func infobipUpdates() throws(SignetError) -> Updates<InfobipUpdate> {
        try self.updates(self.linked.find(InfobipServices.self, named: "Infobip").changes)
    }

    /// Retries everything that waits for a pause to end, for the Infobip profiles of all installations in memory.
    ///
    /// Call it when the network is back.
    ///
    /// - Throws: `serviceNotConfigured` if the runtime was not given ``InfobipService``.
    public func retryInfobip() async throws(SignetError) {
        try await self.linked.find(InfobipServices.self, named: "Infobip").resume()
    }
}
