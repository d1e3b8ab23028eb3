// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The authorization, requests and state of one project; without lock and clock.
struct IterableRequestHandler: Sendable {
    private(set) var project: EmulatedIterableProject
    private(set) var directory = IterableDirectory()
    private(set) var activations: RingBuffer<EmulatedIterableActivation>
    private(set) var consents: RingBuffer<EmulatedIterableConsent>
    private(set) var merges: RingBuffer<EmulatedIterableMerge>
    private(set) var requests: RingBuffer<EmulatedIterableRequest>
    // The ids in the criteria document; nil if it is not a valid document, and then every matched id is accepted.
    private var criteriaIDs: Set<String>?
    private var invalidTokens: Set<String> = []

    /// The request in progress.
    private struct Arrival {
        let number: Int
        let now: Int64
        let tokenOwner: EmulatedIterableUserID?
    }

    init(_ project: EmulatedIterableProject, keeping limit: Int? = nil) {
        self.activations = RingBuffer(limit: limit)
        self.consents = RingBuffer(limit: limit)
        self.merges = RingBuffer(limit: limit)
        self.requests = RingBuffer(limit: limit)
        self.project = project
        self.criteriaIDs = Self.criteriaIDs(of: project.criteria)
    }

    /// Changes the settings while the platform runs.
    mutating func change(_ body: (inout EmulatedIterableProject) -> Void) {
        body(&self.project)
        self.criteriaIDs = Self.criteriaIDs(of: self.project.criteria)
    }

    /// Invalidates a token before its expiry.
    mutating func invalidate(_ token: String) {
        self.invalidTokens.insert(token)
    }

    /// Answers a request with the project's key: checks its authorization, then carries it out.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The time, in milliseconds since 1970.
    ///   - isTrusted: True to ignore token errors: the request was accepted before, and the secret may have changed.
    /// - Returns: The answer to the client.
    mutating func answer(_ request: IterableRequest, at now: Int64, isTrusted: Bool) -> TransportResponse {
        let checksToken = !isTrusted && self.checksToken(of: request)
        var token: IterableToken?
        var response: TransportResponse
        var refusal: Refusal?
        do throws(Refusal) {
            token = try self.token(of: request, isRequired: checksToken, at: now)
            let call = try request.call.get()
            if let token, checksToken, let user = call.user, !token.covers(user) {
                throw .tokenOfAnother
            }
            let arrival = Arrival(number: self.requests.total + 1, now: now, tokenOwner: token?.id)
            response = try self.answer(call, arrival)
        } catch {
            refusal = error
            response = error.response(to: request.route)
        }
        let forgotten = self.requests.append(
            EmulatedIterableRequest(
                request,
                number: self.requests.total + 1,
                status: response.status,
                code: refusal?.code,
                tokenOwner: token?.id,
                at: now
            )
        )
        if let forgotten { self.directory.forgetEvents(upTo: forgotten) }
        return response
    }

    private mutating func answer(_ call: IterableCall, _ arrival: Arrival) throws(Refusal) -> TransportResponse {
        switch call {
        case .criteria: return TransportResponse(json: Array(self.project.criteria.utf8))
        case .remoteConfiguration: return self.remoteConfiguration()
        case .activation(let activation): try self.activate(activation, arrival)
        case .consent(let consent): try self.note(consent, arrival)
        case .merge(let source, let destination): try self.merge(source, into: destination, arrival)
        case .event(let event, let subject, let change): try self.take(event, of: subject, changing: change, arrival)
        case .update(let subject, let change): try self.update(subject, arrival) { change.apply(to: &$0.fields) }
        case .changeEmail(let user, let email, let merges):
            try self.changeEmail(of: user, to: email, merges: merges, arrival)
        case .register(let device, let subject): try self.update(subject, arrival) { $0.take(device) }
        case .disable(let token, let user): try self.disable(token, of: user)
        }
        return TransportResponse(iterable: nil)
    }
}

// MARK: Tokens

extension IterableRequestHandler {
    private func checksToken(of request: IterableRequest) -> Bool {
        guard self.project.requiresTokens else { return false }
        return request.route.needsToken
            || self.project.checksSpareTokens && !request.headers.values(of: "Authorization").isEmpty
    }

    // A token that is not required is read too, to record its owner; its errors are ignored.
    private func token(
        of request: IterableRequest,
        isRequired: Bool,
        at now: Int64
    ) throws(Refusal) -> IterableToken? {
        do throws(Refusal) {
            guard let header = request.only("Authorization"), header.lowercased().hasPrefix("bearer ") else {
                throw .missingToken
            }
            let text = String(header.dropFirst("bearer ".count))
            let seconds = now >= 0 ? now / 1000 : -1
            let token = try IterableToken(text, secret: self.project.secret, now: seconds)
            guard !self.invalidTokens.contains(text) else { throw .invalidToken("JWT token has been invalidated") }
            return token
        } catch {
            guard isRequired else { return nil }
            throw error
        }
    }
}

