// SPDX-License-Identifier: Apache-2.0

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
