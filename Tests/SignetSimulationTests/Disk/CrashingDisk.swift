// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetTestSupport

/// Real files with the faults of a bad day, and a moment after which nothing happened any more.
///
/// At that moment the folder is copied as the crash leaves it. Whoever still uses the disk goes on in the old folder, which
/// nobody will see again.
final class CrashingDisk: Sendable {
    enum Crash: String, Sendable {
        /// The process dies: every byte that was written stays.
        case kill
        /// The machine dies: what was not flushed stays in part, in any order.
        case powerLoss
    }

    private struct State {
        var generator: SeededGenerator
        /// What a loss of power would leave; nil where none will come.
        var durable: DurableFiles?
        var conditions = DiskFault.fine
        var plan: (crash: Crash, calls: Int)?
        var crash: Crash?
        var faults = 0
    }

    let folder: DiskFolder
    /// What the crash leaves; empty before.
    let image: DiskFolder
    private let note: @Sendable (String) -> Void
    private let state: Locked<State>

    /// Makes a disk.
    ///
    /// - Parameters:
    ///   - folder: Everything in it counts as flushed.
    ///   - image: Where the crash leaves its traces.
    ///   - seed: Chooses faults and traces.
    ///   - canLosePower: Whether it keeps in mind what was flushed.
    ///   - note: Is told of each call.
    init(
        folder: DiskFolder,
        image: DiskFolder,
        seed: UInt64,
        canLosePower: Bool,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.note = note
        self.folder = folder
        self.image = image
        self.state = Locked(
            State(
                generator: SeededGenerator(seed: seed),
                durable: canLosePower ? DurableFiles(root: folder) : nil
            )
        )
    }

    /// The seam for the stores.
    var disk: Disk {
        Disk(asking: { self.answer($0) })
    }

    /// How it ended; nil while it has not.
    var crash: Crash? {
        self.state.withLock { $0.crash }
    }

    /// How many calls have failed, or were cut short.
    var faults: Int {
        self.state.withLock { $0.faults }
    }

    /// What goes wrong from now on.
    func set(_ conditions: DiskFault) {
        self.state.withLock { $0.conditions = conditions }
    }

    /// What goes wrong now.
    var conditions: DiskFault {
        self.state.withLock { $0.conditions }
    }

    /// Lets the crash come in a while.
    ///
    /// - Parameters:
    ///   - crash: How it ends.
    ///   - calls: After how many calls to the disk; at once for none.
    func plan(_ crash: Crash, after calls: Int) {
        self.state.withLock { state in
            guard state.crash == nil else { return }
            if calls == 0 {
                self.end(by: crash, &state)
            } else {
                state.plan = (crash, calls)
            }
        }
    }

    /// The crash does not come.
    func forgetPlan() {
        self.state.withLock { $0.plan = nil }
    }

    private func answer(_ request: Disk.Request) -> Disk.Fault? {
        self.state.withLock { state in
            guard state.crash == nil else { return nil }
            let name = request.name.hasPrefix("/") ? "" : request.name
            let bytes = request.bytes ?? 0..<0
            self.note("\(request.call.rawValue) \(name) \(bytes.lowerBound)..<\(bytes.upperBound)")
            if let (crash, calls) = state.plan {
                state.plan?.calls = calls - 1
                if calls == 1 {
                    self.end(by: crash, &state)
                    return nil
                }
            }
            let fault = state.conditions.fault(request.call, &state.generator)
            if fault != nil { state.faults += 1 }
            let fails = if case .failure? = fault { true } else { false }
            state.durable?.observe(request, fails: fails)
            return fault
        }
    }

    private func end(by crash: Crash, _ state: inout State) {
        state.crash = crash
        state.conditions = .fine
        switch crash {
        case .powerLoss:
            state.durable?.writeImage(to: self.image, &state.generator)
        case .kill:
            for folder in self.folder.tree {
                let image = DiskFolder(path: self.image.path + folder.path.dropFirst(self.folder.path.count))
                image.make()
                for name in folder.inodes.keys { image.store(folder.contents(of: name), as: name) }
            }
        }
    }
}
