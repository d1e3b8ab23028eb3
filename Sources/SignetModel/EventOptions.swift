// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date

/// Properties that few events have.
package struct EventOptions: Sendable, Hashable {
    /// The options of an event that sets none.
    package static let none = EventOptions()

    /// Texts for the receivers of the event, apart from its attributes.
    package var customFlags: [String: String] = [:]
    /// The category of the event; sent as the attribute `$Category`.
    package var category: String?
    /// The place of the event.
    package var location: Location?
    /// The change of the user's lifetime value.
    package var lifetimeValueChange: LifetimeValueChange?
    /// The exemptions of the event from the rules for all events.
    package var exemptions: Exemptions = []
    /// The purpose of a screen (`activity_type`).
    package var activityType: String?
    /// The start and the duration of the event.
    package var timing: Event.Timing?
    /// The app's own time of the event.
    package var occurredAt: Date?

    /// The rules that do not hold for an event.
    package struct Exemptions: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The event begins no session.
        package static let session = Exemptions(rawValue: 1)
        /// The event is not delivered.
        package static let upload = Exemptions(rawValue: 2)

        mutating func set(_ exemption: Exemptions, to isExempt: Bool) {
            if isExempt { self.insert(exemption) } else { self.remove(exemption) }
        }
    }

    /// True when no option is sent among the details: those that are set concern the installation, or the event's head.
    package var isSilent: Bool {
        self.customFlags.isEmpty && self.category == nil && self.location == nil && self.lifetimeValueChange == nil
            && self.activityType == nil && self.timing == nil
    }
}

extension Event {
    /// Options out of line: events are made, copied and passed on a million times a second, and few have options.
    package indirect enum BoxedOptions: Sendable, Hashable {
        case options(EventOptions)
    }

    /// The options, which few events have.
    package var options: EventOptions {
        get {
            guard case .options(let options) = self.boxedOptions else { return .none }
            return options
        }
        set {
            // Default options are not stored, so the event equals one that never had any.
            self.boxedOptions = newValue == .none ? nil : .options(newValue)
        }
    }

    /// Texts for the receivers of the event, apart from its attributes; for custom, screen and commerce events.
    public var customFlags: [String: String] {
        get { self.options.customFlags }
        set { self.options.customFlags = newValue }
    }

    /// The category of the event; sent as the attribute `$Category`.
    public var category: String? {
        get { self.options.category }
        set { self.options.category = newValue }
    }

    /// The place of the event.
    public var location: Location? {
        get { self.options.location }
        set { self.options.location = newValue }
    }

    /// The change of the user's lifetime value.
    public var lifetimeValueChange: LifetimeValueChange? {
        get { self.options.lifetimeValueChange }
        set { self.options.lifetimeValueChange = newValue }
    }

    /// True when the event begins a session if there is none; the default is true.
    ///
    /// In apps, and where the app begins and ends sessions itself, only custom and commerce events do so.
    public var beginsSession: Bool {
        get { self.boxedOptions == nil || !self.options.exemptions.contains(.session) }
        set { self.options.exemptions.set(.session, to: !newValue) }
    }

    /// True when the event is delivered; false keeps it local, where it counts for its session only.
    ///
    /// The default is true.
    public var isUploaded: Bool {
        get { self.boxedOptions == nil || !self.options.exemptions.contains(.upload) }
        set { self.options.exemptions.set(.upload, to: !newValue) }
    }

    /// The time at which the event happened, to the millisecond; nil, the default, for the time at which it is logged.
    ///
    /// Set it for what another system reports late, such as yesterday's order that a worker imports. It may be as old as
    /// events are kept (`events.storage.maximumAge`, 90 days by default), and 60 s in the future; the log throws
    /// `invalidArgument` otherwise. How old an event the platform takes is in none of its documents.
    ///
    /// The event belongs to the current user and to no session: it begins none, prolongs none and counts for none. Its
    /// own age counts from its logging. It is sent in the order of logging. A copy for another service has the same time.
    /// A timed event cannot have one. With a shared store an event of before the last opt-in of its installation, or of
    /// before an erased user came back, is dropped.
    public var occurredAt: Date? {
        get { self.boxedOptions == nil ? nil : self.options.occurredAt }
        set { self.options.occurredAt = newValue }
    }

    /// ``occurredAt`` in milliseconds since 1970; nil if there is none, or one that a number of 64 bits cannot hold.
    package var occurredMilliseconds: Int64? {
        self.occurredAt.flatMap { Int64(exactly: ($0.timeIntervalSince1970 * 1000).rounded()) }
    }

    /// The start and the duration of the event.
    package var timing: Timing? {
        get { self.boxedOptions == nil ? nil : self.options.timing }
        set { self.options.timing = newValue }
    }

    /// The start and the duration of an event that takes time.
    package struct Timing: Sendable, Hashable {
        /// The start, in milliseconds since 1970.
        package var start: Int64
        /// The duration in milliseconds.
        package var duration: Int64

        package init(start: Int64, duration: Int64) {
            self.start = start
            self.duration = duration
        }
    }
}

/// The change of a user's lifetime value by an event (Events API v2, `lifetime_value_change`).
public struct LifetimeValueChange: Sendable, Hashable {
    /// The amount of the change; finite.
    public var amount: Double
    /// The user attribute that holds the sum; nil for the platform's own.
    public var attribute: String?

    /// Makes a change.
    public init(_ amount: Double, attribute: String? = nil) {
        self.amount = amount
        self.attribute = attribute
    }
}

/// The place of an event (Events API v2, `location`).
public struct Location: Sendable, Hashable {
    /// Degrees north, -90 to 90.
    public var latitude: Double
    /// Degrees east, -180 to 180.
    public var longitude: Double
    /// The accuracy in metres; nil when unknown.
    public var accuracy: Double?

    /// Makes a location.
    public init(latitude: Double, longitude: Double, accuracy: Double? = nil) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
    }
}
