// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator

#if SIGNET_EMULATOR_SERVER
import SignetServer
#endif

/// The live page on the outcome of a replay; there only with the trait `Tool`, which fetches an HTTP server.
enum LivePage {
    /// How to get the page in a build without it; nil in a build with it.
    static var missing: String? {
        #if SIGNET_EMULATOR_SERVER
        nil
        #else
        "--serve needs the live page, which this build does not have. "
            + "Run: swift run --traits Tool quickstart --serve"
        #endif
    }

    /// Serves the page until the process ends.
    ///
    /// - Throws: `EmulatorServerError` if nothing can listen on the port.
    static func serve(_ emulator: Emulator, port: Int) async throws {
        #if SIGNET_EMULATOR_SERVER
        let server = EmulatorServer(emulator, configuration: EmulatorServerConfiguration(port: port))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.run() }
            let url = try await server.url()
            print("\nThe live page: \(url)/\nPress Ctrl-C to end it.")
            // A signal ends the process, and with it what a pipe has not got yet.
            fflush(nil)
            try await tasks.waitForAll()
        }
        #endif
    }
}
