//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation
import Signet
import SignetEmulator

/// Makes a directory with many installations, closes it, and times opening it again.
///
/// Every installation has a record, an open session and one event that waits, as after a crash. The floor is reading the
/// same files once.
struct StartBenchmark {
    let installations: Int

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("signet-start-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = SignetConfiguration(apiKey: "us1-bench", secret: "secret", directory: folder.path)
        let transport = Emulator().transport
        let clock = ContinuousClock()

        let making = try await clock.measure {
            let runtime = try SignetRuntime(configuration, transport: transport)
            for number in 0..<self.installations {
                _ = try runtime.open(InstallationID("visitor-\(number)"), identify: .none)
            }
            await runtime.shutdown()
        }
        let (bytes, reading) = try self.readAll(folder, clock)
        var opened: SignetRuntime?
        let opening = try clock.measure { opened = try SignetRuntime(configuration, transport: transport) }
        guard let opened else { return }
        let restored = try clock.measure {
            for number in stride(from: 0, to: self.installations, by: max(1, self.installations / 1000)) {
                _ = try opened.open(InstallationID("visitor-\(number)"), identify: .none)
            }
        }
        let waiting = opened.statistics.eventsWaiting
        await opened.shutdown()

        print("installations            \(self.installations)")
        print("first open, each         \(making / self.installations)")
        print("directory                \(bytes / 1_000_000) MB, \(waiting) events waiting")
        print("floor: reading it once   \(reading)")
        print("opening the runtime      \(opening)")
        print("restoring 1 installation \(restored / min(self.installations, 1000))")
    }

    private func readAll(_ folder: URL, _ clock: ContinuousClock) throws -> (bytes: Int, time: Duration) {
        var bytes = 0
        let time = try clock.measure {
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
                var isFolder: ObjCBool = false
                let path = folder.appendingPathComponent(name).path
                guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue,
                    let handle = FileHandle(forReadingAtPath: path)
                else { continue }
                while let chunk = try handle.read(upToCount: 1 << 20), !chunk.isEmpty { bytes += chunk.count }
                try handle.close()
            }
        }
        return (bytes, time)
    }
}
