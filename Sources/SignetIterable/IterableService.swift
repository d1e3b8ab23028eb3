// SPDX-License-Identifier: Apache-2.0

public import Signet
import SignetModel

/// Unknown user activation with Iterable, for a runtime.
///
/// ```swift
/// let runtime = try SignetRuntime(
///     configuration,
///     services: [IterableService(IterableConfiguration(apiKey: "…"))],
///     transport: transport
/// )
/// ```
///
/// Each installation then has `Signet.Installation.iterable`.
public struct IterableService: SignetService {
    /// The settings.
    public let configuration: IterableConfiguration

    /// Makes the service; the runtime checks the settings when it starts.
    public init(_ configuration: IterableConfiguration) {
        self.configuration = configuration
    }

    /// The part of the service that the runtime uses.
    public var definition: ServiceDefinition {
        ServiceDefinition(
            .iterable,
            tag: "v",
            erasedCount: "iterable.records_dropped.forgotten",
            problems: self.configuration.problems,
            erase: { records, _, isErased throws(SignetError) in
                (try IterableStore(records).erase(where: isErased), 0)
            },
            due: { records, isOptedOut throws(SignetError) in
                try IterableStore(records).due(isOptedOut: isOptedOut)
            },
            make: { [configuration] context throws(SignetError) in IterableServices(configuration, context) }
        )
    }
}

extension IdentitySyncOutcome.Service {
    /// Iterable.
    public static let iterable = IdentitySyncOutcome.Service(name: "iterable")
}
