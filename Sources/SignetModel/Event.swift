//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Something that happened, as an app tells it.
///
/// The runtime adds who, when and in which session.
/// Limits are checked where the event is logged, so that making one never fails: names up to 256 characters, up to
/// 100 attributes, attribute keys up to 256 and values up to 4096 characters (Default Service Limits).
public struct Event: Sendable, Hashable {
    /// What happened.
    package enum Content: Sendable, Hashable {
        case custom(name: String, type: CustomEventType)
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

    /// What happened.
    package var content: Content
    /// Details; every value travels as text.
    public var attributes: Attributes
    /// What only few events have; nil when nothing of it was set.
    package internal(set) var boxedOptions: BoxedOptions?

    package init(content: Content, attributes: Attributes = [:]) {
        self.content = content
        self.attributes = attributes
    }

    /// Makes a custom event.
    ///
    /// - Parameters:
    ///   - name: What happened, 1 to 256 characters.
    ///   - type: What it is about.
    ///   - attributes: Details.
    /// - Returns: The event.
    public static func custom(
        _ name: String,
        type: CustomEventType = .other,
        attributes: Attributes = [:]
    ) -> Event {
        Event(content: .custom(name: name, type: type), attributes: attributes)
    }

    /// Makes a screen view.
    ///
    /// - Parameters:
    ///   - name: The screen, 1 to 256 characters.
    ///   - activityType: What the screen is for, up to 4096 characters; the platform defines no values (`activity_type`).
    ///   - attributes: Details.
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
    ///   - purchase: What was bought.
    ///   - attributes: Details.
    /// - Returns: The event.
    public static func purchase(_ purchase: Purchase, attributes: Attributes = [:]) -> Event {
        Event(content: .commerce(purchase.commerce), attributes: attributes)
    }

    /// Makes an event about products, promotions or impressions.
    public static func commerce(_ commerce: Commerce, attributes: Attributes = [:]) -> Event {
        Event(content: .commerce(commerce), attributes: attributes)
    }

    /// Makes a report of an error or a crash; the breadcrumbs of the user go with it, as far as there is room.
    public static func crash(_ report: CrashReport, attributes: Attributes = [:]) -> Event {
        Event(content: .crash(report), attributes: attributes)
    }

    /// Makes a measurement of a request of the app's own.
    public static func networkPerformance(_ request: NetworkPerformance, attributes: Attributes = [:]) -> Event {
        Event(content: .networkPerformance(request), attributes: attributes)
    }

    /// Tells that a device can be reached by push, or no longer.
    public static func pushRegistration(_ registration: PushRegistration) -> Event {
        Event(content: .pushRegistration(registration))
    }

    /// Tells what became of a push message.
    public static func pushMessage(_ message: PushMessage, attributes: Attributes = [:]) -> Event {
        Event(content: .pushMessage(message), attributes: attributes)
    }
}
