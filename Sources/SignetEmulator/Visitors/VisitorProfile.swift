//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// A user of the visitors' interface.
struct VisitorProfile: Sendable {
    /// The place among the users of the project, by when they were made.
    let key: Int
    let firstSeen: Int64
    /// Whether a user of the same name had been merged away before.
    let isResurrected: Bool
    var email: String?
    var userID: String?
    /// Whether a client made it for a visitor it does not know.
    var isUnknown = false
    var fields = JSONObject()
    var events: [EmulatedVisitorEvent] = []
    var devices: [EmulatedDevice] = []
    var cart: [EmulatedItem] = []
    var mergedFrom: [EmulatedVisitorID] = []

    /// What it is called by; the address first.
    var ids: [EmulatedVisitorID] {
        [self.email.map(EmulatedVisitorID.email), self.userID.map(EmulatedVisitorID.userID)].compactMap(\.self)
    }

    mutating func take(_ event: EmulatedVisitorEvent) {
        if event.kind == .cart {
            self.cart = event.items
        }
        if let id = event.eventID,
            let position = self.events.firstIndex(where: { $0.kind == event.kind && $0.eventID == id })
        {
            self.events[position] = self.events[position].replaced(by: event)
            return
        }
        var event = event
        event.isRepetition =
            event.eventID == nil && self.events.contains { $0.kind == event.kind && $0.json == event.json }
        self.events.append(event)
    }

    mutating func take(_ device: EmulatedDevice) {
        guard let position = self.devices.firstIndex(where: { $0.token == device.token }) else {
            self.devices.append(device)
            return
        }
        var device = device
        device.registrations += self.devices[position].registrations
        self.devices[position] = device
    }

    /// False when it has no such token.
    mutating func disable(_ token: String) -> Bool {
        guard let position = self.devices.firstIndex(where: { $0.token == token }) else { return false }
        self.devices[position].isEnabled = false
        return true
    }

    /// Takes over what another user had; what both have stays this one's.
    mutating func absorb(_ source: VisitorProfile) {
        VisitorFields.merge(source.fields, into: &self.fields)
        let name = source.ids.first
        self.events += source.events.map { event in
            var event = event
            event.mergedFrom = event.mergedFrom ?? name
            return event
        }
        self.events.sort { $0.number < $1.number }
        self.devices += source.devices.filter { device in !self.devices.contains { $0.token == device.token } }
        if self.cart.isEmpty {
            self.cart = source.cart
        }
        self.mergedFrom += source.mergedFrom + source.ids
    }
}
