// SPDX-License-Identifier: Apache-2.0

#if SIGNET_SERVICE_LIFECYCLE
public import ServiceLifecycle

/// Reads updates of a runtime as a service of a `ServiceGroup`.
///
/// It reads until the runtime has ended, then waits for the graceful shutdown of the group. Its place in the group does not
/// matter: if it is asked to end before the runtime, the runtime's `run()` reads the rest, and returns after that.
/// Only cancellation loses updates, and a body that is more than 1024 updates behind (``Updates/droppedCount``).
///
/// Outside of a group nothing asks it to end, and `run()` returns when its task is cancelled.
public struct UpdatesService<Element: Sendable>: Service {
    private let updates: Updates<Element>
    private let body: @Sendable (Element) async -> Void

    /// Makes the service; the updates are those since they were got, as `signet.userChanges()` subscribes.
    ///
    /// - Parameters:
    ///   - updates: The updates of the runtime, or of one installation.
    ///   - body: Handles an update; called for one after the other, in order. The shutdown waits for it.
    public init(_ updates: Updates<Element>, _ body: @escaping @Sendable (Element) async -> Void) {
        self.updates = updates
        self.body = body
    }

    /// Reads until the updates end, and returns in the turn of this service.
    public func run() async {
        let reader = UpdatesReader(self.updates, self.body)
        let asked = Promise<Void>()
        await withGracefulShutdownHandler {
            let end = await reader.read()
            switch end {
            case .finished: _ = await asked.value()
            case .interrupted: await reader.leaveRest()
            case .cancelled: break
            }
        } onGracefulShutdown: {
            asked.resolve(())
            reader.interrupt()
        }
    }
}

extension UpdatesService: CustomStringConvertible {
    /// The type in one word, such as `UpdatesService<UserChange>`: the name of the service in the log of its group.
    public var description: String {
        "UpdatesService<\(Element.self)>"
    }
}
#endif
