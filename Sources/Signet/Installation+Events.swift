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
    /// - Throws: `invalidArgument` when it breaks a documented limit, `optOut`, `closed`, `notRunning` after the end of the
    ///   runtime, `diskFull`, `diskFailed`. Then nothing was logged.
    public func log(_ event: Event) throws(SignetError) {
        do throws(SignetError) {
            try self.core.log(event)
        } catch {
            self.core.services.statistics.eventRefused(error.code)
            throw error
        }
    }

    /// Logs an event where an error has no place, such as a request handler: a refusal is counted in
    /// `SignetRuntime.statistics` and told to the observer.
    ///
    /// - Parameter event: What happened.
    public func record(_ event: Event) {
        do throws(SignetError) {
            try self.log(event)
        } catch {
            self.core.services.observer.eventRefused(installation: self.id, error: error)
        }
    }

    /// The session now; nil when the last one has ended and nothing has happened since.
    public var currentSession: Session? {
        self.core.currentSession
    }

    /// The app goes to the background: from now on its session can time out.
    ///
    /// - Throws: `closed`, `optOut`, `diskFull`, `diskFailed`, `notRunning` after the end of the runtime.
    public func enterBackground() throws(SignetError) {
        try self.core.enterBackground()
    }

    /// The app comes to the foreground: its session goes on, or the next one begins if the timeout is over.
    ///
    /// - Throws: `closed`, `optOut`, `diskFull`, `diskFailed`, `notRunning` after the end of the runtime.
    public func enterForeground() throws(SignetError) {
        try self.core.enterForeground()
    }
}
