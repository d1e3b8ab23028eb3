// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Signet
import SignetJournal
import SignetLock
import SignetTestSupport
import Testing

/// Copies of a directory, one before each call to the disk that changes something: what a kill at that moment would leave.
package final class KillImages: Sendable {
    private struct State {
        var isTaking = false
        var count = 0
        var failure: String?
    }

    private let path: String
    private let folder: TemporaryFolder
    private let state = Locked(State())

    /// Takes none before ``begin()``.
    package init(of path: String) throws {
        self.path = path
        self.folder = try TemporaryFolder()
    }

    /// Lets a process have the disk of which images are taken.
    ///
    /// The disk's work stays with its tasks: an image that another thread changes while it is copied is of no moment.
    package func watch(_ configuration: inout SignetConfiguration) {
        configuration.disk = Disk(asking: { request in
            if request.call != .read { self.take() }
            return nil
        })
        configuration.diskWork = .callingTask
    }

    /// Takes images from now on.
    package func begin() { self.state.withLock { $0.isTaking = true } }

    /// Takes a last one, of a kill after the last call.
    ///
    /// - Returns: How many there are.
    package func end() -> Int {
        self.take()
        return self.state.withLock { state in
            state.isTaking = false
            #expect(state.failure == nil)
            return state.count
        }
    }

    /// Where an image is.
    package func path(_ number: Int) -> String { "\(self.folder.path)/\(number)" }

    private func take() {
        let number = self.state.withLock { state -> Int? in
            guard state.isTaking else { return nil }
            state.count += 1
            return state.count - 1
        }
        guard let number else { return }
        do {
            try FileManager.default.copyItem(atPath: self.path, toPath: self.path(number))
        } catch {
            self.state.withLock { $0.failure = "\(error)" }
        }
    }
}
