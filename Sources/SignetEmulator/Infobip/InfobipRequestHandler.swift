// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The authorization, requests and state of one application; without lock and clock.
struct InfobipRequestHandler: Sendable {
    private(set) var application: EmulatedInfobipApplication
    private(set) var state: InfobipState
    private(set) var requests: RingBuffer<EmulatedInfobipRequest>

    init(_ application: EmulatedInfobipApplication, keeping limit: Int? = nil) {
        self.requests = RingBuffer(limit: limit)
        self.application = application
        self.state = InfobipState(code: application.code)
    }

    /// Changes the settings while the platform runs.
    mutating func change(_ body: (inout EmulatedInfobipApplication) -> Void) {
        body(&self.application)
    }

    /// Changes the state in the portal's place.
    mutating func act<Result, Failure: Error>(
        _ body: (inout InfobipState) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(&self.state)
    }

    /// Answers a request whose header names the application: checks its authorization, then carries it out.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The time, in milliseconds since 1970.
    ///   - isTrusted: True to ignore token errors: the request was accepted before, and the secret may have changed.
    /// - Returns: The answer to the client.
    mutating func answer(_ request: InfobipRequest, at now: Int64, isTrusted: Bool) -> TransportResponse {
        var response: TransportResponse
        var refusal: Refusal?
        var token: InfobipToken?
        let number = self.requests.total + 1
        do throws(Refusal) {
            token = try self.token(of: request, at: now, isTrusted: isTrusted)
            response = try self.answer(request.call.get(), request, number: number, at: now)
        } catch {
            refusal = error
            response = error.response(to: request.route)
        }
        if let url = self.application.newBaseURL {
            response.headers.append(name: "New-Base-URL", value: url)
        }
        let forgotten = self.requests.append(
            EmulatedInfobipRequest(
                request,
                number: number,
                status: response.status,
                code: refusal?.code,
                tokenSubject: token?.subject,
                at: now
            )
        )
        if let forgotten { self.state.forgetEvents(upTo: forgotten) }
        return response
    }

    /// Checks the application code, or the token that three calls accept.
    private func token(
        of request: InfobipRequest,
        at now: Int64,
        isTrusted: Bool
    ) throws(Refusal) -> InfobipToken? {
        guard let header = request.only("Authorization") else { throw .applicationCodeMissing }
        if header.lowercased().hasPrefix("bearer ") {
            guard request.route.takesToken else {
                throw Refusal(401, "UNAUTHORIZED", "A token cannot replace the application code in this call")
            }
            do throws(Refusal) {
                return try InfobipToken(
                    String(header.dropFirst("bearer ".count)),
                    secret: self.application.secret,
                    now: now
                )
            } catch {
                guard isTrusted else { throw error }
                return nil
            }
        }
        guard header == "App " + self.application.code else { throw .invalidApplicationCode }
        guard isTrusted || !self.application.requiresTokens || !request.route.takesToken else {
            throw Refusal(401, "UNAUTHORIZED", "This call needs a token")
        }
        return nil
    }

    private mutating func answer(
        _ call: InfobipCall,
        _ request: InfobipRequest,
        number: Int,
        at now: Int64
    ) throws(Refusal) -> TransportResponse {
        switch call {
        case .baseURL:
            return self.baseURL()
        case .register(let fields):
            let id = self.state.register(fields, universalID: request.only("installationid"), at: now)
            return self.installation(id, returnsToken: true)
        default:
            break
        }
        guard let own = request.registration else { throw .invalidRegistration }
        guard self.state.installations[own] != nil else { throw .noRegistration }
        try self.checkTarget(request, own)
        switch call {
        case .fetchInstallation(let returnsToken):
            return self.installation(request.target, returnsToken: returnsToken)
        case .updateInstallation(let fields, let names):
            // Of another installation, a client may change only `isPrimary`.
            guard request.target == own || names == ["isPrimary"] else { throw .invalidRegistration }
            self.state.update(request.target, fields)
        case .expire:
            self.state.expire(request.target)
        case .fetchPerson(let returnsInstallations, let returnsTokens):
            return self.person(own, returnsInstallations: returnsInstallations, returnsTokens: returnsTokens)
        case .updatePerson(let fields):
            try self.check(fields)
            try self.state.update(personOf: own, fields)
        case .personalize(let personalization):
            try self.check(personalization)
            try self.state.personalize(own, personalization, at: now)
            return self.person(own, returnsInstallations: true, returnsTokens: false)
        case .repersonalize(let personalization):
            try self.check(personalization)
            try self.state.repersonalize(own, personalization, at: now)
        case .depersonalize:
            self.state.depersonalize(request.target, at: now)
        case .events(let events, let isValidated):
            try self.take(events, isValidated: isValidated, of: own, number: number, at: now)
        case .sessions(let report):
            self.state.take(report, of: own)
        case .baseURL, .register:
            break
        }
        return TransportResponse(status: 204)
    }

