// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// The state of a store, which refuses calls once the store is closed.
protocol StoreState: Sendable {
    var isClosed: Bool { get }
}

/// What the parts of a store share: the folder, and the state that the store's lock protects.
struct StoreCore<State: StoreState>: Sendable {
    let store: StoreFolder
    let state: Locked<State>

    init(_ store: StoreFolder, _ state: sending State) {
        self.store = store
        self.state = Locked(state)
    }

    var folder: Folder { self.store.folder }

    /// Runs a body under the store's lock, unless the store is closed.
    @inline(__always)
    func withOpenState<Result: Sendable>(
        _ body: (inout State) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try self.state.withLock { state throws(StorageError) in
            if state.isClosed { throw .closed(self.folder.path) }
            return try body(&state)
        }
    }
}
