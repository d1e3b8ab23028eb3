// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension EventLimits {
    /// Finds the first limit that the content of an event breaks.
    static func violation(ofContent content: Event.Content) -> EventViolation? {
        switch content {
        case .custom(let name, _): Self.violation(ofName: name, of: "event")
        case .screen(let name): Self.violation(ofName: name, of: "screen")
        case .commerce(let commerce): CommerceLimits.violation(of: commerce)
        case .breadcrumb(let label): Self.violation(ofName: label, of: "breadcrumb")
        case .crash(let report): Self.violation(of: report)
        case .pushMessage(let message): Self.violation(of: message)
        case .pushRegistration(let registration):
            FieldLimits.violation(ofText: registration.token.withExposed { $0 }, "push token", mayBeEmpty: false)
        case .networkPerformance(let request):
            FieldLimits.violation(ofText: request.url, "URL", mayBeEmpty: false)
                ?? FieldLimits.violation(ofText: request.method, "method")
        case .optOut, .firstRun, .uninstall, .applicationState, .user: nil
        }
    }

    private static func violation(of report: CrashReport) -> EventViolation? {
        FieldLimits.violation(ofText: report.message, "message of the crash report", mayBeEmpty: false)
            ?? FieldLimits.violation(ofText: report.className, "class name of the crash report")
            ?? FieldLimits.violation(ofText: report.topmostContext, "context of the crash report")
    }

    private static func violation(of message: PushMessage) -> EventViolation? {
        FieldLimits.violation(ofText: message.token.withExposed { $0 }, "push token", mayBeEmpty: false)
            ?? FieldLimits.violation(ofText: message.message, "text of the push message")
            ?? FieldLimits.violation(ofText: message.network, "network of the push message")
            ?? FieldLimits.violation(
                ofText: message.actionIdentifier,
                "action of the push message",
                limit: Self.actionIdentifierLength
            )
    }

    /// Finds the first limit that the options of an event break.
    static func violation(ofOptions event: Event) -> EventViolation? {
        if let location = event.location, let violation = Self.violation(of: location) { return violation }
        if let change = event.lifetimeValueChange {
            if let violation = FieldLimits.violation(ofNumber: change.amount, "lifetime value change")
                ?? FieldLimits.violation(
                    ofText: change.attribute,
                    "attribute of the lifetime value",
                    mayBeEmpty: false,
                    limit: Self.keyLength
                )
            {
                return violation
            }
        }
        return FieldLimits.violation(ofText: event.category, "category")
            ?? FieldLimits.violation(ofText: event.options.activityType, "activity type of the screen")
            ?? Self.violation(of: event.customFlags, in: event.content)
    }

    private static func violation(of location: Location) -> EventViolation? {
        // NaN is in no range.
        guard (-90...90).contains(location.latitude), (-180...180).contains(location.longitude) else {
            return EventViolation(
                .locationOutOfRange,
                "The location is out of range; -90 to 90 degrees of latitude and -180 to 180 of longitude are allowed."
            )
        }
        return FieldLimits.violation(ofNumber: location.accuracy, "accuracy of the location")
    }

    private static func violation(of flags: [String: String], in content: Event.Content) -> EventViolation? {
        guard !flags.isEmpty else { return nil }
        switch content {
        case .custom, .screen, .commerce: break
        default:
            return EventViolation(
                .flagsNotAllowed,
                "This kind of event has no custom flags (Events API v2). Custom, screen and commerce events have them."
            )
        }
        guard flags.count <= Self.flagCount else {
            return EventViolation(
                .tooManyFlags,
                "The event has \(flags.count) custom flags; at most \(Self.flagCount) are allowed."
            )
        }
        for (key, value) in flags {
            if let violation = FieldLimits.violation(
                ofText: key,
                "name of a custom flag",
                mayBeEmpty: false,
                limit: Self.keyLength
            ) {
                return violation
            }
            if let violation = FieldLimits.violation(ofText: value, "value of a custom flag") { return violation }
        }
        return nil
    }
}
