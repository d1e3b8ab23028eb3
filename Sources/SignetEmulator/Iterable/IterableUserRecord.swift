//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// A user of Iterable's API.
struct IterableUserRecord: Sendable {
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
    private(set) var events: [EmulatedIterableEvent] = []
    /// Where events with an id are, and what those without one say: a day of events is not to be gone through for each.
    private var places: [EventID: Int] = [:]
    private var said: Set<EventContent> = []
    var devices: [EmulatedIterableDevice] = []
    var cart: [EmulatedIterableItem] = []
    var mergedFrom: [EmulatedIterableUserID] = []

    private struct EventID: Hashable {
        let kind: EmulatedIterableEvent.Kind
        let id: String
    }

    private struct EventContent: Hashable {
        let kind: EmulatedIterableEvent.Kind
        let json: JSONObject
    }

    init(key: Int, firstSeen: Int64, isResurrected: Bool) {
        self.key = key
        self.firstSeen = firstSeen
        self.isResurrected = isResurrected
    }

    /// What it is called by; the address first.
    var ids: [EmulatedIterableUserID] {
        [self.email.map(EmulatedIterableUserID.email), self.userID.map(EmulatedIterableUserID.userID)].compactMap(
            \.self
        )
    }

    mutating func take(_ event: EmulatedIterableEvent) {
        if event.kind == .cart {
            self.cart = event.items
        }
        if let id = event.eventID, let place = self.places[EventID(kind: event.kind, id: id)] {
            self.events[place] = self.events[place].replaced(by: event)
            return
        }
        var event = event
        event.isRepetition = !self.note(event, at: self.events.count)
        self.events.append(event)
    }

    /// False for an event without an id that says what another said.
    @discardableResult
    private mutating func note(_ event: EmulatedIterableEvent, at place: Int) -> Bool {
        guard let id = event.eventID else {
            return self.said.insert(EventContent(kind: event.kind, json: event.json)).inserted
        }
        // The first that was told: after a merge there may be two.
        if self.places[EventID(kind: event.kind, id: id)] == nil {
            self.places[EventID(kind: event.kind, id: id)] = place
        }
        return true
    }

    mutating func take(_ device: EmulatedIterableDevice) {
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

    /// Forgets the events of requests up to a number.
    mutating func forgetEvents(upTo number: Int) {
        guard self.events.contains(where: { $0.number <= number }) else { return }
        self.events.removeAll { $0.number <= number }
        self.noteAll()
    }

    private mutating func noteAll() {
        self.places = [:]
        self.said = []
        for (place, event) in self.events.enumerated() { self.note(event, at: place) }
    }

    /// Takes over what another user had; what both have stays this one's.
    mutating func absorb(_ source: IterableUserRecord) {
        IterableFields.merge(source.fields, into: &self.fields)
        let name = source.ids.first
        self.events += source.events.map { event in
            var event = event
            event.mergedFrom = event.mergedFrom ?? name
            return event
        }
        self.events.sort { $0.number < $1.number }
        self.noteAll()
        self.devices += source.devices.filter { device in !self.devices.contains { $0.token == device.token } }
        if self.cart.isEmpty {
            self.cart = source.cart
        }
        self.mergedFrom += source.mergedFrom + source.ids
    }
}
