//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// What decides about sessions and does not change while a runtime lives.
struct SessionRules: Sendable, Hashable {
    /// What counts as the end of a visit.
    var mode: SignetConfiguration.Sessions.Mode
    /// Who begins and ends sessions.
    var tracking: SignetConfiguration.Sessions.Tracking
    /// Whether an open begins a session.
    var beginsAtOpen: Bool
    /// Whether changes of the app's state are told to the platform.
    var reportsApplicationState: Bool

    /// Takes them from a configuration.
    init(_ sessions: SignetConfiguration.Sessions) {
        self.mode = sessions.mode
        self.tracking = sessions.tracking
        self.beginsAtOpen = sessions.beginsAtOpen
        self.reportsApplicationState = sessions.reportsApplicationState ?? (sessions.mode == .application)
    }

    /// Makes them.
    init(mode: SignetConfiguration.Sessions.Mode, tracking: SignetConfiguration.Sessions.Tracking = .automatic) {
        self.mode = mode
        self.tracking = tracking
        self.beginsAtOpen = true
        self.reportsApplicationState = mode == .application
    }

    /// Whether an open begins a session where there is none: an install or an upgrade does, even if opens do not (the vendors'
    /// SDKs).
    ///
    /// - Parameter launch: What is told of the launch, if it is one and is told.
    /// - Returns: Whether it does.
    func begins(at launch: LaunchRecord.Launch?) -> Bool {
        if self.beginsAtOpen { return true }
        guard let launch, self.tracking == .automatic else { return false }
        return launch.isInstall || launch.isUpgrade
    }

    /// Whether an event begins a session where there is none.
    ///
    /// On a server all do, for nothing else would; in apps, and where the app says when sessions begin, custom and commerce
    /// events alone (the vendors' SDKs).
    func begins(at event: Event) -> Bool {
        guard event.beginsSession else { return false }
        switch event.content {
        case .custom, .commerce: return true
        default: return self.mode == .server && self.tracking == .automatic
        }
    }
}
