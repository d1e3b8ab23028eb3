// SPDX-License-Identifier: Apache-2.0

public import GRPCCore
public import Signet
public import SignetWebVisitors

/// Gives each client of a gRPC server an installation, by a signed token in the metadata.
///
/// A client without a token gets one in the metadata of its first answer, under `signet-visitor`. It keeps the token, such as in
/// its settings, and sends it with each call. An empty one says that the token it sent is no good: the client forgets it, and its
/// next call gets another. A call whose service throws gives no token.
///
/// Add it to the server's interceptors. In a service, `Visitor.current` is the caller's installation.
public struct VisitorInterceptor: ServerInterceptor {
    /// The key in the metadata of requests and answers.
    public static let key = "signet-visitor"

    private let visitors: WebVisitors

    /// Makes the interceptor.
    ///
    /// - Parameter visitors: The visitors of the process; their cookie is not used, only its name. Their `appUserAgents` names the
    ///   clients, such as `grpc-`: a `User-Agent` without a browser's beginning is that of a bot.
    public init(_ visitors: WebVisitors) {
        self.visitors = visitors
    }

    /// Opens the caller's installation, calls the service, and gives a new caller a token.
    public func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingServerRequest<Input>,
        context: ServerContext,
        next:
            @Sendable (
                _ request: StreamingServerRequest<Input>,
                _ context: ServerContext
            ) async throws -> StreamingServerResponse<Output>
    ) async throws -> StreamingServerResponse<Output> {
        let visit: WebVisit
        do {
            visit = try await self.visitors.visit(self.visitorRequest(request.metadata, context))
        } catch {
            // A disk that has failed ends no call; the observer of the runtime has been told.
            return try await next(request, context)
        }
        var response = try await Visitor.$current.withValue(visit.installation) { try await next(request, context) }
        if let token = visit.token { response.metadata.replaceOrAddString(token, forKey: Self.key) }
        // What removes a browser's cookie: no key has signed the token, or the visitor refuses.
        if visit.token == nil, visit.setCookie != nil { response.metadata.replaceOrAddString("", forKey: Self.key) }
        // "/shop.Catalogue/Get": the screen of a client without pages.
        if case .success = response.accepted {
            visit.installation?.logIfPossible(.screen("/\(context.descriptor.fullyQualifiedMethod)"))
        }
        return response
    }

    /// The head of a call as the visitors see it.
    ///
    /// Each key of the metadata is a field; the token stands in the place of the cookie.
    private func visitorRequest(_ metadata: Metadata, _ context: ServerContext) -> VisitorRequest {
        var fields: [(name: String, value: String)] = []
        for (key, value) in metadata where key.lowercased() != "cookie" {
            if case .string(let text) = value { fields.append((name: key, value: text)) }
        }
        for token in metadata[stringValues: Self.key] {
            fields.append((name: "Cookie", value: "\(self.visitors.configuration.cookie.name)=\(token)"))
        }
        return VisitorRequest(
            method: "POST",
            path: "/\(context.descriptor.fullyQualifiedMethod)",
            peer: Self.address(of: context.remotePeer),
            fields: fields
        )
    }

    /// The address of `ipv4:192.0.2.1:4711`; nil for other transports.
    private static func address(of peer: String) -> String? {
        for scheme in ["ipv4:", "ipv6:"] where peer.hasPrefix(scheme) {
            return String(peer.dropFirst(scheme.count))
        }
        return nil
    }
}

/// The caller of the service that runs in this task.
public enum Visitor {
    /// The caller's installation; nil for a bot, without consent, above the limit, and outside of a call.
    ///
    /// It is set until the service returns its response; what writes the messages of a stream takes it along.
    @TaskLocal public static var current: Installation?
}
