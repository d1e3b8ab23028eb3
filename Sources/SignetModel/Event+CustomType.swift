// SPDX-License-Identifier: Apache-2.0

extension Event {
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
