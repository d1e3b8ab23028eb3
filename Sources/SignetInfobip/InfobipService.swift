// SPDX-License-Identifier: Apache-2.0

public import Signet
import SignetModel

/// Infobip's people and installations (Infobip Mobile API), for a runtime.
///
/// ```swift
/// let runtime = try SignetRuntime(
///     configuration,
///     services: [InfobipService(InfobipConfiguration(applicationCode: "…"))],
///     transport: transport
/// )
/// ```
///
/// Each installation then has `Signet.Installation.infobip`.
public struct InfobipService: SignetService {
    /// The settings.
    public let configuration: InfobipConfiguration

    /// Makes the service; the runtime checks the settings when it starts.
    public init(_ configuration: InfobipConfiguration) {
        self.configuration = configuration
    }

    /// The part of the service that the runtime uses.
    public var definition: ServiceDefinition {
        ServiceDefinition(
            .infobip,
            tag: "q",
            erasedCount: "infobip.events_dropped",
            problems: self.configuration.problems,
            erase: { records, mentioned, isErased throws(SignetError) in
                var (removed, damaged) = (0, 0)
                for mpid in mentioned where isErased(mpid) {
                    removed += try InfobipStore(records, persistsUser: true).forgetLeft { _ in damaged += 1 }
                }
                return (removed, damaged)
            },
            due: { records, isOptedOut throws(SignetError) in
                try InfobipStore(records, persistsUser: true).memory()?.due(isOptedOut: isOptedOut) ?? .nothing
            },
            make: { [configuration] context throws(SignetError) in try InfobipServices(configuration, context) }
        )
    }
}

extension IdentitySyncOutcome.Service {
    /// Infobip.
    public static let infobip = IdentitySyncOutcome.Service(name: "infobip")
}
