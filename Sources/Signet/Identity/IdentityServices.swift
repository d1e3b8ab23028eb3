//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

/// What every identity manager of a runtime shares.
final class IdentityServices: Sendable {
    let dispatcher: NetworkDispatcher
    /// The managers that have callers to answer.
    let active = ActiveManagers()
    let jobs: WorkQueue
    let lifecycle: RuntimeLifecycle
    let time: TimeSource
    let observer: any SignetObserver
    let environment: WorkspaceEnvironment
    let requestTimeout: Duration
    /// What requests say of the client that they come from.
    let client: ClientInfo
    /// From 0 to 1, for the jitter of pauses.
    let jitter: @Sendable () -> Double

    init(
        dispatcher: NetworkDispatcher,
        jobs: WorkQueue,
        lifecycle: RuntimeLifecycle,
        observer: any SignetObserver,
        configuration: SignetConfiguration
    ) {
        self.dispatcher = dispatcher
        self.jobs = jobs
        self.lifecycle = lifecycle
        self.time = configuration.time
        self.observer = observer
        self.environment = configuration.environment
        self.requestTimeout = configuration.identity.requestTimeout
        self.client = .signet(on: configuration.clientPlatform)
        self.jitter = configuration.jitter
    }
}
