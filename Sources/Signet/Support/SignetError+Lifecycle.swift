// SPDX-License-Identifier: Apache-2.0

extension SignetError {
    /// The error of a call before the start of the runtime.
    package static let notRunning = SignetError(
        .notRunning,
        "The runtime is not running, so nothing was sent. Call `run()` in a task of its own, or use `withSignet`."
    )

    /// The error of a call after the begin of the shutdown.
    package static let hasEnded = SignetError(
        .notRunning,
        "The runtime has ended, so nothing was sent. Make another `SignetRuntime`."
    )
}
