//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

extension InstallationCore {
    /// The manager of the profile; made at first use, and shared with whatever other object of this id there was.
    func profileManager() throws(SignetError) -> ProfileManager {
        guard let profiles = self.services.profiles else {
            throw SignetError(.invalidConfiguration, "No profiles are configured: set SignetConfiguration.profiles.")
        }
        let (known, state) = self.state.withLock { ($0.profile, $0.identity) }
        if let known { return known }
        let manager = try profiles.managers.manager(of: self.id) { ProfileManager(installation: self.id) }
        _ = state
        self.state.withLock { $0.profile = manager }
        return manager
    }
}
