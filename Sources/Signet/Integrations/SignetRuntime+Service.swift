//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if ServiceLifecycleSupport
public import ServiceLifecycle

/// A service of a `ServiceGroup`: list it after what it needs, and before what calls it, as a group shuts down in reverse.
extension SignetRuntime: Service {}

extension SignetRuntime {
    /// Shuts down in order when the service group does; outside of a group there is nothing to wait for.
    ///
    /// What was left is told by ``SignetObserver/runtimeEnded(_:)``.
    func shutdownWithItsGroup() async {
        // Cancelled: the runtime ends otherwise.
        do { try await gracefulShutdown() } catch { return }
        await self.shutdown(within: self.configuration.shutdownLimit)
    }
}
#endif
