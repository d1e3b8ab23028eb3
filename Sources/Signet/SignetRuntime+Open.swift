// SPDX-License-Identifier: Apache-2.0

import SignetLock
public import SignetModel

public import struct FoundationEssentials.UUID

extension SignetRuntime {
    /// Opens an installation: restores it from disk or makes it.
    ///
    /// It sends nothing before it returns. A new installation leaves nothing on disk until its first event, identity answer
    /// or setting: a visitor who only opens leaves nothing behind, without or with a context. It begins a session if
    /// ``SignetConfiguration/Sessions/beginsAtOpen`` says so, as in an application; that makes it durable.
    /// With a shared store a new installation has a row at once: its replicas must agree on the stamp. Retention removes it.
    ///
    /// All handles of an id share one state. The first open of an id in this
    /// process, and the first after ``Installation/endLaunch()``, is a launch. A launch decides about the initial
    /// identify; later opens request none.
    ///
    /// - Parameters:
    ///   - id: Your name for it: a cookie, a device; 1 to 256 bytes without control characters.
    ///   - identify: The automatic identify, in place of the configured one; see
    ///     ``Installation/initialIdentifyResult()`` for its outcome.
    ///   - context: The device, app and address from now on; nil keeps the previous context. See
    ///     ``Installation/setContext(_:)``.
    ///   - retry: The retry policy of that identify; nil for a single try.
    ///   - deviceApplicationStamp: The installation's permanent id at the platform, for several machines that present
    ///     the same one; nil for a random one. It cannot be changed later. A random one is the installation's for good once
    ///     the installation is on disk; until then it lasts as long as a handle.
    ///   - launchReferral: The referral that launched the app, such as a link; sent with
    ///     ``SignetConfiguration/Sessions/reportsApplicationState``.
    ///   - installType: The kind of this launch, for an app that knows it; nil for that of the configuration,
    ///     ``SignetConfiguration/Sessions/installType``. It counts for a launch that is reported, and no other open: give
    ///     it at each. With a shared store no launch is reported, and it has no effect.
    /// - Returns: A handle; keep it, or open again.
    /// - Throws: `invalidArgument`; `limitReached` if the session that it begins has no room on disk; `newerFormat`;
    ///   `diskFull`, `diskFailed`; `notRunning` after the end of the runtime. With a shared store also `workspaceMismatch`, and, unless
    ///   ``FleetConfiguration/whenUnreachable`` is `logOnly`, `storeUnreachable`, `storeBusy`, `outcomeUnknown`, `storeFailed`.
    public nonisolated(nonsending) func open(
        _ id: InstallationID,
        identify: IdentifyPolicy,
        context: InstallationContext? = nil,
        retry: RetryPolicy? = nil,
        deviceApplicationStamp: UUID? = nil,
        launchReferral: String? = nil,
        installType: SignetConfiguration.Sessions.InstallType? = nil
    ) async throws(SignetError) -> Installation {
        let request = InstallationOpening.Request(
            identify: identify,
            context: context,
            retry: retry,
            deviceApplicationStamp: deviceApplicationStamp,
            launchReferral: launchReferral,
            installType: installType
        )
        do throws(SignetError) {
            if let fleet = self.context.fleet {
                return Installation(try await self.opening.open(id, request, in: fleet))
            }
            return Installation(try self.opening.open(id, request))
        } catch {
            // An open that begins a session writes before any event: the server hears of a disk that refuses here first.
            self.context.health.failed(error.code)
            throw error
        }
    }

    /// Opens an installation with the automatic identify of the configuration, ``SignetConfiguration/Identity/atOpen``.
    ///
    /// Otherwise as ``open(_:identify:context:retry:deviceApplicationStamp:launchReferral:installType:)``.
    ///
    /// - Parameters:
    ///   - id: Your name for it: a cookie, a device; 1 to 256 bytes without control characters.
    ///   - context: The device, app and address from now on; nil keeps the previous context.
    ///   - retry: The retry policy of the identify; nil for a single try.
    ///   - deviceApplicationStamp: The installation's permanent id at the platform; nil for a random one.
    ///   - launchReferral: The referral that launched the app, such as a link.
    ///   - installType: The kind of this launch; nil for that of the configuration.
    /// - Returns: A handle; keep it, or open again.
    /// - Throws: As ``open(_:identify:context:retry:deviceApplicationStamp:launchReferral:installType:)``.
    public nonisolated(nonsending) func open(
        _ id: InstallationID,
        context: InstallationContext? = nil,
        retry: RetryPolicy? = nil,
        deviceApplicationStamp: UUID? = nil,
        launchReferral: String? = nil,
        installType: SignetConfiguration.Sessions.InstallType? = nil
    ) async throws(SignetError) -> Installation {
        try await self.open(
            id,
            identify: IdentifyPolicy(self.context.configuration.identity.atOpen),
            context: context,
            retry: retry,
            deviceApplicationStamp: deviceApplicationStamp,
            launchReferral: launchReferral,
            installType: installType
        )
    }

    /// Drops an installation from memory, as the death of the process does.
    ///
    /// Nothing ends, nothing is logged, answers in flight are lost. The next open is a launch and restores it from
    /// disk.
    package func evict(_ id: InstallationID) {
        self.context.identifyPauses.withLock { $0.clear(id) }
        self.registry.evict(id)
        self.managers.linked.retire(id)
    }
}
