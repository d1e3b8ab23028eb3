//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// An error or a crash (Events API v2, `crash_report`).
///
/// The last 50 breadcrumbs of the user travel with it, also those of earlier processes and of before the first user.
public struct CrashReport: Sendable, Hashable {
    /// How bad it was.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// Something went wrong.
        case error
        /// The process could not go on.
        case fatal
    }

    /// What happened.
    public var message: String
    /// The type of the error.
    public var className: String?
    /// How bad it was.
    public var severity: Severity
    /// Whether the app went on.
    public var isHandled: Bool
    /// Where it happened.
    public var stackTrace: String?
    /// The screen or request in which it happened.
    public var topmostContext: String?
    /// What the user did before; filled in by the installation.
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
