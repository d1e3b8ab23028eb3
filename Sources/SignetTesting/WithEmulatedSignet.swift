// SPDX-License-Identifier: Apache-2.0

public import Signet
public import SignetEmulator

import class FoundationEssentials.FileManager
import struct FoundationEssentials.UUID

/// Runs a runtime on an emulator of its own for the duration of a body, in a folder that is removed afterwards.
///
/// ```swift
/// try await withEmulatedSignet { signet in
///     let visitor = try await signet.runtime.open("cookie-17")
///     try await visitor.login([.customerID: "c-17"])
///     #expect(signet.emulator.users().count == 1)  // the guest became the customer
/// }
/// ```
///
/// The folder lies in the temporary folder (`TMPDIR`); it stays there only if the process is killed. To test a restart, pass a
/// folder: ``withEmulatedSignet(in:emulator:clock:services:observer:configure:isolation:_:)``.
///
/// The settings are a server's defaults, as in production; `configure` changes them. For an app on a device:
/// `configure: { $0.useApplicationDefaults() }`.
///
/// - Parameters:
///   - emulator: The rules of the platform.
///   - clock: The clock of the runtime and the emulator.
///   - services: The services of the runtime.
///   - observer: Observes the runtime.
///   - configure: Changes the configuration.
///   - isolation: The isolation of the body; the caller's by default.
///   - body: Works with the runtime.
/// - Returns: The result of the body.
/// - Throws: The errors of the body, a `SignetError` of the start, or the error of the removal.
public func withEmulatedSignet<Result>(
    emulator: EmulatorConfiguration = EmulatorConfiguration(),
    clock: ManualClock = ManualClock(),
    services: [any SignetService] = [],
    observer: (any SignetObserver)? = nil,
    configure: (inout SignetConfiguration) -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation,
    _ body: (EmulatedSignet) async throws -> Result
) async throws -> Result {
    let files = FileManager.default
    let folder = files.temporaryDirectory.path + "/signet-testing-" + UUID().uuidString
    let result: Result
    do {
        result = try await withEmulatedSignet(
            in: folder,
            emulator: emulator,
            clock: clock,
            services: services,
            observer: observer,
            configure: configure,
            isolation: isolation,
            body
        )
    } catch {
        // The first error is reported; a start that failed may have made no folder.
        do { try files.removeItem(atPath: folder) } catch {}
        throw error
    }
    try files.removeItem(atPath: folder)
    return result
}

/// Runs a runtime on an emulator of its own for the duration of a body, and shuts it down in order.
///
/// ```swift
/// try await withEmulatedSignet(in: folder) { signet in
///     let visitor = try await signet.runtime.open("cookie-17")
///     try await visitor.login([.customerID: "c-17"])
///     #expect(signet.emulator.users().count == 1)  // the guest became the customer
/// }
/// ```
///
/// The settings are a server's defaults, as in production; `configure` changes them. For an app on a device:
/// `configure: { $0.useApplicationDefaults() }`.
///
/// - Parameters:
///   - directory: An existing or new folder.
///   - emulator: The rules of the platform.
///   - clock: The clock of the runtime and the emulator.
///   - services: The services of the runtime.
///   - observer: Observes the runtime.
///   - configure: Changes the configuration.
///   - isolation: The isolation of the body; the caller's by default.
///   - body: Works with the runtime.
/// - Returns: The result of the body.
/// - Throws: The errors of the body, or a `SignetError` of the start.
public func withEmulatedSignet<Result>(
    in directory: String,
    emulator: EmulatorConfiguration = EmulatorConfiguration(),
    clock: ManualClock = ManualClock(),
    services: [any SignetService] = [],
    observer: (any SignetObserver)? = nil,
    configure: (inout SignetConfiguration) -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation,
    _ body: (EmulatedSignet) async throws -> Result
) async throws -> Result {
    let signet = try EmulatedSignet(
        in: directory,
        emulator: emulator,
        clock: clock,
        services: services,
        observer: observer,
        configure: configure
    )
    return try await signet.run(isolation: isolation, body)
}
