// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// The temporary folder of a scenario and the processes that it started: all that must be gone at its end.
final class Workspace: Sendable {
    private struct State {
        var folders = 0
        var children: Set<pid_t> = []
        var isCleared = false
    }

    let path: String
    private let state = Lock(State())

    /// Makes the folder.
    init(in parent: String, named name: String) throws {
        self.path = "\(parent)/\(name)-\(getpid())"
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    /// The name of a folder or file that nobody else has; not made.
    func fresh(_ name: String) -> String {
        let number = self.state.withLock { state in
            state.folders += 1
            return state.folders
        }
        return "\(self.path)/\(name)-\(number)"
    }

    /// Removes what stands at a path, if anything does.
    func remove(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.removeItem(atPath: path)
    }

    /// A process that must not live on.
    func adopt(_ child: pid_t) {
        let isLate = self.state.withLock { state in
            if !state.isCleared { state.children.insert(child) }
            return state.isCleared
        }
        if isLate { kill(child, SIGKILL) }
    }

    /// A process that has ended, and whose number may be somebody else's by now.
    func release(_ child: pid_t) {
        self.state.withLock { _ = $0.children.remove(child) }
    }

    /// Ends the processes and removes the folder; can be called again.
    func clear() {
        let children = self.state.withLock { state in
            state.isCleared = true
            defer { state.children = [] }
            return state.children
        }
        for child in children { kill(child, SIGKILL) }
        // After a signal others go on in it until the process ends: files come and go under the removal, which then fails
        // and is tried again.
        for attempt in 1...500 where FileManager.default.fileExists(atPath: self.path) {
            do {
                try FileManager.default.removeItem(atPath: self.path)
            } catch {
                if attempt == 500 { Progress.complain("\(self.path) could not be removed: \(error)") }
                usleep(1000)
            }
        }
    }
}
