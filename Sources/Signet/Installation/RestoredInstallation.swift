// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The facts that `open` found on disk, and its arguments: the beginning of an ``InstallationCore``.
struct RestoredInstallation {
    /// The users from disk, or those of a new installation.
    var state: IdentityState
    /// The facts of a new installation until it is on disk; nil for another one.
    var unsaved: UnsavedInstallation?
    /// The session record from disk.
    var record: SessionRecord?
    /// The number of the installation's own context on disk.
    var own: UInt32 = 0
    /// The identity call at the start, if any.
    var start: IdentityCall?
    /// The error that stands for the call at the start, in the pause after a failure.
    var pause: SignetError?
    /// The retry policy of that call.
    var retry: RetryPolicy?

    /// Makes the machine, and begins the identity call of the start.
    ///
    /// - Parameter context: The shared parts of the runtime.
    /// - Returns: The machine, and the call with its place or its outcome.
    func begin(_ context: RuntimeContext) -> (machine: InstallationMachine, start: IdentityManager.Start?) {
        var machine = InstallationMachine(
            identity: self.state,
            sessions: SessionStateMachine(rules: context.sessionRules, previous: self.record?.previous),
            interrupted: self.record?.interrupted,
            own: self.own,
            unsaved: self.unsaved
        )
        if let pause = self.pause { return (machine, .ended(.failed(pause))) }
        guard let call = self.start else { return (machine, nil) }
        switch machine.identity.begin(call, mayWait: true, now: context.time.milliseconds) {
        case .start(let number), .wait(let number): return (machine, .begun(number, self.retry))
        case .finish(let outcome): return (machine, .ended(outcome))
        }
    }
}
