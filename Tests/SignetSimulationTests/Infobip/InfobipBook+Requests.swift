// SPDX-License-Identifier: Apache-2.0

/// What requests do to the book.
extension InfobipBook {
    /// A request goes out.
    mutating func begin(_ exchange: InfobipExchange, at now: Duration) -> (installation: Int, process: Int)? {
        guard let installation = self.names[exchange.caller] else {
            self.fail("a request comes from nobody")
            return nil
        }
        self.owners[installation].underWay += 1
        if self.owners[installation].underWay > 1 {
            self.fail("\(self.owners[installation].underWay) requests of \(installation) at once")
        }
        let owner = self.owners[installation]
        self.owners[installation].asks = exchange.forces || owner.shifts == 0 ? owner.current : nil
        // It knows its registration.
        if !exchange.own.isEmpty { self.owners[installation].isForgotten = false }
        if let optedOutAt = self.owners[installation].optedOutAt, now > optedOutAt {
            self.fail("\(exchange.kind) of \(installation) after an opt-out")
        }
        self.reach("\(exchange.kind)")
        self.requests += 1
        if self.requests == Self.most { self.fail("there is no end to requests; the last is \(exchange.kind)") }
        if exchange.kind == .personalize {
            self.eachSaid(by: exchange) { edit in
                if edit.installation == installation { edit.hasGone = true }
            }
        }
        return (installation, self.owners[installation].process)
    }

    /// More than any world needs.
    private static let most = 3000

    /// Whether there are not too many requests.
    var isBearable: Bool { self.requests < Self.most }

    mutating func end(_ place: (installation: Int, process: Int)?) {
        guard let place, self.owners[place.installation].process == place.process else { return }
        self.owners[place.installation].underWay -= 1
    }

    /// The platform has read a request.
    ///
    /// - Parameters:
    ///   - exchange: The request.
    ///   - code: Of its refusal; nil when it was taken.
    ///   - id: The registration in the answer.
    mutating func took(_ exchange: InfobipExchange, code: String?, id: String?) {
        guard let installation = self.names[exchange.caller] else { return }
        self.checkAims(exchange, installation, isAfter: false)
        let before = self.people.registrations
        let known = self.people.fields(of: exchange.own, isInstallation: exchange.kind == .saveInstallation)
        let expected = self.follow(exchange, installation, id)
        if expected != code {
            self.fail("\(exchange.kind): the platform says \(code ?? "yes"), the reference \(expected ?? "yes")")
        }
        if let code { self.reach("refused \(code)") }
        guard code == nil else { return }
        self.notePrimary(before: before, exchange, installation)
        if exchange.kind == .personalize, let was = before[exchange.own]?.person,
            self.people.registrations[exchange.own]?.person != was
        {
            self.owners[installation].joined = self.owners[installation].current
        }
        if let name = self.people.person(of: exchange.own)?.externalUserID,
            let scope = self.scope(of: exchange, installation)
        {
            if Self.isRenamed(self.owners[installation].scopes[scope], to: name, by: exchange) {
                self.owners[installation].scopes[scope].isLossy = true
                self.reach("renamed elsewhere")
            }
            self.owners[installation].scopes[scope].keys.insert(name)
        }
        switch exchange.kind {
        case .personalize: self.personalized(exchange, installation)
        case .depersonalize: self.depersonalized(exchange, installation)
        case .events: for name in exchange.events { self.arrived(name, exchange) }
        default: break
        }
        self.people.write(exchange.own, by: installation)
        self.checkAims(exchange, installation, isAfter: true)
        self.apply(exchange, installation, before: known)
    }

    /// An unforced personalize may find its scope's person under an external id that another device has given them since.
    ///
    /// A log-out from elsewhere looks the same, so what waits in the scope may wait for the return of the name that is gone.
    private static func isRenamed(_ scope: Scope, to name: String, by exchange: InfobipExchange) -> Bool {
        let known = scope.keys.filter { !$0.contains("@") && Int($0) == nil }
        return exchange.kind == .personalize && !exchange.forces && !known.isEmpty && !known.contains(name)
    }

    /// The scope whose person a request is about; nil where nobody can say.
    private func scope(of exchange: InfobipExchange, _ installation: Int) -> Int? {
        switch exchange.kind {
        case .personalize, .fetchUser: self.owners[installation].asks
        // What is left of somebody who leaves goes when the next scope has begun.
        case .saveUser:
            exchange.said.values.compactMap { $0.flatMap(Self.number) }
                .filter { self.edits.indices.contains($0) && self.edits[$0].installation == installation }
                .map { self.edits[$0].scope }.max()
        default: nil
        }
    }

