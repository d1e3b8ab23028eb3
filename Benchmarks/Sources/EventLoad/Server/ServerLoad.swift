// SPDX-License-Identifier: Apache-2.0

import Signet

/// Requests of browsers to a server, each in a task of its own as a web server has it.
struct ServerLoad: Sendable {
    /// The number of requests at a time.
    enum Pace: Sendable {
        /// So many a second, however long each takes.
        case steady(Double)
        /// As many as are delivered: at most this number of events waits.
        case most(waiting: Int)
    }

    let signet: SignetRuntime
    let visitors: Zipf
    let pages = Zipf(1000)
    let tally = ServerTally()

    /// The end of a load.
    struct Outcome: Sendable {
        let requests: Int
        /// Once a second.
        let memory: [MemoryLook]
        /// All who came.
        let visitors: Set<Int>
    }

    /// Serves requests; returns when the calls of the last ones have ended.
    ///
    /// - Parameters:
    ///   - seconds: The time in which requests come.
    ///   - pace: Their number.
    ///   - chance: The source of chance.
    /// - Returns: The outcome.
    /// - Throws: An error of `open` or `log`. Errors of login and logout are counted.
    func run(seconds: Double, _ pace: Pace, _ chance: inout Chance) async throws -> Outcome {
        // The group's body may not change what is borrowed.
        var own = chance
        let outcome = try await withThrowingDiscardingTaskGroup { group in
            let began = Nanoseconds.now
            var requests = 0
            var memory: [MemoryLook] = []
            var seen: Set<Int> = []
            while true {
                let elapsed = Double(Nanoseconds.now - began) / 1e9
                if elapsed >= Double(memory.count) { memory.append(try MemoryLook.now()) }
                guard elapsed < seconds else { break }
                let due = self.due(pace, elapsed, after: requests)
                while requests < due {
                    let visit = Visit(of: self.visitors, at: self.pages, &own)
                    seen.insert(visit.visitor)
                    self.tally.begin()
                    group.addTask { try await self.serve(visit) }
                    requests += 1
                }
                try await Task.sleep(for: .milliseconds(1))
            }
            return Outcome(requests: requests, memory: memory, visitors: seen)
        }
        chance = own
        return outcome
    }

    private func due(_ pace: Pace, _ elapsed: Double, after requests: Int) -> Int {
        switch pace {
        case .steady(let rate):
            return Int(elapsed * rate)
        case .most(let waiting):
            let isFull = self.tally.underWay > 256 || self.signet.statistics.eventsWaiting > waiting
            return isFull ? requests : requests + 256
        }
    }

    private func serve(_ visit: Visit) async throws {
        let began = Nanoseconds.now
        let visitor = try await self.signet.open(Crowd.id(visit.visitor), identify: .ifUnknown)
        let opened = Nanoseconds.now
        let event = Event.screen("/products", attributes: LogTime.attributes(opened, page: visit.page))
        let before = Nanoseconds.now
        try visitor.log(event)
        self.tally.logged(open: opened - began, log: Nanoseconds.now - before)
        do throws(SignetError) {
            switch visit.call {
            case .none: return
            case .login: _ = try await visitor.login([.customerID: "customer-\(visit.visitor)"])
            case .logout: _ = try await visitor.logout()
            }
            self.tally.called()
        } catch {
            self.tally.called(error)
        }
    }

    /// Sends what waits, also after the pauses that the platform has asked for: a shutdown leaves it on disk then.
    ///
    /// - Throws: An error of `upload`, or `uploadPaused` after two minutes.
    func uploadAll() async throws {
        let deadline = Nanoseconds.now + 120_000_000_000
        while true {
            do throws(SignetError) {
                try await self.signet.upload(within: .seconds(120))
                return
            } catch {
                guard error.code == .uploadPaused, Nanoseconds.now < deadline else { throw error }
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Identifies the visitors whose first identify the platform has refused: their events wait for a user.
    ///
    /// - Parameter visitors: All who came.
    /// - Throws: An error of `open`, or of an identify that the steady platform refuses.
    func identifyAll(_ visitors: Set<Int>) async throws {
        let all = Array(visitors)
        try await withThrowingDiscardingTaskGroup { group in
            for task in 0..<64 {
                group.addTask {
                    for index in stride(from: task, to: all.count, by: 64) {
                        let visitor = try await self.signet.open(Crowd.id(all[index]), identify: .none)
                        guard visitor.currentUser == nil else { continue }
                        try await visitor.identify(
                            whenBusy: .wait(upTo: .seconds(60)),
                            retry: RetryPolicy(totalTime: .seconds(60))
                        )
                    }
                }
            }
        }
    }
}
