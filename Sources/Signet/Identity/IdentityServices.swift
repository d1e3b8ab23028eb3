// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// The services that all identity managers of a runtime share.
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
    /// The client information in requests.
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
