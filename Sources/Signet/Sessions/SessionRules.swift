// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The rules for the begin and end of sessions; constant while a runtime lives.
struct SessionRules: Sendable, Hashable {
    /// The kind of app, which determines the end of a visit.
    var mode: SignetConfiguration.Sessions.Mode
    /// Automatic, or manual: the app begins and ends sessions itself.
    var tracking: SignetConfiguration.Sessions.Tracking
    /// True if an open begins a session.
    var beginsAtOpen: Bool
    /// True if changes of the app's state are reported to the platform.
    var reportsApplicationState: Bool

    /// Takes the rules from a configuration.
    init(_ sessions: SignetConfiguration.Sessions) {
        self.mode = sessions.mode
        self.tracking = sessions.tracking
        self.beginsAtOpen = sessions.beginsAtOpen
        self.reportsApplicationState = sessions.reportsApplicationState ?? (sessions.mode == .application)
    }

    /// Makes rules that begin a session at open.
    init(mode: SignetConfiguration.Sessions.Mode, tracking: SignetConfiguration.Sessions.Tracking = .automatic) {
        self.mode = mode
        self.tracking = tracking
        self.beginsAtOpen = true
        self.reportsApplicationState = mode == .application
    }

    /// Decides if an open begins a session where there is none.
    ///
    /// An install or an upgrade begins one even if opens do not (the vendors' SDKs).
    ///
    /// - Parameter launch: The reported launch; nil if there is none.
    /// - Returns: True if a session begins.
    func begins(at launch: LaunchRecord.Launch?) -> Bool {
        if self.beginsAtOpen { return true }
        guard let launch, self.tracking == .automatic else { return false }
        return launch.kind != .same
    }

    /// Decides if an event begins a session where there is none.
    ///
    /// On a server all events do, for nothing else would. In apps, and where the app says when sessions begin, only custom and
    /// commerce events do (the vendors' SDKs). An app that was removed has none.
    func begins(at event: Event) -> Bool {
        guard event.beginsSession else { return false }
        switch event.content {
        case .custom, .commerce: return true
        case .uninstall: return false
        default: return self.mode == .server && self.tracking == .automatic
        }
    }
}
