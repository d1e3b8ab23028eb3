//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension Installation {
    /// The person and the installation as the profile service knows them.
    public var profile: Profile {
        Profile(core: self.core)
    }
}

extension SignetRuntime {
    /// What happens to the profiles of all installations, from now on.
    public var profileChanges: ProfileChanges {
        ProfileChanges(self.services.profileChanges, of: nil)
    }

    /// The network is back: tries again what waits for a pause to end, for the profiles of all installations in memory.
    public func retryProfiles() async {
        for manager in self.services.profiles?.managers.all ?? [] { await manager.resume() }
    }
}
