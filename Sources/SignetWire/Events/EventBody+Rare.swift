// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

extension EventBody {
    /// Writes the members of rare events.
    ///
    /// - Returns: The kind of the event.
    static func writeRare(_ content: Event.Content, to writer: inout JSONWriter) -> EventKind {
        switch content {
        case .breadcrumb(let label):
            writer.member("label", label)
            return EventKind("breadcrumb")
        case .optOut(let isOptedOut):
            writer.member("is_opted_out", isOptedOut)
            return EventKind("opt_out")
        case .firstRun:
            return EventKind("first_run")
        case .uninstall:
            return EventKind("uninstall")
        case .applicationState(let transition):
            writer.member("application_transition_type", transition.kind.rawValue)
            if let launch = transition.launch {
                writer.member("is_first_run", launch == .install)
                writer.member("is_upgrade", launch == .upgrade)
            }
            if let flag = transition.wasClosedInOrder { writer.member("successfully_closed", flag) }
            if let referral = transition.launchReferral { writer.member("launch_referral", referral) }
            return EventKind("application_state_transition")
        case .pushRegistration(let registration):
            writer.member("register", registration.isRegistered)
            writer.member("registration_token", registration.token.withExposed { $0 })
            return EventKind("push_registration")
        case .pushMessage(let message):
            Self.write(message, to: &writer)
            return EventKind("push_message")
        case .networkPerformance(let request):
            Self.write(request, to: &writer)
            return EventKind("network_performance")
        case .user(let event):
            return Self.write(event, to: &writer)
        case .custom, .screen, .commerce, .crash:
            preconditionFailure("written by the caller")
        }
    }

    private static func write(_ message: PushMessage, to writer: inout JSONWriter) {
        writer.member("push_message_token", message.token.withExposed { $0 })
        writer.member("push_message_type", message.kind.rawValue)
        writer.member("push_notification_payload", message.payload)
        if let text = message.message { writer.member("message", text) }
        if let network = message.network { writer.member("network", network) }
        if let state = message.applicationState { writer.member("application_state", state.rawValue) }
        if let action = message.actionIdentifier { writer.member("action_identifier", action) }
        if let behavior = message.behavior { writer.member("push_message_behavior", behavior.rawValue) }
    }

    private static func write(_ request: NetworkPerformance, to writer: inout JSONWriter) {
        writer.member("url", request.url)
        writer.member("response_code", request.responseCode)
        if let method = request.method { writer.member("http_verb", method) }
        if let elapsed = request.elapsedMilliseconds { writer.member("time_elapsed", elapsed) }
        if let bytes = request.bytesIn { writer.member("bytes_in", bytes) }
        if let bytes = request.bytesOut { writer.member("bytes_out", bytes) }
    }

    private static func write(_ event: UserEvent, to writer: inout JSONWriter) -> EventKind {
        switch event {
        case .attributeChange(let name, let old, let new):
            writer.member("user_attribute_name", name)
            // A value that is too long for an event beside the user's attributes is null here; the batch has the attributes.
            let newSize = Self.size(of: new)
            let isNewShort = newSize <= UserLimits.changeBytes
            let isOldShort = newSize + Self.size(of: old) <= UserLimits.changeBytes
            writer.key("new")
            BatchBody.write(isNewShort ? new ?? .null : .null, to: &writer)
            writer.key("old")
            BatchBody.write(isOldShort ? old ?? .null : .null, to: &writer)
            writer.member("deleted", new == nil)
            writer.member("is_new_attribute", old == nil)
            return EventKind("user_attribute_change")
        case .identityChange(let old, let new):
            writer.key("new")
            Self.write(new, to: &writer)
            writer.key("old")
            Self.write(old, to: &writer)
            return EventKind("user_identity_change")
        case .profile(let change, let previous, let current):
            writer.member("previous_mpid", previous.rawValue)
            writer.member("current_mpid", current.rawValue)
            writer.member("profile_event_type", change.rawValue)
            return EventKind("profile")
        }
    }

    private static func size(of value: AttributeValue?) -> Int {
        var writer = JSONWriter(reservingCapacity: 64)
        BatchBody.write(value ?? .null, to: &writer)
        return writer.bytes.count
    }

    private static func write(_ identity: UserIdentityState, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("identity_type", identity.typeName)
        writer.member("identity", identity.value)
        writer.member("timestamp_unixtime_ms", identity.milliseconds)
        writer.member("created_this_batch", identity.isNew)
        writer.endObject()
    }
}

extension CrashReport {
    /// Writes the members of a crash report (Events API v2, `crash_report`).
    func write(to writer: inout JSONWriter) {
        if !self.breadcrumbs.isEmpty {
            writer.key("breadcrumbs")
            writer.beginArray()
            for breadcrumb in self.breadcrumbs {
                writer.beginObject()
                writer.member("event_type", "breadcrumb")
                writer.key("data")
                writer.beginObject()
                if !breadcrumb.attributes.isEmpty { EventBody.write(breadcrumb.attributes, to: &writer) }
                writer.member("label", breadcrumb.label)
                writer.member("timestamp_unixtime_ms", breadcrumb.milliseconds)
                writer.endObject()
                writer.endObject()
            }
            writer.endArray()
        }
        if let name = self.className { writer.member("class_name", name) }
        writer.member("severity", self.severity.rawValue)
        writer.member("message", self.message)
        if let trace = self.stackTrace { writer.member("stack_trace", trace) }
        writer.member("exception_handled", self.isHandled)
        if let context = self.topmostContext { writer.member("topmost_context", context) }
    }
}
