//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

extension Installation {
    /// Logs an event for who is known and which session is open now.
    ///
    /// When this returns, the bytes are with the kernel: the event survives the death of the process, and is delivered by
    /// this process or the next. From any task or thread; works without `run()`.
    ///
    /// - Parameter event: What happened.
    /// - Throws: `invalidArgument` when it breaks a documented limit or has more than 100 KiB of JSON, `optOut`,
    ///   `closed`, `notRunning` after the end of the runtime, `limitReached` beyond
    ///   ``SignetConfiguration/Events/Storage/maximumBytes``, `diskFull`, `diskFailed`. Then nothing was logged.
    public func log(_ event: Event) throws(SignetError) {
        do throws(SignetError) {
            try self.core.log(event)
            self.core.mirror(event)
        } catch {
            self.core.services.statistics.eventRefused(error.code)
            throw error
        }
    }

    /// Logs an event where an error has no place, such as a request handler: a refusal is counted in
    /// `SignetRuntime.statistics` and told to the observer.
    ///
    /// - Parameter event: What happened.
    public func logIfPossible(_ event: Event) {
        do throws(SignetError) {
            try self.log(event)
        } catch {
            self.core.services.observer.eventRefused(installation: self.id, error: error)
        }
    }
}
