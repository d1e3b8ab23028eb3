// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

/// The configured context of events, as of their logging or the start of their session.
///
/// The context of one installation has the same type, see ``InstallationContexts``.
struct BatchContext: Sendable, Hashable {
    var plan: DataPlan?
    var environment: WorkspaceEnvironment?
    var application: ApplicationInformation?
    var device: DeviceInformation?
    /// The IP address, in the context of an installation only.
    var ip: IPAddress?

    init(
        plan: DataPlan? = nil,
        environment: WorkspaceEnvironment? = nil,
        application: ApplicationInformation? = nil,
        device: DeviceInformation? = nil
    ) {
        self.plan = plan
        self.environment = environment
        self.application = application
        self.device = device
    }

    /// Makes the context of an installation.
    init(_ context: InstallationContext) {
        self.init(application: context.application, device: context.device)
        self.ip = context.ip
    }

    /// Merges the context of an installation into this one.
    ///
    /// A value of the installation takes precedence.
    func merging(_ own: BatchContext?) -> BatchContext {
        guard let own else { return self }
        var merged = self
        merged.application = own.application ?? self.application
        merged.device = own.device ?? self.device
        merged.ip = own.ip
        return merged
    }
}

/// Numbers of contexts.
///
/// The tags of events refer to the context of their logging by its number.
///
/// A later configuration does not change events logged before it, nor the session that is open then.
struct BatchContexts: Sendable {
    /// The number of the configured context.
    let current: UInt16
    private let contexts: [UInt16: BatchContext]
    /// Zero is no context.
    private static let first: UInt16 = 1

    /// Restores the numbers of a directory, and numbers the configured context if it is new.
    ///
    /// - Throws: `invalidConfiguration` when a directory has seen 65,000 of them; errors of the disk.
    init(store: StateStore, current context: BatchContext) throws(SignetError) {
        var contexts: [UInt16: BatchContext] = [:]
        var next = Self.first
        // Numbers are given one after the other: the first that is missing ends the search.
        while let value = try store.value(for: StateKey.context(next)) {
            contexts[next] = BatchContext(value)
            guard next < .max else { break }
            next += 1
        }
        if let known = contexts.first(where: { $0.value == context })?.key {
            self.current = known
        } else {
            guard next < .max else {
                throw SignetError(
                    .invalidConfiguration,
                    "The directory holds the limit of 65,000 data plans, applications and devices. Use a new directory."
                )
            }
            try store.put(context.encoded(), for: StateKey.context(next))
            contexts[next] = context
            self.current = next
        }
        self.contexts = contexts
    }

    /// The context of a number; an empty one for an unknown number.
    func context(_ number: UInt16) -> BatchContext {
        self.contexts[number] ?? BatchContext()
    }
}
