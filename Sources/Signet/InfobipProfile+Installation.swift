//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel
import SignetWire

extension InfobipProfile {
    /// Asks the service for the installation; what was saved here and not sent yet stays.
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
    /// - Parameter changes: What is to change.
    /// - Returns: `done`, or `pending` before there is a registration and when the service cannot be reached. What changes
    ///   nothing is not sent.
    /// - Throws: `refused`: then the changes are dropped. `unauthorized`: they are kept and tried again all the same. See
    ///   ``InfobipProfile``.
    @discardableResult
    public func saveInstallation(
        _ changes: InfobipInstallationChanges
    ) async throws(SignetError) -> InfobipSaveResult {
        if let error = SignetError(InfobipLimits.violations(of: changes)) { throw error }
        return try await self.perform(.saveInstallation(changes))
    }

    /// Changes the installation without waiting for the service, also where nobody runs the runtime.
    ///
    /// When this returns, the changes are kept; they are sent as soon as they can be. What becomes of them is told by
    /// ``changes``.
    ///
    /// - Parameter changes: What is to change.
    /// - Returns: `pending`; `done` for what changes nothing.
    /// - Throws: See ``InfobipProfile``.
    @discardableResult
    public func persistInstallation(
        _ changes: InfobipInstallationChanges
    ) async throws(SignetError) -> InfobipSaveResult {
        if let error = SignetError(InfobipLimits.violations(of: changes)) { throw error }
        return try await self.manager().keep(.saveInstallation(changes))
    }

    /// Says whether the installation is to get push messages; counts here at once.
    ///
    /// - Parameter isEnabled: Whether.
    /// - Returns: As ``saveInstallation(_:)``.
    /// - Throws: As ``saveInstallation(_:)``.
    @discardableResult
    public func setPushRegistrationEnabled(_ isEnabled: Bool) async throws(SignetError) -> InfobipSaveResult {
        var changes = InfobipInstallationChanges()
        changes.isPushRegistrationEnabled = isEnabled
        return try await self.saveInstallation(changes)
    }

    /// Asks the service for the installations of the person.
    ///
    /// - Returns: All, this one among them.
    /// - Throws: As ``fetchUser()``.
    public func fetchInstallations() async throws(SignetError) -> [InfobipInstallation] {
        try await self.fetchUser().installations
    }

    /// Makes another installation of the person nobody's, as a remote log-out.
    ///
    /// - Parameter registrationID: Which; not this one.
    /// - Returns: The installations that are left.
    /// - Throws: `invalidArgument` for this one's; see ``InfobipProfile``. It is not tried again.
    @discardableResult
    public func depersonalizeInstallation(
        _ registrationID: String
    ) async throws(SignetError) -> [InfobipInstallation] {
        try Self.check(registrationID)
        guard registrationID != self.installation.pushRegistrationID else {
            throw SignetError(.invalidArgument, "That is this installation: use depersonalize().")
        }
        _ = try await self.perform(.depersonalizeOther(registrationID))
        return self.user.installations
    }

    /// Makes an installation of the person the primary one, or no longer: then nobody takes its place.
    ///
    /// - Parameters:
    ///   - registrationID: Which, this one or another.
    ///   - isPrimary: Whether it is to be.
    /// - Returns: The installations.
    /// - Throws: See ``InfobipProfile``. For another installation it is not tried again.
    @discardableResult
    public func setPrimary(
        _ registrationID: String,
        _ isPrimary: Bool = true
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

    /// The device has a push token, or has none any more: with the first one, the installation is registered.
    ///
    /// When this returns, it is on disk; the service is told as soon as it can be. Taking a token away is not told, for
    /// which there is no documented way.
    ///
    /// - Parameters:
    ///   - token: Of APNS in hexadecimal, which goes in lower case; of the others as they gave it. Nil for none.
    ///   - service: The push service: `APNS`, `GCM`, `Firebase` or `HMS`.
    ///   - isRestored: Whether this directory came from a backup of another device: then a token other than the one before
    ///     registers a new installation. It goes on under the id that it gave itself, which is its device application stamp; a
    ///     device that is to have its own opens an installation of another name.
    /// - Throws: See ``InfobipProfile``.
    public func setPushToken(
        _ token: Secret?,
        service: String = "APNS",
        isRestored: Bool = false
    ) async throws(SignetError) {
        let size = token?.withExposed { $0.utf8.count }
        guard ["APNS", "GCM", "Firebase", "HMS"].contains(service), size.map({ (1...4096).contains($0) }) ?? true else {
            throw SignetError(
                .invalidArgument,
                "A push token has 1 to 4096 bytes, and its service is APNS, GCM, Firebase or HMS."
            )
        }
        let value = token.map { InfobipPushToken($0, service: service) }
        try await self.manager().setPushToken(value, isRestored: isRestored)
    }

    /// Ends a registration that this installation had before it was installed anew, and that the app has remembered: once,
    /// as soon as there is another.
    ///
    /// - Parameter registrationID: Which.
    /// - Throws: See ``InfobipProfile``.
    public func expireFormerRegistration(_ registrationID: String) async throws(SignetError) {
        try Self.check(registrationID)
        try await self.manager().expire(registrationID)
    }

    private static func check(_ registrationID: String) throws(SignetError) {
        guard InfobipRoute.isIdentifier(registrationID) else {
            throw SignetError(.invalidArgument, "A registration id has a character that is not allowed, or is empty.")
        }
    }
}
