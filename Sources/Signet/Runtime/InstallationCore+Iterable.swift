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
    /// The manager of the Iterable visitor; made at first use, shared with earlier objects of this id.
    func iterableManager() throws(SignetError) -> IterableManager {
        guard let iterable = self.services.iterable else {
            throw SignetError(.invalidConfiguration, "Iterable is not configured: set SignetConfiguration.iterable.")
        }
        let (known, isReset) = self.state.withLock { ($0.visitor, $0.isReset) }
        if let known { return known }
        // The id belongs to another installation now.
        guard !isReset else { throw .closed }
        let manager = try iterable.manager(of: self.id, self.identityState)
        manager.home.set(self)
        self.state.withLock { $0.visitor = manager }
        return manager
    }

    /// Resumes pending work after a launch of the app or an open of the installation.
    func resumeIterable(isLaunch: Bool) {
        guard let iterable = self.services.iterable else { return }
        let isThere = IterableStore(self.services.store, installation: self.identityState.number).isThere
        guard isThere || self.services.store.contains(StateKey.linked(self.id)) else { return }
        do throws(SignetError) {
            let manager = try self.iterableManager()
            if isLaunch, isThere { manager.launch() }
            iterable.jobs.submit {
                await self.performLinked()
                await manager.resume()
            }
        } catch {
            iterable.reportDamage("The visitor of an installation cannot be read: \(error.message)")
        }
    }

    /// Applies an opt-out or opt-in to Iterable: while opted out, visitor data is neither kept nor sent.
    ///
    /// A change that the disk refuses is repeated at the next call or start.
    func iterableFollowsOptOut() async {
        guard self.services.iterable != nil else { return }
        do throws(SignetError) {
            let isKnown = self.state.withLock { $0.visitor != nil }
            let number = self.identityState.number
            guard isKnown || IterableStore(self.services.store, installation: number).isThere else { return }
            try await self.iterableManager().follow()
        } catch {
            self.services.reportNotSaved(self.id, error)
        }
    }

    /// Mirrors a logged event to the Iterable visitor.
    func mirror(_ event: Event) {
        guard let iterable = self.services.iterable, iterable.configuration.forwardsEvents else { return }
        do throws(SignetError) {
            let now = self.services.time.milliseconds / 1000
            guard let record = try IterableRecord(mirroring: event, now: now) else { return }
            let manager = try self.iterableManager()
            let after = try self.linkedLedger().records.last?.id
            if manager.mirror(MirroredRecord(record: record, after: after)) {
                iterable.jobs.submit { await manager.takeMirrored() }
            }
        } catch {
            self.services.observer.stateNotSaved(installation: self.id, error: error)
        }
    }

    /// Notifies Iterable that the app entered the foreground.
    func iterableEntersForeground() {
        guard let iterable = self.services.iterable, let manager = iterable.managers.find(self.id) else { return }
        iterable.jobs.submit { await manager.enterForeground() }
    }
}

extension IterableServices {
    /// The manager of an installation, made if it is not in memory.
    func manager(of id: InstallationID, _ state: IdentityState) throws(SignetError) -> IterableManager {
        try self.managers.manager(of: id) { () throws(SignetError) in
            try IterableManager(
                installation: id,
                store: IterableStore(self.store, installation: state.number),
                requests: IterableRequests(
                    device: IterableDevice(
                        deviceID: state.deviceApplicationStamp.uuidString,
                        platform: self.configuration.platform,
                        appPackageName: self.configuration.applicationName
                    ),
                    applicationName: self.configuration.applicationName
                ),
                tokens: IterableTokenManager(
                    provider: self.configuration.tokens,
                    policy: self.configuration.tokenPolicy,
                    lead: self.configuration.tokenLead,
                    time: self.time,
                    jobs: self.jobs
                ) { failure in
                    let change = IterableChange(installation: id, kind: .tokenFailed(failure))
                    self.changes.send(change, of: id)
                },
                services: self
            )
        }
    }
}
