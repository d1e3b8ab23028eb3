// SPDX-License-Identifier: Apache-2.0

public import SignetModel

/// The outcome of an identity sync: work that another service does because the user of an installation changed.
public struct IdentitySyncOutcome: Sendable {
    /// A service that follows logins.
    public struct Service: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        package init(name: String) {
            self.name = name
        }

        /// The name of the service.
        public var description: String { self.name }
    }

    /// The ways in which an identity sync ends.
    public enum Kind: Sendable {
        /// The service has done all of the work.
        case done
        /// The service will not do the work.
        case failed(SignetError)
        /// Another login or logout came before the work was done; data recorded for the earlier user stays theirs.
        case superseded
    }

    /// The installation whose user changed.
    public let installation: InstallationID
    /// The MPID of the user the work was for.
    public let mpid: MPID
    /// The service that was given the work.
    public let service: Service
    /// The way in which the work ended.
    public let kind: Kind
}
