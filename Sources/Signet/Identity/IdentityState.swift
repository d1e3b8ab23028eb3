//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

/// All that an installation remembers of identity: one record on disk.
struct IdentityState: Sendable, Hashable {
    /// The permanent id of the installation.
    let deviceApplicationStamp: UUID
    /// Its short name in the tags of events; zero before it has one.
    var number: UInt32 = 0
    /// Everybody met, and who is current.
    var directory: UserDirectory
    /// What the platform asked to be sent back with the next request (IDSync HTTP API, `context`).
    var context: String?
    /// Whether the installation has opted out.
    var isOptedOut: Bool
    private var rare = Box<Extras>()

    /// What few installations have.
    private struct Extras: DefaultInitializable {
        var devices = DeviceIdentities()
        var attribution: Attribution?
        var consent: ConsentState?
        var optedOutAfter: UInt64?
    }

    /// The state of an installation that has met nobody.
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

    /// What brought its users to the app; in every batch.
    var attribution: Attribution? {
        get { self.rare.value.attribution }
        set { self.rare.value.attribution = newValue }
    }

    /// What holds for all its users, whatever they agreed to; in every batch.
    var consent: ConsentState? {
        get { self.rare.value.consent }
        set { self.rare.value.consent = newValue }
    }

    /// The last event of the journal when it opted out the last time: what it logged until then is not sent.
    var optedOutAfter: UInt64? {
        get { self.rare.value.optedOutAfter }
        set { self.rare.value.optedOutAfter = newValue }
    }

    /// What identify, login and logout send: the request's identities and, where it says nothing, the device's own.
    func knownIdentities(for request: IdentityRequest) -> [IdentityType: String] {
        var known = request.values
        for (type, value) in self.devices.values where !request.identities.keys.contains(type) { known[type] = value }
        known[.deviceApplicationStamp] = self.deviceApplicationStamp.uuidString
        return known
    }

    /// What the platform does not know of the current user's push token yet; nil when it knows, or nobody is current.
    var pushTokenChange: (old: String?, new: String?)? {
        guard let user = self.directory.current.flatMap({ self.directory.entries[$0] }) else { return nil }
        let (old, new) = (user.deviceIdentities[.pushToken], self.devices.values[.pushToken])
        return old == new ? nil : (old, new)
    }

    /// Takes what a request says of the device: the last word of the app counts, whichever way it came.
    mutating func takeDeviceIdentities(from request: IdentityRequest, of mpid: MPID) {
        guard self.speaksOfThisDevice(request, of: mpid) else { return }
        for (type, value) in request.identities where type.isDevice { self.devices.set(value, for: type) }
    }

    /// Whether a request for a user is about this device too: one that names another user is about them alone.
    func speaksOfThisDevice(_ request: IdentityRequest, of mpid: MPID) -> Bool {
        request.mpid == nil || mpid == self.directory.current
    }
}