    // No source says whether the service checks a header that differs from the path. The emulator does: person calls work
    // only for the caller's own registration, installation calls for those of the same person. A registration to end may
    // belong to any person, and may be gone already.
    private func checkTarget(_ request: InfobipRequest, _ own: String) throws(Refusal) {
        guard request.target != own else {
            guard request.route != .expireInstallation else { throw .invalidRegistration }
            return
        }
        switch request.route {
        case .expireInstallation:
            break
        case .updateInstallation, .depersonalize:
            guard let target = self.state.installations[request.target],
                target.person == self.state.installations[own]?.person
            else {
                throw .noRegistration
            }
        default:
            throw .invalidRegistration
        }
    }

    private func check(_ fields: InfobipPersonFields) throws(Refusal) {
        guard !self.application.restrictsSensitiveData || !fields.isSensitive else { throw .dataRestricted }
    }

    private func check(_ personalization: InfobipCall.Personalization) throws(Refusal) {
        try personalization.fields.map { fields throws(Refusal) in try self.check(fields) }
        let identity = personalization.identity
        guard !self.application.restrictsSensitiveData || identity.phones.isEmpty && identity.emails.isEmpty else {
            throw .dataRestricted
        }
    }

    // "Business errors are silenced on the server" without validation: undefined events are dropped.
    private mutating func take(
        _ events: [EmulatedInfobipEvent],
        isValidated: Bool,
        of own: String,
        number: Int,
        at now: Int64
    ) throws(Refusal) {
        let known = events.filter { self.application.eventDefinitions?.contains($0.definitionID) ?? true }
        guard !isValidated || known.count == events.count else {
            throw .formatInvalid("definitionId", shouldBe: "that of an event of the portal")
        }
        self.state.take(known, of: own, number: number, at: now)
    }
}

// MARK: Answers

extension InfobipRequestHandler {
    private func baseURL() -> TransportResponse {
        var body = JSONObject()
        body["baseUrl"] = self.application.baseURL.map(JSONValue.string)
        return TransportResponse(json: JSONValue.object(body).encoded())
    }

    private func installation(_ id: String, returnsToken: Bool) -> TransportResponse {
        var writer = JSONWriter()
        self.state.installations[id]?.write(to: &writer, returnsToken: returnsToken)
        return TransportResponse(json: writer.bytes)
    }

    private func person(_ id: String, returnsInstallations: Bool, returnsTokens: Bool) -> TransportResponse {
        var writer = JSONWriter()
        writer.beginObject()
        if let person = self.state.person(of: id) {
            person.write(to: &writer)
            if returnsInstallations {
                writer.key("instances")
                writer.beginArray()
                for id in person.installations {
                    self.state.installations[id]?.write(to: &writer, returnsToken: returnsTokens)
                }
                writer.endArray()
            }
        }
        writer.endObject()
        return TransportResponse(json: writer.bytes)
    }
}

extension InfobipPersonRecord {
    /// Writes the JSON members of a person, except its installations.
    func write(to writer: inout JSONWriter) {
        if let id = self.externalUserID {
            writer.member("externalUserId", id)
        }
        writer.member("type", self.kind.rawValue)
        for (key, value) in self.standard {
            writer.member(key, value)
        }
        for (list, key, member) in [(self.phones, "phones", "number"), (self.emails, "emails", "address")]
        where !list.isEmpty {
            writer.key(key)
            writer.beginArray()
            for (position, contact) in list.enumerated() {
                writer.beginObject()
                writer.member(member, contact)
                writer.member("preferred", position == 0)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.member("customAttributes", .object(self.custom))
    }
}
