//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetCriteria
import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

extension InstallationCore {
    /// The manager of the visitor; made at first use, and shared with whatever other object of this id there was.
    func visitorManager() throws(SignetError) -> VisitorManager {
        guard let visitors = self.services.visitors else {
            throw SignetError(.invalidConfiguration, "No visitors are configured: set SignetConfiguration.visitors.")
        }
        let (known, isReset) = self.state.withLock { ($0.visitor, $0.isReset) }
        if let known { return known }
        // The id is of another installation now.
        guard !isReset else { throw .closed }
        let manager = try visitors.manager(of: self.id, self.identityState)
        manager.home.set(self)
        self.state.withLock { $0.visitor = manager }
        return manager
    }

    /// The app was launched, or the installation opened: work that was left goes on.
    func resumeVisitor(isLaunch: Bool) {
        guard let visitors = self.services.visitors else { return }
        let isThere = VisitorStore(self.services.store, installation: self.identityState.number).isThere
        guard isThere || self.services.store.contains(StateKey.linked(self.id)) else { return }
        do throws(SignetError) {
            let manager = try self.visitorManager()
            if isLaunch, isThere { manager.launch() }
            visitors.jobs.submit {
                await self.performLinked()
                await manager.resume()
            }
        } catch {
            visitors.reportDamage("The visitor of an installation cannot be read: \(error.message)")
        }
    }

    /// The installation has opted out or in: nothing of the visitor is kept or sent meanwhile.
    ///
    /// What the disk refuses is done with the next call, or at the next start.
    func visitorFollowsOptOut() async {
        guard self.services.visitors != nil else { return }
        do throws(SignetError) {
            let isKnown = self.state.withLock { $0.visitor != nil }
            let number = self.identityState.number
            guard isKnown || VisitorStore(self.services.store, installation: number).isThere else { return }
            try await self.visitorManager().follow()
        } catch {
            self.services.reportNotSaved(self.id, error)
        }
    }

    /// What was logged is the visitor's too.
    func mirror(_ event: Event) {
        guard let visitors = self.services.visitors, visitors.configuration.mirrorsEvents else { return }
        do throws(SignetError) {
            let now = self.services.time.milliseconds / 1000
            guard let record = try VisitorRecord(mirroring: event, now: now) else { return }
            let manager = try self.visitorManager()
            let after = try self.linkedLedger().records.last?.id
            if manager.mirror(MirroredRecord(record: record, after: after)) {
                visitors.jobs.submit { await manager.takeMirrored() }
            }
        } catch {
            self.services.observer.stateNotSaved(installation: self.id, error: error)
        }
    }

    /// The app came to the foreground.
    func visitorEntersForeground() {
        guard let visitors = self.services.visitors, let manager = visitors.managers.find(self.id) else { return }
        visitors.jobs.submit { await manager.enterForeground() }
    }
}

extension VisitorServices {
    /// The manager of an installation; made if it is not in memory.
    func manager(of id: InstallationID, _ state: IdentityState) throws(SignetError) -> VisitorManager {
        try self.managers.manager(of: id) { () throws(SignetError) in
            try VisitorManager(
                installation: id,
                store: VisitorStore(self.store, installation: state.number),
                requests: VisitorRequests(
                    device: VisitorDevice(
                        deviceID: state.deviceApplicationStamp.uuidString,
                        platform: self.configuration.platform,
                        appPackageName: self.configuration.applicationName
                    ),
                    applicationName: self.configuration.applicationName
                ),
                tokens: VisitorTokenManager(
                    provider: self.configuration.tokens,
                    policy: self.configuration.tokenPolicy,
                    lead: self.configuration.tokenLead,
                    time: self.time,
                    jobs: self.jobs
                ) { failure in
                    let change = VisitorChange(installation: id, kind: .tokenFailed(failure))
                    self.changes.send(change, of: id)
                },
                services: self
            )
        }
    }
}
