// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetInfobip
import SignetModel

/// One device: an app with a runtime and a directory of its own.
struct Device {
    let name: String
    let profile: InfobipProfile
    /// What the service calls it.
    let id: String

    /// Gets the push token that the operating system would give, and waits until the device is registered.
    ///
    /// - Parameters:
    ///   - name: The word for it in the story.
    ///   - runtime: Its own.
    ///   - token: What push messages reach it by.
    /// - Throws: What the runtime says.
    init(_ name: String, _ runtime: SignetRuntime, pushToken token: Secret) async throws {
        let installation = try await runtime.open("this-device", identify: .none)
        self.name = name
        self.profile = installation.infobip
        try await self.profile.setPushToken(PushToken(token, service: .apns))
        self.id = try await self.profile.registration()
    }

    /// Changes the person.
    @discardableResult
    func save(_ change: (inout InfobipUserChanges) -> Void) async throws -> InfobipSaveResult {
        var changes = InfobipUserChanges()
        change(&changes)
        return try await self.profile.saveUser(changes)
    }

    /// Whom its app shows.
    var shown: String {
        let user = self.profile.user
        let type = user.type.map { "\($0)" } ?? "type unknown"
        return "\(user.externalUserID ?? "no user") (\(type))\(self.profile.installation.isPrimary ? ", primary" : "")"
    }
}
