// SPDX-License-Identifier: Apache-2.0

/// An error or a crash (Events API v2, `crash_report`).
///
/// It carries the user's last 50 breadcrumbs, also those of earlier processes and those recorded before the first user.
public struct CrashReport: Sendable, Hashable {
    /// The severity of an error.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// Something went wrong.
        case error
        /// The process could not go on.
        case fatal
    }

    /// The error message.
    public var message: String
    /// The type of the error.
    public var className: String?
    /// The severity.
    public var severity: Severity
    /// True when the app went on.
    public var isHandled: Bool
    /// The stack trace of the error.
    public var stackTrace: String?
    /// The screen or request in which it happened.
    public var topmostContext: String?
    /// The breadcrumbs of the user; the installation fills them in.
    package var breadcrumbs: [Breadcrumb] = []

    /// Makes a report.
    public init(
        message: String,
        className: String? = nil,
        severity: Severity = .error,
        isHandled: Bool = true,
        stackTrace: String? = nil,
        topmostContext: String? = nil
    ) {
        self.message = message
        self.className = className
        self.severity = severity
        self.isHandled = isHandled
        self.stackTrace = stackTrace
        self.topmostContext = topmostContext
    }
}

extension CrashReport: CustomStringConvertible, CustomReflectable {
    /// The severity and the type, without message and trace.
    public var description: String {
        "CrashReport(\(self.severity.rawValue), \(self.className ?? "-"))"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["crash": self.description])
    }
}

/// A step of a user, recorded for a later crash report.
package struct Breadcrumb: Sendable, Hashable {
    /// The name of the step.
    package var label: String
    /// The time of the step, in milliseconds since 1970.
    package var milliseconds: Int64
    /// Further details.
    package var attributes: Attributes

    package init(label: String, milliseconds: Int64, attributes: Attributes = [:]) {
        self.label = label
        self.milliseconds = milliseconds
        self.attributes = attributes
    }
}
