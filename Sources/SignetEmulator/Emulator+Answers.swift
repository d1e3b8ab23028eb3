// SPDX-License-Identifier: Apache-2.0

import SignetTransport

// Each method reads the request without the lock, then passes it to the handler under the lock.
extension Emulator {
    func resolve(
        _ request: TransportRequest,
        by route: EmulatorRoute,
        target: RequestTarget
    ) throws(Refusal) -> TransportResponse {
        let identityRequest = try IdentityRequest(self.identityBody(of: request), target: target)
        return try self.withState { (state, now) throws(Refusal) in
            try state.resolve(identityRequest, by: route, at: now)
        }
    }

    func modify(_ request: TransportRequest, target: RequestTarget) throws(Refusal) -> TransportResponse {
        let modifyRequest = try ModifyRequest(self.identityBody(of: request), target: target)
        return try self.withState { (state, now) throws(Refusal) in
            try state.modify(modifyRequest, at: now)
        }
    }

    func alias(_ request: TransportRequest, target: RequestTarget) throws(Refusal) -> TransportResponse {
        guard target.segments.count == 4, target.segments[2] == self.configuration.apiKey else {
            throw .unauthorized("The key in the path is wrong.")
        }
        return try self.alias(request, isWeb: false)
    }

    /// `POST /v1/identity/{apiKey}/Alias`: the alias of a web page.
    func aliasFromWeb(_ request: TransportRequest) throws(Refusal) -> TransportResponse {
        try self.alias(request, isWeb: true)
    }

    private func alias(_ request: TransportRequest, isWeb: Bool) throws(Refusal) -> TransportResponse {
        try self.withState { (state, _) throws(Refusal) in try state.aliasHandler.checkProvisioned() }
        let body = try self.identityBody(of: request, mayBeText: isWeb)
        let aliasRequest = try AliasRequest(body, apiKey: self.configuration.apiKey, isWeb: isWeb)
        return try self.withState { (state, now) throws(Refusal) in
            try state.alias(aliasRequest, at: now)
        }
    }

    /// The configuration with which mParticle's SDK for browsers starts.
    ///
    /// No document describes it. Inferred from the SDK, release 2.71.2: `IConfigResponse` of `src/configAPIClient.ts` has
    /// the members. `processConfig` of `src/store.ts` names the page's storage by the token, and warns without one. The
    /// SDK puts the answer over the page's own settings, so `flags` are left out: those of the page count. Without any,
    /// the SDK sends each event at once. There are no kits and no pixels.
    var webConfiguration: TransportResponse {
        let body: JSONValue = [
            "workspaceToken": .string(self.configuration.apiKey), "kitConfigs": [], "pixelConfigs": [],
        ]
        return TransportResponse(json: body.encoded())
    }

    /// Accepts or refuses one batch (`POST /v2/events`, and the path of web pages).
    func takeBatch(_ request: TransportRequest, in dialect: EventDialect) throws(Refusal) -> TransportResponse {
        let body = try self.eventsBody(of: request, mayBeText: dialect.mayBeText)
        do throws(Refusal) {
            guard body.count <= self.configuration.limits.batchBytes else { throw self.batchTooLong }
            try self.take(body.value, in: dialect)
        } catch {
            self.withState { (state, now) in state.refuse(body.value, error, at: now) }
            throw error
        }
        return TransportResponse(status: 202)
    }

    /// `POST /v2/bulkevents`: answers 202 even if some or all of the batches are refused (developers, server, HTTP).
    func takeBatches(_ request: TransportRequest) throws(Refusal) -> TransportResponse {
        let limits = self.configuration.limits
        let body = try self.eventsBody(of: request)
        guard let values = body.value.array else {
            throw .badRequest("The body must be an array of batches.")
        }
        guard values.count <= limits.batchesPerRequest else {
            throw .badRequest("The body must hold \(limits.batchesPerRequest) batches at most.")
        }
        for value in values {
            do throws(Refusal) {
                // A short body has short parts. Measuring a part means encoding it again.
                if body.count > limits.batchBytes, value.encoded().count > limits.batchBytes {
                    throw self.batchTooLong
                }
                try self.take(value, in: .server)
            } catch {
                self.withState { (state, now) in state.refuse(value, error, at: now) }
            }
        }
        return TransportResponse(status: 202)
    }

