// SPDX-License-Identifier: Apache-2.0

/// An event that an app logs.
///
/// The runtime adds the user, the time and the session.
/// Limits are checked where the event is logged, so that making one never fails. A name has up to 256 characters, and
/// an event up to 100 attributes with keys up to 256 and values up to 4096 characters (Default Service Limits).
public struct Event: Sendable, Hashable {
    /// The kind of event and its own data.
    package enum Content: Sendable, Hashable {
        case custom(name: String, type: Event.CustomType)
        case screen(name: String)
        indirect case commerce(Commerce)
        indirect case crash(CrashReport)
        case breadcrumb(label: String)
        case optOut(Bool)
        case firstRun
        case uninstall
        indirect case applicationState(ApplicationStateTransition)
        indirect case pushRegistration(PushRegistration)
        indirect case pushMessage(PushMessage)
        indirect case networkPerformance(NetworkPerformance)
        indirect case user(UserEvent)
    }

    /// The kind of event and its own data.
    package var content: Content
    /// The attributes; every value is sent as text.
    public var attributes: Attributes
    /// The options; nil when none is set.
    package internal(set) var boxedOptions: BoxedOptions?

    package init(content: Content, attributes: Attributes = [:]) {
        self.content = content
        self.attributes = attributes
    }

    /// Makes a custom event.
    ///
    /// - Parameters:
    ///   - name: The name of the event, 1 to 256 characters.
    ///   - type: The subject of the event.
    ///   - attributes: The attributes.
    /// - Returns: The event.
    public static func custom(
        _ name: String,
        type: Event.CustomType = .other,
        attributes: Attributes = [:]
    ) -> Event {
        Event(content: .custom(name: name, type: type), attributes: attributes)
    }

    /// Makes a screen view.
    ///
    /// - Parameters:
    ///   - name: The name of the screen, 1 to 256 characters.
    ///   - activityType: The purpose of the screen, up to 4096 characters; the platform defines no values (`activity_type`).
    ///   - attributes: The attributes.
    /// - Returns: The event.
    public static func screen(
        _ name: String,
        activityType: String? = nil,
        attributes: Attributes = [:]
    ) -> Event {
        var event = Event(content: .screen(name: name), attributes: attributes)
        if let activityType { event.options.activityType = activityType }
        return event
    }

    /// Makes a purchase.
    ///
    /// - Parameters:
    ///   - purchase: The purchase.
    ///   - attributes: The attributes.
    /// - Returns: The event.
    public static func purchase(_ purchase: Purchase, attributes: Attributes = [:]) -> Event {
        Event(content: .commerce(purchase.commerce), attributes: attributes)
    }

    /// Makes an event about products, promotions or impressions.
    public static func commerce(_ commerce: Commerce, attributes: Attributes = [:]) -> Event {
        Event(content: .commerce(commerce), attributes: attributes)
    }

    /// Makes a report of an error or a crash; it carries the user's breadcrumbs, as far as there is room.
    public static func crash(_ report: CrashReport, attributes: Attributes = [:]) -> Event {
        Event(content: .crash(report), attributes: attributes)
    }

    /// Makes a measurement of one of the app's own requests.
    public static func networkPerformance(_ request: NetworkPerformance, attributes: Attributes = [:]) -> Event {
        Event(content: .networkPerformance(request), attributes: attributes)
    }

    /// Makes an event for a device that push reaches from now on, or no longer reaches.
    public static func pushRegistration(_ registration: PushRegistration) -> Event {
        Event(content: .pushRegistration(registration))
    }

    /// Makes an event about a push message.
    public static func pushMessage(_ message: PushMessage, attributes: Attributes = [:]) -> Event {
        Event(content: .pushMessage(message), attributes: attributes)
    }

    /// Makes an event about a customer's account, such as its beginning.
    ///
    /// The runtime makes none by itself: identity calls report the user, and this event is for receivers that ask for it. It
    /// changes no user. It has no custom flags. An erasure of one of the two users takes their MPID out of the event.
    ///
    /// ```swift
    /// let result = try await installation.login([.customerID: "c-1"])
    /// if let guest = result.previousUser {
    ///     try installation.log(.profile(.signup, from: guest.mpid, to: result.user.mpid))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - previous: The user before it.
    ///   - current: The user after it; the same as before if the change led to no other.
    ///   - attributes: The attributes.
    /// - Returns: The event.
    public static func profile(
        _ change: Event.ProfileChange,
        from previous: MPID,
        to current: MPID,
        attributes: Attributes = [:]
    ) -> Event {
        Event(content: .user(.profile(change, previous: previous, current: current)), attributes: attributes)
    }

    /// Makes an event for an app that was removed from its device, as a push service reports it to a server.
    ///
    /// It begins no session and ends none. The installation stays, as does its push token: remove them yourself. It has no
    /// custom flags.
    ///
    /// - Parameter attributes: The attributes.
    /// - Returns: The event.
    public static func uninstall(attributes: Attributes = [:]) -> Event {
        Event(content: .uninstall, attributes: attributes)
    }

    /// The subject of a custom event (Events API v2, `custom_event_type`).
    public struct CustomType: Sendable, Hashable {
        /// The name on the wire.
        public let wireName: String

        private init(_ wireName: String) {
            self.wireName = wireName
        }

        /// Finds a type by its name on the wire.
        ///
        /// - Parameter wireName: One of the nine documented names; anything else gives nil.
        public init?(wireName: String) {
            guard let known = Self.all.first(where: { $0.wireName == wireName }) else { return nil }
            self = known
        }

        /// Moving through the app.
        public static let navigation = Event.CustomType("navigation")
        /// Places.
        public static let location = Event.CustomType("location")
        /// Searching.
        public static let search = Event.CustomType("search")
        /// Money, outside commerce events.
        public static let transaction = Event.CustomType("transaction")
        /// Content that the user makes.
        public static let userContent = Event.CustomType("user_content")
        /// Preferences of the user.
        public static let userPreference = Event.CustomType("user_preference")
        /// Other people.
        public static let social = Event.CustomType("social")
        /// Playing media.
        public static let media = Event.CustomType("media")
        /// Anything else.
        public static let other = Event.CustomType("other")

        /// All types, in the order of the documentation.
        public static let all: [Event.CustomType] = [
            .navigation, .location, .search, .transaction, .userContent, .userPreference, .social, .other, .media,
        ]
    }
}

extension Event: CustomStringConvertible, CustomReflectable {
    /// The kind of event and the names of its attributes, without values.
    public var description: String {
        let kind =
            switch self.content {
            case .custom(let name, let type): "custom(\(name), \(type.wireName))"
            case .screen(let name): "screen(\(name))"
            case .commerce(let commerce): commerce.description
            case .crash(let report): report.description
            case .breadcrumb: "breadcrumb"
            case .optOut: "optOut"
            case .firstRun: "firstRun"
            case .uninstall: "uninstall"
            case .applicationState(let transition): transition.kind.rawValue
            case .pushRegistration: "pushRegistration"
            case .pushMessage(let message): message.description
            case .networkPerformance(let request): request.description
            case .user(.attributeChange): "userAttributeChange"
            case .user(.identityChange): "userIdentityChange"
            case .user(.profile(let change, _, _)): "profile(\(change.rawValue))"
            }
        return "Event(\(kind), attributes: \(self.attributes))"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["event": self.description])
    }
}
