// SPDX-License-Identifier: Apache-2.0

public import SignetModel

extension Installation {
    /// Logs an event for the current user and session.
    ///
    /// The kernel has the bytes before this returns: the event survives the death of the process, and is delivered by
    /// this process or the next. Call it from any task or thread; it works without `run()`.
    ///
    /// - Parameter event: The event.
    /// - Throws: `invalidArgument` if it breaks a documented limit or has more than 100 KiB of JSON, `optedOut`,
    ///   `closed`, `notRunning` after the end of the runtime, `limitReached` beyond
    ///   ``SignetConfiguration/Events/Storage/maximumBytes``, `diskFull`, `diskFailed`. After an error nothing was
    ///   logged.
    public func log(_ event: Event) throws(SignetError) {
        do throws(SignetError) {
            try self.core.log(event)
            let linked = self.core.managers.linked
            // An installation as an existential is retained, which takes longer for what is weakly referenced too.
            if !linked.all.isEmpty { linked.follow(event, of: self.core) }
        } catch {
            self.core.context.countRefusal(error.code)
            throw error.naming(Remedy.ofEvent(error.code))
        }
    }

    /// Logs an event without throwing, such as in a request handler.
    ///
    /// A refusal is counted in `SignetRuntime.statistics` and reported to the observer.
    ///
    /// - Parameter event: The event.
    public func logIfPossible(_ event: Event) {
        do throws(SignetError) {
            try self.log(event)
        } catch {
            self.core.context.observer.eventRefused(installation: self.id, error: error)
        }
    }
}