    /// Which installation is the primary one may change by what another one says, or somebody who comes.
    private mutating func notePrimary(
        before: [String: ReferenceInfobip.Registration],
        _ exchange: InfobipExchange,
        _ installation: Int
    ) {
        let isOwnSave = [.saveInstallation, .register].contains(exchange.kind) && exchange.target == exchange.own
        for (id, registration) in self.people.registrations {
            let was = before[id]?.isPrimary ?? registration.isPrimary
            guard was != registration.isPrimary, !isOwnSave || registration.owner != installation else { continue }
            self.owners[registration.owner].primaryNews = self.owners[registration.owner].current
        }
    }

    private mutating func depersonalized(_ exchange: InfobipExchange, _ installation: Int) {
        let owner = self.people.registrations[exchange.target]?.owner ?? installation
        guard owner != installation else { return }
        self.reach("remote log-out")
        // Its app does not know, and goes on for whom it knew.
        self.lose(owner, isVague: true)
    }

    /// What the reference says to a request, nil for yes.
    private mutating func follow(_ exchange: InfobipExchange, _ installation: Int, _ id: String?) -> String? {
        if exchange.kind == .address { return nil }
        if exchange.kind == .register {
            let known = self.people.registration(with: exchange.said["pushServiceToken"] ?? nil)
            if let known, known != id { self.fail("a push token has two registrations") }
            if let id { self.people.register(id, owner: installation, exchange.said) }
            return nil
        }
        guard let own = self.people.registrations[exchange.own] else { return "NO_REGISTRATION" }
        if exchange.target != exchange.own, exchange.kind != .expire {
            guard self.people.registrations[exchange.target]?.person == own.person else { return "NO_REGISTRATION" }
        }
        switch exchange.kind {
        case .saveInstallation: self.people.change(exchange.target, exchange.said)
        case .expire: self.people.end(exchange.target)
        case .saveUser: return self.people.changePerson(of: exchange.own, exchange.said)
        case .personalize: return self.people.personalize(exchange.own, exchange)
        case .depersonalize: self.people.depersonalize(exchange.target)
        default: break
        }
        return nil
    }

    /// The edits of calls that it can be the request of, of whichever installation.
    private mutating func eachSaid(by exchange: InfobipExchange, _ body: (inout InfobipEdit) -> Void) {
        for (field, value) in exchange.said.merging(exchange.identity, uniquingKeysWith: { first, _ in first }) {
            for number in self.edits.indices where self.edits[number].field == field {
                guard self.edits[number].source == .personalize, self.edits[number].value == value else { continue }
                body(&self.edits[number])
            }
        }
    }

    private mutating func personalized(_ exchange: InfobipExchange, _ installation: Int) {
        if let person = self.people.person(of: exchange.own), let name = person.externalUserID {
            // A phone may be another one's, or another device has given this one's person a name.
            let owners = person.registrations.compactMap { self.people.registrations[$0]?.owner }
            let isAsked = exchange.identity["externalUserId"] != nil
            for owner in owners where owner != installation || !isAsked {
                // While a call that opens a scope is under way, the person may be that of the scope before; not the one
                // whom that call itself has found.
                let current = self.owners[owner].current
                let asks = owner == installation && exchange.forces ? self.owners[owner].asks : nil
                for scope in asks.map({ $0...$0 }) ?? max(0, current - self.owners[owner].shifts)...current {
                    self.owners[owner].scopes[scope].names.insert(name)
                }
            }
        }
        self.eachSaid(by: exchange) { edit in
            if edit.installation == installation, edit.hasGone { edit.hasArrived = true }
        }
    }

    /// What somebody did is told of nobody else.
    private mutating func arrived(_ name: String, _ exchange: InfobipExchange) {
        guard let number = Int(name.dropFirst(2)), self.events.indices.contains(number) else { return }
        let event = self.events[number]
        if let person = self.people.person(of: exchange.own),
            let name = self.stranger(person, event.installation, event.scope)
        {
            self.fail("event \(number), scope \(event.scope), went to \(name)")
        }
        self.reach("event followed")
        if self.events[number].isApplied { self.reach("event again") }
        self.events[number].isApplied = true
    }

    // MARK: - Whose

