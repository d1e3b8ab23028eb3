// SPDX-License-Identifier: Apache-2.0

public import Configuration
public import Signet

#if Fleet
import SignetPostgres
#endif

extension SignetConfiguration {
    /// Shares the visitors with other replicas, if `SIGNET_STORE` names a PostgreSQL database; needs the trait `Fleet`.
    ///
    /// Pages go on while the database is away: what visitors do is logged, and belongs to them when it is back.
    public mutating func shareVisitors(config: ConfigReader) throws {
        guard let url = config.string(forKey: "store", isSecret: true) else { return }
        #if Fleet
        self.fleet = FleetConfiguration(store: try PostgresStore(Secret(url)), whenUnreachable: .logOnly)
        #else
        throw SharingError(settings: "SIGNET_STORE", characters: url.count)
        #endif
    }
}

/// A setting that this build of the shop cannot follow.
public struct SharingError: Error, CustomStringConvertible {
    let settings: String
    let characters: Int

    /// The missing trait.
    public var description: String {
        "\(self.settings) is set (\(self.characters) characters), but the shop was built without it: add --traits Fleet."
    }
}
