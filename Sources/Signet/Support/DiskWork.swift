// SPDX-License-Identifier: Apache-2.0

/// The place of a runtime's work that waits for the disk.
package enum DiskWork: Sendable, Hashable {
    /// The runtime's own thread: no executor waits for the disk.
    case ownThread
    /// The task that asks for it, off its actor.
    ///
    /// It is for worlds that decide the order of all steps, such as simulations: a thread would add an order of its own.
    case callingTask
}
