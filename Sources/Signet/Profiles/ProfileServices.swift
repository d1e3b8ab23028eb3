//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport
import SignetWire

/// What the profiles of all installations share.
final class ProfileServices: Sendable {
    let configuration: ProfileConfiguration
    let store: StateStore
    let desk: ProfileServerDesk
    let sender: ProfileSender
    let requests: ProfileRequests
    let managers = ManagerRegistry<ProfileManager>()
    let changes: Broadcast<ProfileNotice>
    let jobs: WorkQueue
    let lifecycle: RuntimeLifecycle
    let time: TimeSource
    let observer: any SignetObserver
    let statistics: StatisticsRecorder
    /// From 0 to 1, for the jitter of pauses.
    let chance: @Sendable () -> Double

    init(
        _ profiles: ProfileConfiguration,
        store: StateStore,
        transport: any Transport,
        changes: Broadcast<ProfileNotice>,
        jobs: WorkQueue,
        lifecycle: RuntimeLifecycle,
        observer: any SignetObserver,
        statistics: StatisticsRecorder,
        configuration: SignetConfiguration
    ) throws(SignetError) {
        // Whose installations nobody may ever open again.
        if !profiles.persistsUserData { try ProfileStore.scrubCopies(in: store) }
        self.configuration = profiles
        self.store = store
        self.changes = changes
        self.jobs = jobs
        self.lifecycle = lifecycle
        self.time = configuration.time
        self.observer = observer
        self.statistics = statistics
        self.chance = configuration.chance
        self.requests = ProfileRequests(profiles)
        self.desk = ProfileServerDesk(
            profiles.server,
            application: ProfileApplication(code: profiles.applicationCode).hash,
            store: store,
            onFailure: { observer.damageFound($0) }
        )
        self.sender = ProfileSender(
            Exchange(
                transport: transport,
                time: configuration.time,
                observer: observer,
                statistics: statistics
            ),
            desk: self.desk,
            configuration: profiles
        )
    }

    /// Asks the service for its address, once a day, where it is the documented one.
    func lookUp(from caller: ProfileCaller) async {
        guard self.desk.beginLookup(now: self.time.milliseconds) else { return }
        let (reply, _) = await self.sender.send(.baseURL, [], from: caller, token: nil)
        guard case .success(.data(let bytes)) = reply else { return }
        do throws(WireError) {
            if self.desk.lookedUp(try ProfileReply.baseURL(bytes)) { await self.resume() }
        } catch {
            self.observer.damageFound("The answer to baseURL is not usable: \(error.message)")
        }
    }

    /// There is a reason to try again what waits.
    func resume() async {
        for manager in self.managers.all { await manager.resume() }
    }

    /// The end: whoever waits is answered.
    func stop() async {
        for manager in self.managers.all { await manager.stop() }
    }

    /// Counts and tells damage.
    func reportDamage(_ description: String) {
        self.statistics.record { $0.damagedRecords += 1 }
        self.observer.damageFound(description)
    }
}
