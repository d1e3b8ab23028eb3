// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

extension InstallationCore {
    /// Sets the installation's context from now on; a session that is over ends before.
    ///
    /// - Parameter number: The number of a pinned record; zero for the configuration's context.
    /// - Throws: `closed`, or an error from the disk; then nothing has changed.
    func setContext(_ number: UInt32) throws(SignetError) {
        // Set at each request of a visitor, it is nearly always the same.
        let isSame = self.state.withLock { $0.phase == .open && $0.own == number }
        guard !isSame else { return }
        let effects = self.advance(Transition(context: number)) { sessions, now, timeout in
            sessions.timeOut(at: now, timeout)
        }
        self.tell(effects)
        guard let failure = effects.failure else { return }
        guard failure.code == .optedOut else { throw failure }
        // An opted-out installation has no session, but may opt in again.
        try self.state.withLock { state throws(SignetError) in
            guard state.phase == .open else { throw .closed }
            try self.choose(number, &state)
        }
    }

    /// Logs all later events under this number; nil changes nothing.
    func choose(_ number: UInt32?, _ state: inout State) throws(SignetError) {
        guard let number, number != state.own else { return }
        try self.services.ownContexts.choose(number, for: self.id)
        state.own = number
    }

    /// Forgets the context when no user is left: a place could reveal the user.
    func forgetContext(_ state: inout State) throws(SignetError) {
        if let number = try self.services.ownContexts.forget(state.own, of: self.id) { state.own = number }
    }
}
