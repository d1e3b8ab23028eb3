// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator

/// Installations whose user is known, so that what they log can be sent.
enum Crowd {
    /// The key and secret of the emulator that knows the users.
    static func configuration(_ directory: String) -> SignetConfiguration {
        let emulator = EmulatorConfiguration()
        // Neither a limit of the disk nor an upload of its own comes into a measurement.
        var configuration = SignetConfiguration.application(
            apiKey: emulator.apiKey,
            secret: emulator.secret,
            directory: directory
        )
        configuration.sessions.mode = .server
        configuration.sessions.timeout = .seconds(3600)
        return configuration
    }

    /// The name of an installation.
    static func id(_ number: Int) -> InstallationID {
        InstallationID("visitor-\(number)")
    }

    /// Makes a directory in which so many installations have a user, and nothing waits.
    static func settle(_ count: Int, in directory: String) async throws {
        let emulator = Emulator()
        let configuration = Self.configuration(directory)
        let left = try await withSignet(configuration, transport: emulator.transport) { signet in
            for first in stride(from: 0, to: count, by: 64) {
                let some = try await Self.open(first..<min(count, first + 64), of: signet, identify: .oncePerProcess)
                for installation in some { _ = try await installation.initialIdentifyResult() }
            }
            return await signet.shutdown(within: .seconds(120)).eventsLeft
        }
        guard left == 0 else { throw LoadError("\(left) events were left when the installations were made") }
    }

    /// Opens installations that ask the platform nothing.
    static func open(_ count: Int, of runtime: SignetRuntime) async throws -> [Installation] {
        try await Self.open(0..<count, of: runtime, identify: .none)
    }

    private static func open(
        _ numbers: Range<Int>,
        of runtime: SignetRuntime,
        identify: IdentifyPolicy
    ) async throws -> [Installation] {
        var installations: [Installation] = []
        for number in numbers { installations.append(try await runtime.open(Self.id(number), identify: identify)) }
        return installations
    }
}
