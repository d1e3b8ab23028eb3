// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

// Breadcrumbs of each user: all are on disk; those of one user at a time are in memory.
extension InstallationCore {
    /// Leaves a breadcrumb of the current user: when this returns, it survives the death of the process.
    func leaveBreadcrumb(_ label: String, _ attributes: Attributes) {
        let now = self.services.time.milliseconds
        let failure = self.state.withLock { own -> SignetError? in
            guard own.phase == .open, !own.identity.isOptedOut else { return nil }
            do throws(SignetError) {
                var trail = try self.trail(of: own.identity.directory.current, own)
                trail.leave(label, attributes, at: now)
                own.breadcrumbs = trail
                try self.write(trail, own)
                return nil
            } catch {
                return error
            }
        }
        if let failure { self.services.reportNotSaved(self.id, failure) }
    }

    /// The breadcrumbs of the current user, oldest first.
    func breadcrumbs() -> [Breadcrumb] {
        let (breadcrumbs, failure) = self.state.withLock { own -> ([Breadcrumb], SignetError?) in
            do throws(SignetError) {
                let trail = try self.trail(of: own.identity.directory.current, own)
                own.breadcrumbs = trail
                return (trail.breadcrumbs, nil)
            } catch {
                return ([], error)
            }
        }
        // A crash report without breadcrumbs is better than none.
        if let failure { self.services.reportDamage("Breadcrumbs cannot be read: \(failure.message)") }
        return breadcrumbs
    }

    /// Moves breadcrumbs left before the first user to that user, and removes those of a departing ephemeral user.
    ///
    /// Call it under the lock, after the state was saved.
    ///
    /// - Parameters:
    ///   - firstUser: The first user, if this change brings one.
    ///   - previous: The previous user.
    ///   - own: The state that the lock guards.
    /// - Throws: `SignetError` from the disk.
    func handOverBreadcrumbs(
        to firstUser: MPID?,
        after previous: MPID?,
        _ own: inout State
    ) throws(SignetError) {
        if let previous, own.identity.directory.entries[previous] == nil { try self.removeTrail(of: previous, &own) }
        guard let firstUser else { return }
        let orphaned = try self.trail(of: nil, own)
        guard !orphaned.breadcrumbs.isEmpty else { return }
        var trail = try self.trail(of: firstUser, own)
        trail.inherit(orphaned)
        own.breadcrumbs = trail
        // In this order: after a kill between the two, a later first user cannot precede this one.
        try self.write(trail, own)
        try self.services.store.remove(StateKey.breadcrumbs(own.identity.number, nil))
    }

    /// Removes the breadcrumbs of all users after an opt-out.
    ///
    /// Call it under the lock. If the disk keeps a trail of the current user, the next breadcrumb overwrites it.
    func removeBreadcrumbs(_ own: inout State) throws(SignetError) {
        own.breadcrumbs = BreadcrumbTrail(of: own.identity.directory.current)
        try self.services.store.remove(StateKey.breadcrumbs(own.identity.number, nil))
        for user in own.identity.directory.entries.keys {
            try self.services.store.remove(StateKey.breadcrumbs(own.identity.number, user))
        }
    }

    /// Removes the breadcrumbs of one user; call it under the lock.
    func removeTrail(of user: MPID, _ own: inout State) throws(SignetError) {
        if own.breadcrumbs?.user == user { own.breadcrumbs = nil }
        try self.services.store.remove(StateKey.breadcrumbs(own.identity.number, user))
    }

    private func write(_ trail: BreadcrumbTrail, _ own: borrowing State) throws(SignetError) {
        try self.services.store.put(trail.encoded(), for: StateKey.breadcrumbs(own.identity.number, trail.user))
    }

    /// The trail of a user; empty if its record cannot be read.
    private func trail(of user: MPID?, _ own: borrowing State) throws(SignetError) -> BreadcrumbTrail {
        if let trail = own.breadcrumbs, trail.user == user { return trail }
        do throws(SignetError) {
            let bytes = try self.services.store.value(for: StateKey.breadcrumbs(own.identity.number, user))
            return bytes.flatMap { BreadcrumbTrail($0) } ?? BreadcrumbTrail(of: user)
        } catch {
            guard error.isDamage else { throw error }
            return BreadcrumbTrail(of: user)
        }
    }
}