    /// No value goes to anybody but whom it is of.
    private mutating func checkAims(_ exchange: InfobipExchange, _ installation: Int, isAfter: Bool) {
        // Before a person is changed it is known whose it is; whom a personalize finds, afterwards.
        guard isAfter == (exchange.kind != .saveUser), exchange.kind != .saveInstallation, exchange.kind != .register,
            let person = self.people.person(of: exchange.own)
        else { return }
        for (field, value) in exchange.said {
            guard let value, let number = Self.number(in: value), self.edits.indices.contains(number) else { continue }
            let edit = self.edits[number]
            // What has arrived of a person whom two devices have, either of them may send again.
            if edit.installation != installation, edit.isApplied { continue }
            if edit.installation != installation || edit.field != field {
                self.fail(
                    "edit \(number) of \(edit.field), \(edit.installation) was sent as \(field) by \(installation)"
                )
            }
            if exchange.kind == .saveUser, edit.source == .personalize, !edit.isApplied {
                self.fail("edit \(number) of a personalize that did nothing was saved")
            }
            if edit.source != .personalize, let name = self.stranger(person, installation, edit.scope) {
                self.fail("\(exchange.kind) of \(number), scope \(edit.scope), went to \(name)")
            }
        }
    }

    /// The name of somebody whom the app has not named in a scope; nil if it may have meant them.
    private func stranger(_ person: ReferenceInfobip.Person, _ installation: Int, _ scope: Int) -> String? {
        guard let name = person.externalUserID, InfobipPersona.isKnown(name) else { return nil }
        let scope = self.owners[installation].scopes[scope]
        let hasContact = !scope.contacts.isDisjoint(with: person.phones + person.emails)
        return scope.isVague || scope.names.contains(name) || hasContact ? nil : name
    }

    /// The number in a value.
    static func number(in value: String) -> Int? {
        InfobipSample.number(in: value)
    }

    // MARK: - What has become of edits

    private mutating func apply(_ exchange: InfobipExchange, _ installation: Int, before: [String: String]) {
        // What is said of another installation is no edit.
        if exchange.kind == .saveInstallation, exchange.target != exchange.own { return }
        for (field, value) in exchange.said.merging(exchange.identity, uniquingKeysWith: { first, _ in first }) {
            if let value, let number = Self.number(in: value), self.edits.indices.contains(number) {
                if exchange.kind == .saveUser || exchange.kind == .saveInstallation {
                    self.checkOrder(number, after: before[field].flatMap(Self.number))
                }
                self.edits[number].isApplied = true
                if self.edits[number].isRefused { self.reach("edit applied after a refusal") }
            } else if value == nil {
                self.eachErasure(of: field, by: installation) { $0.isApplied = true }
            } else {
                self.apply(field, value, of: installation, isPersonalize: exchange.kind == .personalize)
            }
        }
    }

    /// Values without a number of their own: yes and no.
    private mutating func apply(_ field: String, _ value: String?, of installation: Int, isPersonalize: Bool) {
        for number in self.edits.indices
        where self.edits[number].installation == installation && self.edits[number].field == field {
            guard self.edits[number].source != .personalize || isPersonalize else { continue }
            if self.edits[number].value == value { self.edits[number].isApplied = true }
        }
    }

    private mutating func eachErasure(of field: String, by installation: Int, _ body: (inout InfobipEdit) -> Void) {
        for number in self.edits.indices
        where self.edits[number].installation == installation && self.edits[number].field == field {
            if self.edits[number].value == nil { body(&self.edits[number]) }
        }
    }

    /// What is older does not come after what is newer, of one person.
    private mutating func checkOrder(_ number: Int, after known: Int?) {
        let edit = self.edits[number]
        guard let known, self.edits.indices.contains(known), !edit.isAfterPowerLoss,
            !ReferenceInfobip.identityFields.contains(edit.field)
        else { return }
        let other = self.edits[known]
        self.reach("order checked")
        if other.installation == edit.installation, other.field == edit.field, edit.isBefore(other),
            self.isOfOnePerson(edit, other)
        {
            self.fail("edit \(number) of \(edit.field) came after \(known)")
        }
    }

    /// An installation is told that the service has refused its request.
    mutating func refused(_ exchange: InfobipExchange, _ code: String?) {
        guard let installation = self.names[exchange.caller] else { return }
        self.reach("told refused \(exchange.kind)")
        // Whoever is refused may have come before that: their data waits for them.
        if exchange.kind == .personalize { self.lose(installation) }
        let named = exchange.kind == .saveUser ? InfobipEdit.fields(namedBy: code ?? "") : []
        let namesSome = exchange.said.keys.contains(where: named.contains)
        for (field, value) in exchange.said {
            if namesSome, !named.contains(field) { continue }
            if let value, let number = Self.number(in: value), self.edits.indices.contains(number) {
                self.edits[number].isRefused = true
            } else {
                for number in self.edits.indices
                where self.edits[number].installation == installation && self.edits[number].field == field {
                    if self.edits[number].value == value { self.edits[number].isRefused = true }
                }
            }
        }
        for name in exchange.events {
            guard let number = Int(name.dropFirst(2)), self.events.indices.contains(number) else { continue }
            self.events[number].isRefused = true
        }
    }
}
