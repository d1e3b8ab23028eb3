// SPDX-License-Identifier: Apache-2.0

#if HTTP
import ArgumentParser
import Signet

struct HTTPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http",
        abstract: "The transports that Signet ships, over HTTP.",
        discussion: """
            Delivers a journal of events that were logged through 1,000 installations to a counting sink in another process, \
            with each transport; the floor is the same number of requests of the same size by the same transport, with \
            nothing of Signet. With --url it does so to an emulator (`signet emulator`), where 1,000 installations first \
            log in, all at once.

            Example: event-load http --url http://127.0.0.1:8765 --events 200000
            """
    )

    @OptionGroup var options: LoadOptions

    @Option(help: "An emulator with the standard key; the counting sink when left out.")
    var url: String?

    @Option(help: "Through how many installations the events are logged.")
    var installations = 1000

    @Option(help: "How many requests are under way at once.")
    var connections = 4

    func validate() throws {
        guard self.installations >= 1, self.connections >= 1 else {
            throw ValidationError("--installations and --connections must be 1 or more.")
        }
    }

    func run() async throws {
        let url = try self.url.map { try ServerURL($0) }
        try await LoadTest.perform("http", self.options) { test in
            var results = Results()
            try await test.eachRun { run in
                for carrier in Carrier.allCases {
                    for delivery in Delivery.allCases {
                        let name = "\(carrier.name), \(delivery.name), \(url == nil ? "counting sink" : "emulator")"
                        guard self.options.includes(name) else { continue }
                        test.note(run, name)
                        let load = HTTPLoad(
                            carrier: carrier,
                            delivery: delivery,
                            events: self.options.events ?? 200_000,
                            installations: self.installations,
                            connections: self.connections
                        )
                        let measures =
                            if let url {
                                try await load.measure(against: url, run: run, test, &results)
                            } else {
                                try await load.measureSink(test, &results)
                            }
                        results.add(name, measures)
                    }
                }
            }
            return results
        }
    }
}
#endif
