// SPDX-License-Identifier: Apache-2.0

/// The app that events come from (Events API v2, `application_info`).
public struct ApplicationInformation: Sendable, Hashable {
    /// The display name.
    public var name: String?
    /// The version, such as "2.1.0".
    public var version: String?
    /// The build of that version.
    public var build: String?
    /// The system's name for the app, such as "com.example.shop".
    public var package: String?
    /// The kind of system it runs on, in the platform's names, such as "Desktop", "IOS", "Android", "MobileWeb".
    public var system: System?

    /// Kinds of systems that the platform knows.
    public struct System: Sendable, Hashable, CustomStringConvertible {
        /// The platform's name.
        public let description: String

        private init(_ name: String) {
            self.description = name
        }

        /// Finds a kind by the platform's name.
        package init?(named name: String) {
            let known: [System] = [
                .iOS, .android, .mobileWeb, .desktop, .tvOS, .roku, .alexa, .smartTV, .fireTV, .xbox, .outOfBand,
            ]
            guard let found = known.first(where: { $0.description == name }) else { return nil }
            self = found
        }

        /// iPhones and iPads.
        public static let iOS = System("IOS")
        /// Android.
        public static let android = System("Android")
        /// A browser on a phone.
        public static let mobileWeb = System("MobileWeb")
        /// Programs on desktop computers.
        public static let desktop = System("Desktop")
        /// Apple TV.
        public static let tvOS = System("TVOS")
        /// Roku.
        public static let roku = System("Roku")
        /// Alexa.
        public static let alexa = System("Alexa")
        /// Televisions.
        public static let smartTV = System("SmartTV")
        /// Fire TV.
        public static let fireTV = System("FireTV")
        /// Xbox.
        public static let xbox = System("Xbox")
        /// Any other system.
        public static let outOfBand = System("OutOfBand")
    }

    /// Makes the information.
    public init(
        name: String? = nil,
        version: String? = nil,
        build: String? = nil,
        package: String? = nil,
        system: System? = nil
    ) {
        self.name = name
        self.version = version
        self.build = build
        self.package = package
        self.system = system
    }
}
