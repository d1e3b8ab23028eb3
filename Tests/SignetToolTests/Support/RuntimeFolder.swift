// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import Signet
import SignetEmulator
import SignetModel
import SignetTesting
import Testing

import class Foundation.FileManager
import struct Foundation.UUID

/// A folder for a test, and a runtime's directory in it.
enum RuntimeFolder {
    /// Some batches set aside, three events waiting.
    static func fill(_ folder: String, refused: Int = 1) async throws {
        try await withEmulatedSignet(in: folder, configure: { $0.sessions.beginsAtOpen = true }) { signet in
            let installation = try await signet.runtime.open("tool")
            _ = try await installation.login([.customerID: "c1"])
            // A batch of several that is refused would go in halves.
            try await signet.runtime.upload()
            for _ in 0..<refused {
                signet.emulator.faults.inject(.refused(status: 400, code: "BAD", message: "no"), on: .events)
                signet.emulator.faults.inject(.refused(status: 400, code: "BAD", message: "no"), on: .bulkEvents)
                try installation.log(.custom("refused"))
                try await signet.runtime.upload()
                signet.emulator.faults.clear()
            }
            try #require(await signet.runtime.deadLetters.list().count == refused)
            signet.emulator.faults.injectAlways(.connectionRefused, on: .events)
            signet.emulator.faults.injectAlways(.connectionRefused, on: .bulkEvents)
            for number in 1...3 { try installation.log(.custom("waiting \(number)")) }
        }
    }

    /// It is gone afterwards.
    static func with(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/signet-tool-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer {
            do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record("\(error)") }
        }
        try await body(folder)
    }
}
#endif
