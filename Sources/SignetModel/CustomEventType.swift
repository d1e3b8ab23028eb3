//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The subject of a custom event (Events API v2, `custom_event_type`).
public struct CustomEventType: Sendable, Hashable {
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
    public static let navigation = CustomEventType("navigation")
    /// Places.
    public static let location = CustomEventType("location")
    /// Searching.
    public static let search = CustomEventType("search")
    /// Money, outside commerce events.
    public static let transaction = CustomEventType("transaction")
    /// Content that the user makes.
    public static let userContent = CustomEventType("user_content")
    /// Preferences of the user.
    public static let userPreference = CustomEventType("user_preference")
    /// Other people.
    public static let social = CustomEventType("social")
    /// Playing media.
    public static let media = CustomEventType("media")
    /// Anything else.
    public static let other = CustomEventType("other")

    /// All types, in the order of the documentation.
    public static let all: [CustomEventType] = [
        .navigation, .location, .search, .transaction, .userContent, .userPreference, .social, .other, .media,
    ]
}
