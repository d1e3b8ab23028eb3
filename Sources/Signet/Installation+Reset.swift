//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension Installation {
    /// Forgets everything of this installation, as the vendor's SDKs do with `reset`: the next open of its id is a first one.
    ///
    /// **What goes:** users with their identities, attributes and consent; the session, without an end; the opt-out; the device
    /// application stamp, device identities and attribution; launches, timed events and breadcrumbs; every event that waits,
    /// counted as ``DropCause/reset``; batches on their way and those that were set aside; alias requests and what other
    /// services were to do about a log-in; the visitor and the profile with all that was to be told of them.
    ///
    /// **What stays:** other installations, all of it; what the platform has already: ask it for that. A request that is on the
    /// wire may still be taken; its answer changes nothing.
    ///
    /// **Order:** a word is written down first. From then on the reset stands: calls of this and other handles throw `closed`,
    /// who waits for an answer gets `closed`, ``userChanges()`` says that nobody is current, and nothing that waits is sent. Then
    /// everything is removed. A process that dies half way has reset the installation: the next start finishes before it sends
    /// or opens anything. When this returns, it survives a loss of power.
    ///
    /// It is no erasure: bytes of what is gone stay in files until these are tidied up. Use `SignetRuntime.eraseUser(_:within:)`,
    /// before, where a user asks for that. To have what waits delivered first, use `SignetRuntime.upload(within:)`.
    ///
    /// Works with and without `run()`. It takes as long as the disk takes to look at all events that wait.
    ///
    /// - Throws: `closed`, `notRunning` after the end of the runtime, `diskFull`, `diskFailed`. Where the handle still works
    ///   after an error, nothing was changed. Where it is closed, the reset stands, and is finished by `run()` within a minute,
    ///   or by the next start; an open meanwhile finds nothing of before.
    public func reset() async throws(SignetError) {
        try await self.core.reset()
    }
}
