// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

// The request of a plan and its answer on the wire (IDSync HTTP API).
extension IdentityPlan {
    /// The body of one try, with a request id of its own.
    ///
    /// - Parameters:
    ///   - now: The moment of the try, in milliseconds since 1970.
    ///   - configuration: The environment and the platform of the client.
    /// - Returns: The JSON.
    func body(at now: Int64, _ configuration: SignetConfiguration) -> [UInt8] {
        let client = ClientInfo.signet(on: configuration.clientPlatform)
        let known: [IdentityType: String]
        let (previous, context): (MPID?, String?)
        switch self {
        case .transition(_, let identities, let user, let answered, _):
            (known, previous, context) = (identities, user, answered)
        case .search(let identities):
            (known, previous, context) = (identities, nil, nil)
        case .modify(_, let changes, _):
            return ModifyBody(
                environment: configuration.environment,
                requestID: UUID(),
                milliseconds: now,
                changes: changes,
                client: client
            ).encoded()
        }
        return IdentityBody(
            environment: configuration.environment,
            requestID: UUID(),
            milliseconds: now,
            previousMPID: previous,
            context: context,
            knownIdentities: known,
            client: client
        ).encoded()
    }

    /// Reads the body of an answer with status 200 or 202.
    func answer(_ body: [UInt8]) -> IdentityAnswer {
        do throws(WireError) {
            switch self {
            case .transition:
                return .user(try IdentityReply(body))
            case .modify:
                return .modified(try ModifyReply(body))
            case .search:
                let reply = try IdentityReply(body)
                let match = SearchResult.Match(
                    mpid: reply.mpid,
                    isLoggedIn: reply.isLoggedIn,
                    matchedIdentities: reply.matchedIdentities
                )
                return .found(.found(match))
            }
        } catch {
            return .failed(SignetError(.unexpectedAnswer, error.message, cause: error))
        }
    }
}
