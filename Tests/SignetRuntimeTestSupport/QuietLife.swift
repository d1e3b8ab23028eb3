// SPDX-License-Identifier: Apache-2.0

package import Signet
import SignetTestSupport
package import SignetTesting
package import Testing

// What tests of a life in which nobody opens an installation ask for.
extension EmulatedSignet {
    /// Lets all run that needs no time: until nothing has begun for many turns, and no request is in flight.
    ///
    /// A clock that moves meanwhile would end the time of a request that is answered as soon as its task has a turn. A request that
    /// is never answered holds it up for some turns only.
    package func rest() async {
        var (last, calm) = (self.activity, 0)
        while calm < (last.inFlight == 0 ? 100 : 2000), !Task.isCancelled {
            await Task.yield()
            let now = self.activity
            calm = now == last ? calm + 1 : 0
            last = now
        }
    }

    /// What changes as long as something goes on.
    private var activity: (clock: Int, sleepers: Int, exchanges: Int, inFlight: Int) {
        (self.clock.activity, self.clock.sleepers, self.transport.exchanges.count, self.transport.inFlight)
    }

    /// Lets time pass, with nobody calling anything, in equal steps.
    package func pass(_ duration: Duration, in steps: Int) async {
        for _ in 0..<steps {
            await self.rest()
            self.clock.advance(by: duration / steps)
        }
        await self.rest()
    }

    /// Lets time pass until something is so, though no installation is opened.
    ///
    /// - Parameters:
    ///   - step: The time of a turn; by default until the next deadline.
    ///   - what: What is awaited.
    ///   - sourceLocation: Where it is awaited.
    ///   - condition: Is asked again and again.
    package func pass(
        by step: Duration? = nil,
        until what: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: () async throws -> Bool
    ) async rethrows {
        try await until(what, sourceLocation: sourceLocation) {
            if try await condition() { return true }
            await self.rest()
            if let step {
                self.clock.advance(by: step)
            } else if let next = self.clock.nextDeadline {
                self.clock.advance(to: next)
            }
            return false
        }
    }

    /// Runs for a day in which nobody opens an installation, and some hours more while something is owed.
    ///
    /// - Parameters:
    ///   - directory: Its directory.
    ///   - session: The timeout of a session.
    ///   - services: The services that it is given.
    /// - Returns: What is still owed then, before it ends: an end in order would do some of it.
    /// - Throws: The error of a file that cannot be read.
    package func owedAfterADay(
        in directory: String,
        session: Duration = .seconds(1800),
        services: [any SignetService] = []
    ) async throws -> [DueWorkReport.Entry] {
        try await self.run { signet in
            // Above 24 h, for which a `Retry-After` is obeyed.
            await signet.pass(.seconds(25 * 3600) + session, in: 150)
            var owed = try owedWork(directory: directory, services: services)
            // The threads of the disk have had no time of their own on a busy machine.
            for _ in 0..<200 where !owed.isEmpty {
                await signet.pass(.seconds(600), in: 1)
                owed = try owedWork(directory: directory, services: services)
            }
            return owed
        }
    }

    /// The requests of the services, also those that never arrived.
    package var serviceRequests: Int {
        self.transport.exchanges.count { !["identify", "login", "logout", "events"].contains($0.endpoint) }
    }
}
