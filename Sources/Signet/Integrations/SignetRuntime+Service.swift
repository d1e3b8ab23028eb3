// SPDX-License-Identifier: Apache-2.0

#if SIGNET_SERVICE_LIFECYCLE
public import ServiceLifecycle

/// A service of a `ServiceGroup`.
///
/// List it after the services that it needs, and before its callers, because a group shuts down in reverse.
extension SignetRuntime: Service {}

extension SignetRuntime {
    /// Serves, and shuts down in order when the service group does; outside of a group there is no such request.
    ///
    /// ``SignetObserver/runtimeEnded(_:)`` reports the remaining events.
    func serveInItsGroup() async {
        let asked = Promise<Void>()
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    // Nil when the runtime has ended otherwise.
                    guard await asked.value() != nil else { return }
                    await self.shutdown(within: self.context.configuration.shutdownLimit)
                }
                await self.running.serve()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            asked.resolve(())
        }
    }
}
#endif
