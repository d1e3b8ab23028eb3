// SPDX-License-Identifier: Apache-2.0

import SignetModel

package import struct FoundationEssentials.UUID

/// What ``LinkedServiceDriver`` must know of one service: its disk, its requests, and the effects of its actions.
///
/// Every method that takes the driver runs on it. Those that are not `async` do not suspend, so nothing happens between
/// what they read and what they change.
package protocol LinkedAdapter: Sendable {
    associatedtype Machine: LinkedMachine
    /// What the driver holds beside the machine; the process loses it: tokens, callers, evaluators.
    associatedtype State
    /// The state that callers read without waiting for the driver.
    associatedtype Snapshot: Sendable
    typealias Driver = LinkedServiceDriver<Self>

    static var service: IdentitySyncOutcome.Service { get }

    var context: LinkedServiceContext { get }

    /// True if logins and logouts are forwarded to the service; the outbox is read only then.
    var followsLogin: Bool { get }

    static func snapshot(of machine: Machine) -> Snapshot

    // MARK: - Before a decision

    /// Takes over what the installation is now, before its outbox is read: an opt-out, a launch.
    ///
    /// - Throws: The error of the disk; the call that follows is then refused.
    func prepare(_ driver: isolated Driver) throws(SignetError)

    /// The place of the first logged event that waits, after an entry of the outbox; nil if none waits.
    func firstEvent() -> LinkedEventPlace?

    /// Takes over the first logged event.
    func takeFirstEvent(_ driver: isolated Driver)

    /// Takes over an entry of the outbox; the machine's `followed` is then its id.
    func follow(_ entry: OutboxEntry, in machine: inout Machine) -> [Machine.Action]

    /// Reports the entries of the outbox that have ended; all of them are taken over.
    func review(_ open: [OutboxEntry], of home: any LinkedHome, _ driver: isolated Driver)

    // MARK: - A decision

    /// Writes what a decision needs on disk before it counts.
    func persist(_ actions: [Machine.Action], of machine: Machine, _ driver: isolated Driver) throws(SignetError)

    /// Writes what has happened already; reports what the disk refuses.
    ///
    /// - Returns: The actions that are still to be performed.
    func keep(_ actions: [Machine.Action], _ driver: isolated Driver) -> [Machine.Action]

    /// Performs the actions of a decision that counts; the snapshot is published.
    func perform(_ actions: [Machine.Action], _ driver: isolated Driver)

    /// Looks at the machine after a decision or an answer.
    func reviewMachine(_ driver: isolated Driver)

    // MARK: - Work

    /// Takes over what an operation depends on: an opt-out, a token.
    ///
    /// - Returns: False if nothing may be sent; the next call tries again.
    func prepareToSend(_ driver: isolated Driver) -> Bool

    /// Performs one operation.
    func answer(to operation: Machine.Operation, _ driver: isolated Driver) async -> Machine.Answer

    /// Does in other actors what follows from decisions and answers.
    func runDeferredEffects(_ driver: isolated Driver) async

    /// Takes over what other parts know, for a visit without the app.
    func prepareVisit(_ driver: isolated Driver) async

    /// True if the driver has unsent data that must not be on disk: it then stays in memory as long as the runtime.
    func hasUnwritten(_ driver: isolated Driver) -> Bool

    /// There is nothing to do: a mark on disk that says otherwise is removed.
    func rest(_ driver: isolated Driver)

    /// Ends the work: the runtime ends, the driver is retired, or nothing may be sent.
    func end(_ driver: isolated Driver)

    /// Ends the driver, with the runtime.
    func stop(_ driver: isolated Driver) async
}

/// The place of a logged event among the changes of the user.
package struct LinkedEventPlace: Sendable {
    /// The newest entry of the outbox when the event was logged; nil if there was none.
    package let after: UUID?

    package init(after: UUID?) {
        self.after = after
    }
}

extension LinkedAdapter {
    package func prepare(_ driver: isolated Driver) throws(SignetError) {}
    package func firstEvent() -> LinkedEventPlace? { nil }
    package func takeFirstEvent(_ driver: isolated Driver) {}
    package func reviewMachine(_ driver: isolated Driver) {}
    package func runDeferredEffects(_ driver: isolated Driver) async {}
    package func prepareVisit(_ driver: isolated Driver) async {}
    package func hasUnwritten(_ driver: isolated Driver) -> Bool { false }
    package func rest(_ driver: isolated Driver) {}
    package func end(_ driver: isolated Driver) {}

    package func keep(_ actions: [Machine.Action], _ driver: isolated Driver) -> [Machine.Action] {
        do throws(SignetError) {
            try self.persist(actions, of: driver.machine, driver)
        } catch {
            driver.reportNotSaved(error)
        }
        return actions
    }
}