    private func take(_ value: JSONValue, in dialect: EventDialect) throws(Refusal) {
        try self.configuration.limits.checkMarks(value)
        let batch = try BatchRequest(value, in: dialect)
        try self.withState { (state, now) throws(Refusal) in try state.take(batch, at: now) }
    }

    private var batchTooLong: Refusal {
        .badRequest("The batch is longer than \(self.configuration.limits.batchBytes) bytes.")
    }

    private func identityBody(of request: TransportRequest, mayBeText: Bool = false) throws(Refusal) -> JSONValue {
        let limits = self.configuration.limits
        let limit = limits.identityRequestBytes
        return try RequestBody.read(request, limit: limit, limits: limits, mayBeGzip: true, mayBeText: mayBeText)
    }

    private func eventsBody(of request: TransportRequest, mayBeText: Bool = false) throws(Refusal) -> RequestBody {
        let limits = self.configuration.limits
        return try RequestBody(
            request,
            limit: limits.eventsRequestBytes,
            depth: limits.jsonDepth,
            mayBeGzip: true,
            mayBeText: mayBeText
        )
    }

    /// The first project of Iterable's API.
    public var iterable: EmulatedIterable {
        EmulatedIterable(self.configuration.iterableProjects.first?.apiKey ?? "", of: self)
    }

    /// Returns a project of Iterable's API.
    ///
    /// - Parameter apiKey: The API key of the project.
    /// - Returns: The project; nil when the configuration has no such project.
    public func iterable(in apiKey: String) -> EmulatedIterable? {
        self.configuration.iterableProjects.contains { $0.apiKey == apiKey } ? EmulatedIterable(apiKey, of: self) : nil
    }

    /// Answers a request that carries the API key of a project.
    func answerIterable(
        _ request: TransportRequest,
        on route: EmulatorRoute,
        target: RequestTarget,
        isTrusted: Bool
    ) throws(Refusal) -> TransportResponse {
        let visitor = IterableRequest(request, route: route, target: target, limits: self.configuration.limits)
        guard let key = visitor.only("Api-Key"), self.iterable(in: key) != nil else { throw .badAPIKey }
        return self.withIterable(key) { (handler, now) in handler.answer(visitor, at: now, isTrusted: isTrusted) }
    }

    /// The first application of Infobip's API.
    public var infobip: EmulatedInfobip {
        EmulatedInfobip(self.configuration.applications.first?.code ?? "", of: self)
    }

    /// Returns an application of Infobip's API.
    ///
    /// - Parameter code: The application code.
    /// - Returns: The application; nil when the configuration has no such application.
    public func infobip(in code: String) -> EmulatedInfobip? {
        self.configuration.applications.contains { $0.code == code } ? EmulatedInfobip(code, of: self) : nil
    }

    /// Answers a request that names an application by the hash of its code.
    func answerInfobip(
        _ request: TransportRequest,
        on route: EmulatorRoute,
        target: RequestTarget,
        isTrusted: Bool
    ) throws(Refusal) -> TransportResponse {
        let hashes = request.headers.values(of: "applicationcode")
        guard !hashes.isEmpty else { throw .applicationCodeMissing }
        let application = self.configuration.applications.first { hashes == [Self.hash(of: $0.code)] }
        guard let code = application?.code else { throw .invalidApplicationCode }
        return self.withInfobip(code) { (handler, now) in
            let limits = self.configuration.limits
            let lists = handler.application.listAttributes
            let infobip = InfobipRequest(request, route: route, target: target, limits: limits, lists: lists)
            return handler.answer(infobip, at: now, isTrusted: isTrusted)
        }
    }

    /// The first ten hexadecimal digits of the code's SHA-256.
    private static func hash(of code: String) -> String {
        Hexadecimal.encode(Array(SHA256.hash(Array(code.utf8)).prefix(5)))
    }
}
