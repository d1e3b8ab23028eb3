// SPDX-License-Identifier: Apache-2.0

import Signet

// Saves without a waiting caller.
extension InfobipManager {
    /// Keeps the changes of a call; they are sent as soon as possible, without a further report.
    ///
    /// - Returns: `done` if there is nothing to send.
    func keep(_ call: InfobipCall) async throws(SignetError) -> InfobipSaveResult {
        try self.catchUp()
        let now = self.services.time.uptime
        let beginning = try self.decide { machine in
            let (beginning, actions) = machine.begin(call, now: now)
            if case .waits(let ticket) = beginning { _ = machine.end([ticket], .success(.pending)) }
            return (beginning, actions)
        }
        self.work()
        switch beginning {
        case .ended(let result): return try result.get()
        case .waits: return .pending
        }
    }
}
