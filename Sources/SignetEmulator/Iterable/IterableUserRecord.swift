// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import enum SignetModel.AttributeValue

/// A user of Iterable's API.
struct IterableUserRecord: Sendable, Hashable {
    /// The position among the users of the project, in order of creation.
    let key: Int
    let firstSeen: Int64
    var email: String?
    var userID: String?
    var marks: Marks
    var fields = JSONObject()
    private(set) var events: [EmulatedIterableEvent] = []
    /// The positions of events with an id, and (below) the contents of the others, to find repetitions without a scan.
    private var places: [EventID: Int] = [:]
    private var said: Set<EventContent> = []
    var devices: [EmulatedIterableDevice] = []
    var cart: [EmulatedIterableItem] = []
    var mergedFrom: [EmulatedIterableUserID] = []

    struct Marks: OptionSet, Sendable, Hashable {
        let rawValue: UInt8

        /// A client created it for an unknown visitor.
        static let unknown = Marks(rawValue: 1)
        /// A user of the same name had been merged away before.
        static let resurrected = Marks(rawValue: 2)
    }

    private struct EventID: Hashable {
        let kind: EmulatedIterableEvent.Kind
        let id: String
    }

    private struct EventContent: Hashable {
        let kind: EmulatedIterableEvent.Kind
        let json: JSONObject
    }

    init(key: Int, firstSeen: Int64, _ marks: Marks) {
        self.key = key
        self.firstSeen = firstSeen
        self.marks = marks
    }

    /// Its ids; the address first.
    var ids: [EmulatedIterableUserID] {
        [self.email.map(EmulatedIterableUserID.email), self.userID.map(EmulatedIterableUserID.userID)].compactMap(
            \.self
        )
    }

    mutating func take(_ event: EmulatedIterableEvent) {
        switch event.kind {
        case .cart: self.cart = event.items
        // Documented: a purchase clears the cart of the user.
        case .purchase: self.cart = []
        case .custom: break
        }
        if let id = event.eventID, let place = self.places[EventID(kind: event.kind, id: id)] {
            self.events[place] = self.events[place].replaced(by: event)
            return
        }
        var event = event
        event.isRepetition = !self.note(event, at: self.events.count)
        self.events.append(event)
    }

    /// Records an event; false for one without an id whose content occurred before.
    @discardableResult
    private mutating func note(_ event: EmulatedIterableEvent, at place: Int) -> Bool {
        guard let id = event.eventID else {
            return self.said.insert(EventContent(kind: event.kind, json: event.json)).inserted
        }
        // The first event wins: after a merge there may be two.
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

    /// Disables a token; false when the user does not have it.
    @discardableResult
    mutating func disable(_ token: String) -> Bool {
        guard let position = self.devices.firstIndex(where: { $0.token == token }) else { return false }
        self.devices[position].isEnabled = false
        return true
    }

    /// Deletes the events of requests up to a number.
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

    /// Merges another user into this one, whose own values win.
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

/// A change of the fields of a user.
enum IterableFieldsChange: Sendable, Hashable {
    /// Each new value replaces the old one.
    case replacing(JSONObject)
    /// `mergeNestedObjects`: the members of a new object are merged one by one into an existing object.
    ///
    /// Only top-level objects are merged, as documented.
    case merging(JSONObject)

    /// Reads the flag and the fields of a body.
    init(_ members: ObjectReader) throws(Refusal) {
        let mergesNested = try members.flag("mergeNestedObjects") ?? false
        let fields = try members.object("dataFields") ?? JSONObject()
        self = mergesNested ? .merging(fields) : .replacing(fields)
    }

    /// Reads those of `user` of a purchase or a cart, which change the user as `users/update` does.
    init(ofUser members: ObjectReader) throws(Refusal) {
        try self.init(members.commerceUser())
    }

    func apply(to fields: inout JSONObject) {
        switch self {
        case .replacing(let changes):
            for (key, value) in changes { fields[key] = value }
        case .merging(let changes):
            for (key, value) in changes {
                guard var object = fields[key]?.object, let members = value.object else {
                    fields[key] = value
                    continue
                }
                for (name, member) in members {
                    object[name] = member
                }
                fields[key] = .object(object)
            }
        }
    }
}

/// The app-defined fields of users and events: `dataFields`.
enum IterableFields {
    // Bookkeeping that the vendor's clients keep with a stored record and send by mistake.
    private static let notes = ["eventType", "eventTimeStamp"]

    static func singleValues(of fields: JSONObject) -> [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        for (key, value) in fields {
            values[key] = AttributeValue(value)
        }
        return values
    }

    static func text(of fields: JSONObject) -> String {
        String(decoding: JSONValue.object(fields).encoded(), as: UTF8.self)
    }

    static func bookkeeping(in object: JSONObject) -> [String] {
        self.notes.filter { object[$0] != nil }
    }

    /// Merges another user's fields into a user's: its own values win, and objects are not combined.
    static func merge(_ source: JSONObject, into destination: inout JSONObject) {
        for (key, value) in source where destination[key] == nil {
            destination[key] = value
        }
    }
}
