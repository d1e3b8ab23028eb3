// SPDX-License-Identifier: Apache-2.0

#if SIGNET_METRICS && SIGNET_SERVICE_LIFECYCLE
public import ServiceLifecycle

/// Sets the gauges of a runtime at an interval, as a service of a `ServiceGroup`.
///
/// List it anywhere. It sets them once more when the group asks it to end; listed before the runtime, these are the values
/// that the runtime leaves. A server that is scraped can call ``MetricsObserver/updateGauges(of:)`` for each scrape instead.
public struct GaugeService: Service {
    private let runtime: SignetRuntime
    private let observer: MetricsObserver
    private let interval: Duration

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - runtime: The runtime whose gauges are set.
    ///   - observer: Sets them.
    ///   - interval: At least 1 s; there is no maximum.
    /// - Throws: `invalidArgument`.
    public init(
        _ runtime: SignetRuntime,
        observer: MetricsObserver = MetricsObserver(),
        every interval: Duration = .seconds(10)
    ) throws(SignetError) {
        guard interval >= .seconds(1) else {
            throw SignetError(.invalidArgument, "An interval of \(interval) is too short; at least 1 s is allowed.")
        }
        self.runtime = runtime
        self.observer = observer
        self.interval = interval
    }

    /// Sets the gauges now and at each interval, until a graceful shutdown or the cancellation of its task.
    public func run() async {
        let asked = Promise<Void>()
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.updateAtIntervals() }
                _ = await asked.value()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            asked.resolve(())
        }
        self.observer.updateGauges(of: self.runtime)
    }

    private func updateAtIntervals() async {
        let time = self.runtime.context.time
        while !Task.isCancelled {
            self.observer.updateGauges(of: self.runtime)
            // Cancelled: the service ends.
            do { try await time.sleep(for: self.interval) } catch { return }
        }
    }
}

extension GaugeService: CustomStringConvertible {
    /// The name of the service in the log of its group.
    public var description: String {
        "GaugeService"
    }
}
#endif
