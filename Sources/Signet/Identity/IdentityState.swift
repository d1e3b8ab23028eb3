// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// The identity state of an installation, persisted as one record.
struct IdentityState: Sendable, Hashable {
    /// The permanent id of the installation.
    let deviceApplicationStamp: UUID
    /// The installation's short name in the metadata of events; zero before it has one.
    var number: UInt32 = 0
    /// All users of the installation, and the current one.
    var directory: UserDirectory
    /// The value that the platform asked to get back with the next request (IDSync HTTP API, `context`).
    var context: String?
    /// True if the installation has opted out.
    var isOptedOut: Bool
    /// The identify that the runtime owes to events without a user; nil if the app decides.
    var pendingIdentify: PendingIdentify?
    private var rare = Box<Extras>()

    /// Fields that few installations have.
    private struct Extras: DefaultInitializable {
        var devices = DeviceIdentities()
        var attribution: Attribution?
        var integrations = IntegrationAttributes()
        var consent: ConsentState?
        var consentMoment: Int64 = 0
        var optedOutAfter: UInt64?
        var unknown = UnknownFields()
    }

    /// Makes the state of an installation without users.
    ///
    /// - Parameters:
    ///   - deviceApplicationStamp: Its permanent id.
    ///   - now: Milliseconds since 1970.
    init(deviceApplicationStamp: UUID, now: Int64) {
        self.deviceApplicationStamp = deviceApplicationStamp
        self.directory = UserDirectory(createdAt: now)
        self.context = nil
        self.isOptedOut = false
    }

    /// Restores a state.
    init(
        deviceApplicationStamp: UUID,
        number: UInt32 = 0,
        directory: UserDirectory,
        devices: DeviceIdentities,
        context: String?,
        isOptedOut: Bool,
        attribution: Attribution? = nil
    ) {
        self.deviceApplicationStamp = deviceApplicationStamp
        self.number = number
        self.directory = directory
        self.context = context
        self.isOptedOut = isOptedOut
        self.rare.value = Extras(devices: devices, attribution: attribution)
    }

    /// Identities of the device.
    var devices: DeviceIdentities {
        get { self.rare.value.devices }
        set { self.rare.value.devices = newValue }
    }

    /// The source that brought the users to the app; sent in every batch.
    var attribution: Attribution? {
        get { self.rare.value.attribution }
        set { self.rare.value.attribution = newValue }
    }

    /// The attributes for integrations of the platform; sent in every batch.
    var integrations: IntegrationAttributes {
        get { self.rare.value.integrations }
        set { self.rare.value.integrations = newValue }
    }

    /// The consent for all users; see ``SignetConfiguration/Events/UserFacts`` for whether it supersedes their own.
    var consent: ConsentState? {
        get { self.rare.value.consent }
        set { self.rare.value.consent = newValue }
    }

    /// The moment at which the consent for all users was set, in milliseconds since 1970; zero without one.
    ///
    /// A later answer of a user counts more.
    var consentMoment: Int64 {
        get { self.rare.value.consentMoment }
        set { self.rare.value.consentMoment = newValue }
    }

    /// The last event of the journal at the last opt-out; events up to it are not sent.
    var optedOutAfter: UInt64? {
        get { self.rare.value.optedOutAfter }
        set { self.rare.value.optedOutAfter = newValue }
    }

    /// The fields of the record that a newer version wrote.
    var unknown: UnknownFields {
        get { self.rare.value.unknown }
        set { self.rare.value.unknown = newValue }
    }

    /// True if a user is known here, and has a record of their consent, or could have one; ephemeral users have none.
    func mayHaveRecord(of mpid: MPID) -> Bool {
        self.directory.entries[mpid].map { !$0.isEphemeral } ?? false
    }

    /// The identities that identify, login and logout send: the request's, and the device's for types it does not name.
    func knownIdentities(for request: IdentityRequest) -> [IdentityType: String] {
        var known = request.values
        for (type, value) in self.devices.values where !request.identities.keys.contains(type) { known[type] = value }
        known[.deviceApplicationStamp] = self.deviceApplicationStamp.uuidString
        return known
    }

    /// The change of the current user's push token that the platform has not received; nil if none, or without a user.
    var pushTokenChange: (old: String?, new: String?)? {
        guard let user = self.directory.current.flatMap({ self.directory.entries[$0] }) else { return nil }
        let (old, new) = (user.deviceIdentities[.pushToken], self.devices.values[.pushToken])
        return old == new ? nil : (old, new)
    }

    /// Takes the device identities of a request; the app's last value counts, from whichever call.
    mutating func takeDeviceIdentities(from request: IdentityRequest, of mpid: MPID) {
        guard self.speaksOfThisDevice(request, of: mpid) else { return }
        for (type, value) in request.identities where type.isDevice { self.devices.set(value, for: type) }
    }

    /// True if a request for a user is also about this device; a request that names another user is not.
    func speaksOfThisDevice(_ request: IdentityRequest, of mpid: MPID) -> Bool {
        request.mpid == nil || mpid == self.directory.current
    }
}
