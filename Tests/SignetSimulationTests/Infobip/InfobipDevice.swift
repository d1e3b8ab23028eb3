// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetInfobip
import SignetModel

/// A directory with the processes that live in it one after another.
final class InfobipDevice {
    let installations: [Int]
    /// Whether what is known of people is kept on disk.
    let persists: Bool
    var folder: DiskFolder
    var life: InfobipLife?
    var lives = 0
    var powerLosses = 0
    var hadBadDisk = false
    var faults = InfobipFault.fine
    /// What the apps saw when they were killed.
    var seen: [Int: Seen] = [:]

    /// What an app sees of a profile.
    struct Seen: Hashable {
        var user: InfobipUser
        var installation: InfobipInstallation
        var isDepersonalizationPending: Bool
        var hasPendingChanges: Bool

        init(_ profile: InfobipProfile) {
            self.user = profile.user
            self.installation = profile.installation
            self.isDepersonalizationPending = profile.isDepersonalizationPending
            self.hasPendingChanges = profile.hasPendingChanges
        }
    }

    init(installations: [Int], persists: Bool) throws {
        self.installations = installations
        self.persists = persists
        self.folder = try DiskFolder.temporary()
    }

    deinit {
        self.folder.remove()
    }

    /// The profile of one of its installations, as long as the process lives.
    func profile(_ number: Int) -> InfobipProfile? {
        self.life?.installations[number]?.infobip
    }
}
