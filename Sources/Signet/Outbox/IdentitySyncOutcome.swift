//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

/// What became of work that another service was given because the user of an installation changed.
public struct IdentitySyncOutcome: Sendable {
    /// The services that follow a login.
    public struct Service: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        init(name: String) {
            self.name = name
        }

        /// Iterable.
        public static let iterable = Service(name: "iterable")

        /// Infobip.
        public static let infobip = Service(name: "infobip")

        /// The name.
        public var description: String { self.name }
    }

    /// How it ended.
    public enum Kind: Sendable {
        /// The service has done all of it.
        case done
        /// The service will not do it.
        case failed(SignetError)
        /// Another login or logout has come before it was done; what was recorded for its user stays theirs.
        case superseded
    }

    /// On which installation.
    public let installation: InstallationID
    /// For which user.
    public let mpid: MPID
    /// Which service.
    public let service: Service
    /// How it ended.
    public let kind: Kind
}
