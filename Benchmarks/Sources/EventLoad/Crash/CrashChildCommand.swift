// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Signet

/// The process that is killed: logs from all sides until then.
struct CrashChildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "crash-child", shouldDisplay: false)

    @Option var directory: String
    @Option var counters: String
    @Option var deliveries: String
    @Option var generation: Int
    @Option var delivery: Int
    /// Milliseconds from one burst of a producer to its next: at none, deliveries hardly get a turn.
    @Option var pace: Int

    func run() async throws {
        try Orphanage.watch()
        let file = open(self.deliveries, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw LoadError(system: "open \(self.deliveries)") }
        let counters = try SharedCounters(path: self.counters, count: CrashPlan.producers * CrashPlan.generations)
        let configuration = CrashPlan.configuration(self.directory, Delivery.allCases[self.delivery])
        let first = self.generation * CrashPlan.producers
        try await withSignet(configuration, transport: LedgerTransport(to: file)) { signet in
            let installations = try await CrashPlan.open(signet)
            // Without users nothing could be delivered; only the first process on a directory has to ask.
            for installation in installations where installation.currentUser == nil {
                _ = try await installation.initialIdentifyResult()
            }
            let pace = self.pace
            for thread in CrashPlan.tasks..<CrashPlan.producers {
                let installation = installations[thread % installations.count]
                try OSThread {
                    do {
                        var number = 0
                        while true {
                            try Self.log(first + thread, &number, installation, counters)
                            usleep(UInt32(pace * 1000))
                        }
                    } catch {
                        Progress.complain("crash-child: \(error)")
                        _exit(3)
                    }
                }.detach()
            }
            try await withThrowingTaskGroup { group in
                for task in 0..<CrashPlan.tasks {
                    let installation = installations[task % installations.count]
                    group.addTask {
                        var number = 0
                        while true {
                            try Self.log(first + task, &number, installation, counters)
                            if pace > 0 {
                                try await Task.sleep(for: .milliseconds(pace))
                            } else {
                                await Task.yield()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    // What the counter says was returned for; the event after it may be there or not.
    private static func log(
        _ producer: Int,
        _ number: inout Int,
        _ installation: Installation,
        _ counters: SharedCounters
    ) throws {
        for _ in 0..<32 {
            try installation.log(CheckedEvent.make(producer: producer, number: number))
            number += 1
            counters[producer] = number
        }
    }
}
