// SPDX-License-Identifier: Apache-2.0

import Foundation
package import SignetEmulator
package import SignetJournal
import SignetLock
package import SignetTestSupport

/// Dies at a given call: what is on disk then is what the next life finds, and nothing is sent any more.
package final class Killer: Sendable {
    private struct State {
        var calls = 0
        var isDead = false
        var failure: String?
    }

    package let image: TemporaryFolder
    private let path: String
    private let call: Int
    private let emulator: Emulator
    private let state = Locked(State())

    package init(of path: String, at call: Int, _ emulator: Emulator) throws {
        self.image = try TemporaryFolder()
        self.path = path
        self.call = call
        self.emulator = emulator
    }

    package var isDead: Bool { self.state.withLock { $0.isDead } }
    package var calls: Int { self.state.withLock { $0.calls } }
    package var failure: String? { self.state.withLock { $0.failure } }

    package var disk: Disk {
        Disk(asking: { request in
            if request.call != .read { self.count() }
            return nil
        })
    }

    private func count() {
        let isTime = self.state.withLock { state in
            state.calls += 1
            guard state.calls - 1 == self.call else { return false }
            state.isDead = true
            return true
        }
        guard isTime else { return }
        self.emulator.faults.injectAlways(.connectionRefused)
        do {
            try FileManager.default.copyItem(atPath: self.path, toPath: self.image.path + "/life")
        } catch {
            self.state.withLock { $0.failure = "\(error)" }
        }
    }
}
