// SPDX-License-Identifier: Apache-2.0

public import Signet
public import SignetModel
import SignetWire

extension InfobipProfile {
    /// Fetches the installation from Infobip; unsent local changes stay.
    ///
    /// - Returns: The installation.
    /// - Throws: See ``InfobipProfile``.
    @discardableResult
    public func fetchInstallation() async throws(SignetError) -> InfobipInstallation {
        _ = try await self.perform(.fetchInstallation)
        return self.installation
    }

    /// Changes the installation.
    ///
    /// - Parameter changes: The changes.
    /// - Returns: `done`, or `pending` before there is a registration and when Infobip cannot be reached. Changes
    ///   without effect are not sent.
    /// - Throws: `rejected`: the changes are dropped. `unauthorized`: they are kept and retried. See ``InfobipProfile``.
    @discardableResult
    public func saveInstallation(
        _ changes: InfobipInstallationChanges
    ) async throws(SignetError) -> InfobipSaveResult {
        if let error = SignetError(InfobipLimits.violations(of: changes)) { throw error }
        return try await self.perform(.saveInstallation(changes))
    }

    /// Stores changes of the installation without waiting for Infobip; works without `run()`.
    ///
    /// The changes are stored before this returns, and sent as soon as possible. `Installation.infobipUpdates()` reports the outcome.
    ///
    /// - Parameter changes: The changes.
    /// - Returns: `pending`; `done` for changes without effect.
    /// - Throws: See ``InfobipProfile``.
    @discardableResult
    public func persistInstallation(
        _ changes: InfobipInstallationChanges
    ) async throws(SignetError) -> InfobipSaveResult {
        if let error = SignetError(InfobipLimits.violations(of: changes)) { throw error }
        return try await self.manager().keep(.saveInstallation(changes))
    }

    /// Sets whether the installation receives push messages; takes effect here immediately.
    ///
    /// - Parameter isEnabled: True to receive push messages.
    /// - Returns: As ``saveInstallation(_:)``.
    /// - Throws: As ``saveInstallation(_:)``.
    @discardableResult
    public func setPushRegistrationEnabled(_ isEnabled: Bool) async throws(SignetError) -> InfobipSaveResult {
        var changes = InfobipInstallationChanges()
        changes.isPushRegistrationEnabled = isEnabled
        return try await self.saveInstallation(changes)
    }

    /// Fetches the installations of the person from Infobip.
    ///
    /// - Returns: All installations, including this one.
    /// - Throws: As ``fetchUser()``.
    public func fetchInstallations() async throws(SignetError) -> [InfobipInstallation] {
        try await self.fetchUser().installations
    }

    /// Detaches another installation from the person, as a remote log-out.
    ///
    /// - Parameter registrationID: The registration id of the other installation.
    /// - Returns: The remaining installations.
    /// - Throws: `invalidArgument` for this installation's id; see ``InfobipProfile``. It is not retried.
    @discardableResult
    public func depersonalizeInstallation(
        _ registrationID: String
    ) async throws(SignetError) -> [InfobipInstallation] {
        try Self.check(registrationID)
        guard registrationID != self.installation.pushRegistrationID else {
            throw SignetError(
                .invalidArgument,
                "The registration id is that of this installation. Use depersonalize()."
            )
        }
        _ = try await self.perform(.depersonalizeOther(registrationID))
        return self.user.installations
    }

    /// Makes an installation the person's primary one, or removes that mark without choosing another.
    ///
    /// - Parameters:
    ///   - registrationID: The registration id of this installation or another.
    ///   - isPrimary: True to make it the primary one.
    /// - Returns: The installations. For this one it is kept and retried: the list shows it at once, and
    ///   ``hasPendingChanges`` is true until Infobip has it.
    /// - Throws: See ``InfobipProfile``. For another installation it is not retried.
    @discardableResult
    public func setPrimary(
        _ registrationID: String,
        isPrimary: Bool = true
    ) async throws(SignetError) -> [InfobipInstallation] {
        try Self.check(registrationID)
        if registrationID == self.installation.pushRegistrationID {
            var changes = InfobipInstallationChanges()
            changes.isPrimary = isPrimary
            try await self.saveInstallation(changes)
        } else {
            _ = try await self.perform(.setPrimary(registrationID, isPrimary))
        }
        return self.user.installations
    }

    /// Sets or removes the device's push token; the first token registers the installation.
    ///
    /// The token is on disk before this returns, and sent as soon as possible. A removal is not sent, because there is
    /// no documented way.
    ///
    /// - Parameters:
    ///   - token: The token of the push service; that of APNs is sent in lower case. Nil for none.
    ///   - isRestored: True if this directory came from a backup of another device. A token other than the previous one
    ///     then registers a new installation. The new registration keeps the installation's own id, its device
    ///     application stamp. For a stamp of its own, the device opens an installation of another name.
    /// - Throws: See ``InfobipProfile``.
    public func setPushToken(_ token: PushToken?, isRestored: Bool = false) async throws(SignetError) {
        var value: InfobipPushToken?
        if let token {
            let size = token.token.withExposed { $0.utf8.count }
            guard let service = token.service.infobipName, (1...4096).contains(size) else {
                throw SignetError(
                    .invalidArgument,
                    "A push token must have 1 to 4096 bytes and the service apns, firebase, gcm or hms."
                )
            }
            value = InfobipPushToken(token.token, service: service)
        }
        try await self.manager().setPushToken(value, isRestored: isRestored)
    }

    /// Ends a registration from before a reinstallation of the app, which the app has remembered.
    ///
    /// It is done once, as soon as there is another registration.
    ///
    /// - Parameter registrationID: The former registration id.
    /// - Throws: See ``InfobipProfile``.
    public func expireFormerRegistration(_ registrationID: String) async throws(SignetError) {
        try Self.check(registrationID)
        try await self.manager().expire(registrationID)
    }

    private static func check(_ registrationID: String) throws(SignetError) {
        guard InfobipRoute.isIdentifier(registrationID) else {
            throw SignetError(.invalidArgument, "The registration id is empty or has a character that is not allowed.")
        }
    }
}

extension PushToken.Service {
    /// Infobip's name for the push service; nil for one that it has no name for.
    fileprivate var infobipName: String? {
        switch self {
        case .apns: "APNS"
        case .firebase: "Firebase"
        case .gcm: "GCM"
        case .hms: "HMS"
        case .apnsSandbox: nil
        }
    }
}