// MARK: Calls

extension IterableRequestHandler {
    // The client fetches the criteria again after a 409, so stale criteria are inferred as its cause. No source says so.
    private mutating func activate(_ activation: EmulatedIterableActivation, _ arrival: Arrival) throws(Refusal) {
        if let id = activation.matchedCriteriaID, let known = self.criteriaIDs, !known.contains(String(id)) {
            throw .staleCriteria
        }
        let user = EmulatedIterableUserID.userID(activation.userID)
        var activation = activation
        activation.isRepetition = self.directory[user] != nil
        activation.number = arrival.number
        activation.receivedAt = WallClock.date(milliseconds: arrival.now)
        self.activations.append(activation)
        self.directory.make(user, isUnknown: true, at: arrival.now)
        _ = self.directory.update(user) { activation.fields.apply(to: &$0.fields) }
    }

    private mutating func note(_ consent: EmulatedIterableConsent, _ arrival: Arrival) throws(Refusal) {
        var consent = consent
        consent.userExisted = self.directory[consent.user] != nil
        guard consent.userExisted || !self.project.requiresUserForConsent else { throw .unknownUser(consent.user) }
        consent.number = arrival.number
        consent.receivedAt = WallClock.date(milliseconds: arrival.now)
        self.consents.append(consent)
    }

    private mutating func merge(
        _ source: EmulatedIterableUserID,
        into destination: EmulatedIterableUserID,
        _ arrival: Arrival
    ) throws(Refusal) {
        guard let profile = self.directory[source] else { throw .unknownUser(source) }
        guard !profile.ids.contains(destination), let outcome = self.directory.merge(source, into: destination) else {
            throw .badParameters("Source and destination are the same user.")
        }
        self.merges.append(
            EmulatedIterableMerge(
                source: source,
                destination: destination,
                outcome: outcome,
                tokenOwner: arrival.tokenOwner,
                number: arrival.number,
                receivedAt: WallClock.date(milliseconds: arrival.now)
            )
        )
    }

    private mutating func take(
        _ event: EmulatedIterableEvent,
        of subject: IterableSubject,
        changing change: IterableFieldsChange,
        _ arrival: Arrival
    ) throws(Refusal) {
        var event = event
        event.number = arrival.number
        event.receivedAt = WallClock.date(milliseconds: arrival.now)
        try self.update(subject, arrival) { record in
            change.apply(to: &record.fields)
            record.take(event)
        }
    }

    private mutating func update(
        _ subject: IterableSubject,
        _ arrival: Arrival,
        _ body: (inout IterableUserRecord) -> Void
    ) throws(Refusal) {
        if case .created(let id) = subject {
            self.directory.make(id, at: arrival.now)
        }
        guard self.directory.update(subject.id, body) != nil else { throw .unknownUser(subject.id) }
    }

    // `merge` is in no public documentation; the clients that send it say that it merges two users when the address has an
    // owner. Our own choice: the owner remains.
    private mutating func changeEmail(
        of user: EmulatedIterableUserID,
        to email: String,
        merges: Bool,
        _ arrival: Arrival
    ) throws(Refusal) {
        guard let profile = self.directory[user] else { throw .unknownUser(user) }
        guard let owner = self.directory[.email(email)] else {
            self.directory.changeEmail(of: user, to: email)
            return
        }
        guard owner.key != profile.key else { return }
        guard merges else {
            throw Refusal(400, "EmailAlreadyExists", "Another user already has this address.")
        }
        try self.merge(user, into: .email(email), arrival)
    }

    // Without a user, the token is disabled for all users.
    private mutating func disable(_ token: String, of user: EmulatedIterableUserID?) throws(Refusal) {
        if let user, self.directory[user] == nil {
            throw .unknownUser(user)
        }
        let isFound =
            user.map { self.directory.update($0) { $0.disable(token) } ?? false } ?? self.directory.disable(token)
        guard isFound else { throw Refusal(404, "NotFound", "The device could not be found.") }
    }

    private func remoteConfiguration() -> TransportResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("offlineMode", self.project.offlineMode)
        if let autoRetry = self.project.autoRetry {
            writer.member("autoRetry", autoRetry)
        }
        writer.endObject()
        return TransportResponse(json: writer.bytes)
    }

    private static func criteriaIDs(of document: String) -> Set<String>? {
        do {
            let value = try JSONReader.read(Array(document.utf8), limits: JSONLimits(bytes: 16 << 20, depth: 128))
            return value["criteriaSets"]?.array.map { sets in
                // Matched ids are numbers, so other ids are ignored.
                Set(
                    sets.compactMap { $0["criteriaId"].flatMap { $0.string ?? $0.number?.text } }
                        .filter { $0.utf8.allSatisfy { $0 < 0x80 } }
                )
            }
        } catch {
            return nil
        }
    }
}
